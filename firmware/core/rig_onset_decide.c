/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Light onset, decided from what the stream of samples left: the ring at full rate, and the blocks
 * of one millisecond where an onset was slower than the ring is long.
 *
 * Nothing here runs per sample. A reading looks at no more than the ring and the blocks once, with
 * one addition and one comparison of 64 bits each, and ends at the crossings; some 10 divisions.
 */
#include "rig_internal.h"

#define PPM 1000000u
/** 1000000 * sqrt(12) */
#define SQRT_12_PPM 3464102u
/** A moving average is at least this long, but for 1/64, which no rounding shall make a period. */
#define AVERAGE_MS 1u

/** Where a level is crossed upwards. */
struct crossing {
	bool found;
	/** number of the sample, or of a window's first sample, before it, and the part of a
	 *  sample's interval from there, 1/65536 */
	uint32_t before;
	uint32_t part_q16;
};

/** Linear interpolation: where between two values a level lies, 1/65536 of their distance. */
static uint32_t part_q16(uint64_t below, uint64_t level, uint64_t above)
{
	return (uint32_t)(((level - below) << 16) / (above - below));
}

/* --------------------------------------------------------------- the first light, full rate -- */

static bool is_confirmed(const struct rig_onset *onset, uint32_t from, uint32_t limit_q8)
{
	uint32_t hits = 0;

	for (uint32_t i = from; i != from + onset->confirm_count && i != onset->end; i++) {
		hits += rig_onset_kept(onset, i) * RIG_COUNT_Q8 > limit_q8 ? 1u : 0u;
		if (hits == RIG_ONSET_HITS) {
			return true;
		}
	}
	return false;
}

/** A limit can be passed by lone samples for long: after each one, looking goes on behind it. */
static struct crossing find_first(const struct rig_onset *onset, uint32_t from, uint32_t limit_q8)
{
	for (uint32_t i = from; i != onset->end; i++) {
		uint32_t level_q8 = rig_onset_kept(onset, i) * RIG_COUNT_Q8;
		uint32_t before_q8;

		if (level_q8 <= limit_q8 || !is_confirmed(onset, i, limit_q8)) {
			continue;
		}
		before_q8 = i == rig_onset_oldest(onset)
				    ? level_q8
				    : rig_onset_kept(onset, i - 1u) * RIG_COUNT_Q8;
		if (before_q8 > limit_q8) {
			return (struct crossing){.found = true, .before = i};
		}
		return (struct crossing){.found = true,
					 .before = i - 1u,
					 .part_q16 = part_q16(before_q8, limit_q8, level_q8)};
	}
	return (struct crossing){.found = false};
}

/** A time that lies half_steps halves of a sample and a part of one after the first light's. */
static uint64_t time_of(const struct rig_onset *onset, int64_t half_steps, uint32_t part)
{
	int64_t rate_hz = onset->config.rate_hz;
	int64_t after_ns = half_steps * (int64_t)RIG_NS_PER_S / (2 * rate_hz);
	int64_t part_ns = (int64_t)(((uint64_t)part * (RIG_NS_PER_S / (uint64_t)rate_hz)) >> 16);

	return onset->light_ns + (uint64_t)(after_ns + part_ns);
}

/* -------------------------------------------------- a share of the settled level, full rate -- */

/** Windows of width samples from number from on: the first one whose mean reaches level_q8. */
static struct crossing find_level(const struct rig_onset *onset, uint32_t from, uint32_t width,
				  uint32_t level_q8)
{
	uint64_t target = (uint64_t)level_q8 * width;
	uint64_t sum = 0;

	if (onset->end - from <= width) {
		return (struct crossing){.found = false};
	}
	for (uint32_t i = 0; i < width; i++) {
		sum += rig_onset_kept(onset, from + i) * RIG_COUNT_Q8;
	}
	if (sum >= target) {
		return (struct crossing){.found = false};
	}
	for (uint32_t i = from; i + width != onset->end; i++) {
		uint64_t next = sum + rig_onset_kept(onset, i + width) * RIG_COUNT_Q8 -
				rig_onset_kept(onset, i) * RIG_COUNT_Q8;

		if (next >= target) {
			return (struct crossing){.found = true,
						 .before = i,
						 .part_q16 = part_q16(sum, target, next)};
		}
		sum = next;
	}
	return (struct crossing){.found = false};
}

/* --------------------------------------------------------------------------- by the blocks -- */

static const struct rig_light_block *block_at(const struct rig_light *light, uint32_t number)
{
	return &light->slots[rig_numbering_slot(&light->numbers, number)];
}

/** @return number of the first block held that begins at t_ns or later */
static uint32_t first_block(const struct rig_light *light, uint64_t t_ns)
{
	uint32_t number = light->numbers.next - light->numbers.held;

	while (number != light->numbers.next && block_at(light, number)->t_ns < t_ns) {
		number++;
	}
	return number;
}

static uint64_t first_by_blocks(const struct rig_light *light, uint32_t limit_q8)
{
	const struct rig_onset *onset = &light->onset;

	for (uint32_t i = first_block(light, onset->light_ns - RIG_NS_PER_MS);
	     i != light->numbers.next; i++) {
		if (block_at(light, i)->max * RIG_COUNT_Q8 > limit_q8) {
			return block_at(light, i)->t_ns + RIG_NS_PER_MS / 2u;
		}
	}
	return RIG_ONSET_NEVER;
}

/** As find_level(), and the time, as a width of blocks may well be no whole one of samples. */
static uint64_t level_by_blocks(const struct rig_light *light, uint32_t width, uint32_t level_q8)
{
	uint64_t light_ns = light->onset.light_ns;
	uint64_t before_ns = (width + 1u) * RIG_NS_PER_MS;
	uint32_t from = first_block(light, light_ns > before_ns ? light_ns - before_ns : 0u);
	uint64_t target = (uint64_t)level_q8 * width;
	uint64_t sum = 0;

	/* What is held must begin before the light, or the crossing may be gone. */
	if (light->numbers.next - from <= width || block_at(light, from)->t_ns > light_ns) {
		return RIG_ONSET_NEVER;
	}
	for (uint32_t i = 0; i < width; i++) {
		sum += block_at(light, from + i)->mean * RIG_COUNT_Q8;
	}
	for (uint32_t i = from; i + width != light->numbers.next; i++) {
		uint64_t next = sum + block_at(light, i + width)->mean * RIG_COUNT_Q8 -
				block_at(light, i)->mean * RIG_COUNT_Q8;

		if (sum < target && next >= target) {
			uint64_t part_ns = part_q16(sum, target, next) * RIG_NS_PER_MS >> 16;

			return block_at(light, i)->t_ns + width * RIG_NS_PER_MS / 2u + part_ns;
		}
		sum = next;
	}
	return RIG_ONSET_NEVER;
}

/* ---------------------------------------------------------------------------- the settled span --
 */

static bool is_dc(const struct rig_onset_span *span)
{
	return span->rise == UINT16_MAX;
}

/** Width of the moving average: whole periods, together a millisecond or more. */
static uint32_t average_width(const struct rig_onset *onset)
{
	uint64_t least = (onset->config.rate_hz * AVERAGE_MS + 999u) / 1000u;
	uint64_t samples = onset->span.period_samples;
	uint64_t periods = onset->span.periods;
	uint64_t taken;

	if (is_dc(&onset->span)) {
		return (uint32_t)least;
	}
	taken = (least * 63u / 64u * periods + samples - 1u) / samples;
	taken += taken == 0u ? 1u : 0u;
	return (uint32_t)((taken * samples + periods / 2u) / periods);
}

static void describe_level(const struct rig_onset *onset, struct rig_onset_result *result)
{
	const struct rig_onset_span *span = &onset->span;
	uint64_t whole = span->last.count - span->first.count;
	uint64_t samples = span->period_samples;
	uint64_t periods = span->periods;
	uint64_t period_ns;

	if (is_dc(span)) {
		result->level_q8 = (uint32_t)((span->now.sum << RIG_Q8) / span->now.count);
		result->duty_ppm = PPM;
		return;
	}
	result->level_q8 = (uint32_t)(((span->last.sum - span->first.sum) << RIG_Q8) / whole);
	result->duty_ppm = (uint32_t)((span->last.high - span->first.high) * (uint64_t)PPM / whole);
	result->pwm_mhz = (uint32_t)(onset->config.rate_hz * UINT64_C(1000) * periods / samples);
	period_ns = samples * RIG_NS_PER_S / (periods * onset->config.rate_hz);
	result->pwm_uncertainty_ns = (uint32_t)(period_ns * (PPM - result->duty_ppm) / SQRT_12_PPM);
}

/* ------------------------------------------------------------------------------- the result -- */

static void find_first_light(const struct rig_light *light, struct rig_onset_result *result)
{
	const struct rig_onset *onset = &light->onset;
	uint32_t peak_q8 = onset->peak * RIG_COUNT_Q8;
	uint32_t tenth_q8 = peak_q8 > onset->base_q8 ? (peak_q8 - onset->base_q8) / 10u : 0u;
	uint32_t noise_q8 = RIG_ONSET_SIGMAS * onset->sigma_q8;
	uint32_t limit_q8 = onset->base_q8 + (tenth_q8 > noise_q8 ? tenth_q8 : noise_q8);
	uint32_t from = onset->light_index - rig_onset_oldest(onset) > onset->confirm_count
				? onset->light_index - onset->confirm_count
				: rig_onset_oldest(onset);
	struct crossing first = find_first(onset, from, limit_q8);

	if (first.found) {
		int64_t after = (int32_t)(first.before - onset->light_index);

		result->first_ns = time_of(onset, 2 * after, first.part_q16);
		return;
	}
	result->first_ns = first_by_blocks(light, limit_q8);
	result->resolution_ns = (uint32_t)RIG_NS_PER_MS;
}

/** When a share of the settled level, in percent, is reached. */
static uint64_t find_share(const struct rig_light *light, uint32_t percent, uint32_t width,
			   struct rig_onset_result *result)
{
	const struct rig_onset *onset = &light->onset;
	uint32_t settled_q8 =
		result->level_q8 > onset->base_q8 ? result->level_q8 - onset->base_q8 : 0u;
	uint32_t level_q8 = onset->base_q8 + (uint32_t)((uint64_t)settled_q8 * percent / 100u);
	uint32_t before = onset->light_index - rig_onset_oldest(onset);
	uint32_t from = onset->light_index - (before < 2u * width ? before : 2u * width);
	struct crossing crossing = find_level(onset, from, width, level_q8);
	uint64_t per_block = onset->config.rate_hz;

	if (crossing.found) {
		int64_t after = (int32_t)(crossing.before - onset->light_index);

		return time_of(onset, 2 * after + width - 1, crossing.part_q16);
	}
	result->resolution_ns = (uint32_t)RIG_NS_PER_MS;
	return level_by_blocks(
		light, (uint32_t)((width * UINT64_C(1000) + per_block / 2u) / per_block), level_q8);
}

static enum rig_onset_state state_of(const struct rig_onset *onset, bool over)
{
	switch (onset->phase) {
	case RIG_PHASE_OFF:
		return RIG_ONSET_IDLE;
	case RIG_PHASE_BASELINE:
		return over ? RIG_ONSET_NO_BASELINE : RIG_ONSET_DARK;
	case RIG_PHASE_DARK:
	case RIG_PHASE_CONFIRMING:
		return over ? RIG_ONSET_NO_LIGHT : RIG_ONSET_DARK;
	case RIG_PHASE_RISING:
	case RIG_PHASE_SETTLING:
		if (!over) {
			return RIG_ONSET_RISING;
		}
		return onset->moved ? RIG_ONSET_UNSTABLE : RIG_ONSET_NOT_SETTLED;
	case RIG_PHASE_SETTLED:
		return onset->clipped >= RIG_ONSET_HITS ? RIG_ONSET_SATURATED : RIG_ONSET_OK;
	case RIG_PHASE_NO_BASELINE:
		return RIG_ONSET_NO_BASELINE;
	case RIG_PHASE_LOST:
		return RIG_ONSET_LOST;
	}
	return RIG_ONSET_LOST;
}

static void find_shares(const struct rig_light *light, struct rig_onset_result *result)
{
	uint32_t width = average_width(&light->onset);

	describe_level(&light->onset, result);
	result->half_ns = find_share(light, 50, width, result);
	result->ninety_ns = find_share(light, 90, width, result);
}

void rig_light_onset(const struct rig_light *light, uint64_t now_ns,
		     struct rig_onset_result *result)
{
	const struct rig_onset *onset = &light->onset;

	*result = (struct rig_onset_result){
		.state = state_of(onset, now_ns >= light->armed_until_ns),
		.base_q8 = onset->base_q8,
		.sigma_q8 = onset->sigma_q8,
		.peak = onset->peak,
		.first_ns = RIG_ONSET_NEVER,
		.half_ns = RIG_ONSET_NEVER,
		.ninety_ns = RIG_ONSET_NEVER,
		.resolution_ns = onset->interval_ns,
	};
	switch (result->state) {
	case RIG_ONSET_IDLE:
	case RIG_ONSET_DARK:
	case RIG_ONSET_RISING:
	case RIG_ONSET_NO_LIGHT:
	case RIG_ONSET_NO_BASELINE:
	case RIG_ONSET_LOST:
		return;
	case RIG_ONSET_OK:
		find_shares(light, result);
		find_first_light(light, result);
		break;
	case RIG_ONSET_NOT_SETTLED:
	case RIG_ONSET_UNSTABLE:
	case RIG_ONSET_SATURATED:
		find_first_light(light, result);
		return;
	}
	if (result->first_ns == RIG_ONSET_NEVER || result->half_ns == RIG_ONSET_NEVER ||
	    result->ninety_ns == RIG_ONSET_NEVER) {
		result->state = RIG_ONSET_LOST;
	}
}
