/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Light onset, sample by sample. What is decided from the kept samples is in rig_onset_decide.c.
 *
 * Cost of a sample: 1 store to the ring, at most 4 additions and 3 comparisons of 64 bits, some 12
 * of 32 bits and 10 branches, in the baseline 1 multiplication of 64 bits; no loop, no division.
 * The end of a window of 200 ms takes 1 division of 64 bits, that of a quarter of the settled span
 * 2, that of the baseline 4 and a square root of 32 rounds, once in a recording. Counted under
 * QEMU as built for a Cortex-M0+ with -O2, rig_light_sample() as a whole: 230 to 260 instructions,
 * 290 in the baseline, 1000 with the end of a block (every 50th at 50 kS/s), 4000 once at the end
 * of the baseline. So 50 kS/s take some 14 million instructions a second of 125 million cycles.
 */
#include "rig_internal.h"

/** The time that the samples above the limit have. */
#define CONFIRM_MS 10u
#define CONFIRM_MIN 8u
/** Windows in a second; two neighbours that agree tell that a level may have settled. */
#define WINDOWS_PER_S 5u
#define QUARTERS 4u
#define PERIODS_MIN 4u
#define Q8_MAX (UINT16_MAX * RIG_COUNT_Q8)
/** sigma^2 of rounding to whole counts is 1/12; in 1/65536 counts^2 */
#define ROUNDING_Q16 5461u
/** A ripple of less than so many sigma, or than 1/8 of the level, is noise on DC. */
#define RIPPLE_SIGMAS 16u
/**
 * Milliseconds of a fast PWM differ by no more than a quarter of their mean. With it PWM of up to
 * 20 kHz and of 20 % and more settles at 50 kS/s: benchmarks/light_onset.py panels.
 */
#define FAST_PART 4u

bool rig_onset_is_sound(const struct rig_onset_config *config)
{
	if (config->slots == NULL) {
		return config->capacity == 0u;
	}
	return config->capacity >= RIG_ONSET_SLOTS_MIN && config->capacity <= RIG_ONSET_SLOTS_MAX &&
	       config->rate_hz >= RIG_ONSET_RATE_MIN_HZ &&
	       config->rate_hz <= RIG_ONSET_RATE_MAX_HZ && config->full_scale > 0u;
}

static uint32_t samples_in(const struct rig_onset *onset, uint64_t duration_ns)
{
	return (uint32_t)(duration_ns * onset->config.rate_hz / RIG_NS_PER_S);
}

void rig_onset_begin(struct rig_onset *onset)
{
	struct rig_onset_config config = onset->config;
	struct rig_onset_plan plan = onset->plan;

	*onset = (struct rig_onset){.config = config, .plan = plan};
	if (config.slots == NULL) {
		return;
	}
	onset->phase = RIG_PHASE_BASELINE;
	onset->base_count = samples_in(onset, plan.base_ns);
	onset->quarter_count = samples_in(onset, plan.settle_ns / QUARTERS);
	onset->window_count = config.rate_hz / WINDOWS_PER_S;
	onset->ms_count = config.rate_hz / 1000u;
	onset->confirm_count = config.rate_hz * CONFIRM_MS / 1000u;
	if (onset->confirm_count < CONFIRM_MIN) {
		onset->confirm_count = CONFIRM_MIN;
	}
	onset->interval_ns = (uint32_t)RIG_NS_PER_S / config.rate_hz;
	onset->left = UINT32_MAX;
}

/** Whether a sample comes when it should, give or take half an interval. */
static bool is_due(struct rig_onset *onset, uint64_t t_ns)
{
	bool due = onset->index == 0u ||
		   t_ns - onset->due_ns + onset->interval_ns / 2u <= (uint64_t)onset->interval_ns;

	onset->due_ns = t_ns + onset->interval_ns;
	return due;
}

static void keep(struct rig_onset *onset, uint16_t counts)
{
	if (onset->left == 0u) {
		return;
	}
	onset->config.slots[onset->head] = counts;
	onset->head = onset->head + 1u == onset->config.capacity ? 0u : onset->head + 1u;
	onset->end = onset->index + 1u;
	if (onset->left != UINT32_MAX) {
		onset->left--;
	}
}

/* ----------------------------------------------------------------------------- baseline -- */

/** Square root, rounded down: one bit of the result a round. */
static uint32_t square_root(uint64_t value)
{
	uint64_t root = 0;

	for (uint64_t bit = UINT64_C(1) << 31; bit != 0u; bit >>= 1) {
		if ((root + bit) * (root + bit) <= value) {
			root += bit;
		}
	}
	return (uint32_t)root;
}

/** Mean, sigma and limit; light that moved in the baseline makes it none. */
static void end_baseline(struct rig_onset *onset)
{
	int64_t count = onset->base_count;
	int64_t spread = count * (int64_t)onset->base_squares - onset->base_sum * onset->base_sum;
	uint64_t variance_q16 = ((uint64_t)(spread / count) << (2u * RIG_Q8)) / (uint64_t)count;
	uint32_t above_q8;
	uint32_t limit_q8;

	onset->base_q8 = (uint32_t)((onset->origin * count + onset->base_sum) *
				    (int64_t)RIG_COUNT_Q8 / count);
	onset->sigma_q8 = square_root(variance_q16 + ROUNDING_Q16);
	above_q8 = RIG_ONSET_SIGMAS * onset->sigma_q8;
	limit_q8 = onset->base_q8 + above_q8;
	onset->dark_max = (uint16_t)(limit_q8 < Q8_MAX ? limit_q8 >> RIG_Q8 : UINT16_MAX);
	/* A step in the first 64/65 of it makes 8 sigma as great as the step, a later one a peak.
	 */
	if (onset->base_max > onset->dark_max ||
	    onset->base_q8 + 4u * above_q8 > onset->config.full_scale * RIG_COUNT_Q8) {
		onset->phase = RIG_PHASE_NO_BASELINE;
		return;
	}
	onset->phase = RIG_PHASE_DARK;
}

static void sample_baseline(struct rig_onset *onset, uint16_t counts)
{
	int32_t difference;

	if (onset->index == 0u) {
		onset->origin = counts;
	}
	difference = (int32_t)counts - onset->origin;
	onset->base_sum += difference;
	onset->base_squares += (uint64_t)((int64_t)difference * difference);
	onset->base_max = counts > onset->base_max ? counts : onset->base_max;
	if (onset->index + 1u == onset->base_count) {
		end_baseline(onset);
	}
}

/* ------------------------------------------------------------------------------ first light -- */

static void sample_dark(struct rig_onset *onset, uint64_t t_ns, uint16_t counts)
{
	if (counts <= onset->dark_max) {
		return;
	}
	onset->light_index = onset->index;
	onset->light_ns = t_ns;
	onset->hits = 1;
	onset->phase = RIG_PHASE_CONFIRMING;
}

static void open_window(struct rig_onset *onset)
{
	onset->window = (struct rig_onset_window){.min = UINT16_MAX};
}

static void sample_confirming(struct rig_onset *onset, uint16_t counts)
{
	uint32_t since = onset->index - onset->light_index;

	onset->hits += counts > onset->dark_max ? 1u : 0u;
	if (onset->hits == RIG_ONSET_HITS) {
		uint32_t after = onset->config.capacity - onset->config.capacity / 4u;

		onset->phase = RIG_PHASE_RISING;
		onset->left = after > since ? after - since : 0u;
		onset->before_q8 = 0;
		open_window(onset);
	} else if (since + 1u == onset->confirm_count) {
		onset->phase = RIG_PHASE_DARK;
		onset->peak = 0;
		onset->clipped = 0;
	}
}

/* ------------------------------------------------------------------------- settled level -- */

static uint32_t net_q8(const struct rig_onset *onset, uint32_t level_q8)
{
	return level_q8 > onset->base_q8 ? level_q8 - onset->base_q8 : 0u;
}

/** Whether two levels differ by no more than 1/16 of the greater one, a count, and a slack. */
static bool is_still(const struct rig_onset *onset, uint32_t least_q8, uint32_t most_q8,
		     uint32_t slack_q8)
{
	return most_q8 - least_q8 <= net_q8(onset, most_q8) / 16u + RIG_COUNT_Q8 + slack_q8;
}

static void begin_span(struct rig_onset *onset, uint32_t level_q8)
{
	const struct rig_onset_window *window = &onset->window;
	uint32_t ripple = (uint32_t)window->max - window->min;
	bool dc = ripple * RIG_COUNT_Q8 <= RIPPLE_SIGMAS * onset->sigma_q8 ||
		  ripple * RIG_COUNT_Q8 <= net_q8(onset, level_q8) / 8u;

	onset->span = (struct rig_onset_span){
		.quarter_end = onset->quarter_count,
		.least_q8 = UINT32_MAX,
		.rise = dc ? UINT16_MAX : (uint16_t)(window->min + ripple * 5u / 8u),
		.fall = (uint16_t)(window->min + ripple * 3u / 8u),
		.is_high = true,
		.shortest = UINT32_MAX,
		.ms_end = onset->ms_count,
		.ms_least = UINT32_MAX,
	};
	onset->phase = RIG_PHASE_SETTLING;
}

static void end_window(struct rig_onset *onset)
{
	const struct rig_onset_window *window = &onset->window;
	uint32_t level_q8 = (uint32_t)(((uint64_t)window->sum << RIG_Q8) / window->count);
	uint32_t before_q8 = onset->before_q8;
	bool lit = window->max > onset->dark_max;

	onset->before_q8 = lit ? level_q8 : 0u;
	if (lit && before_q8 > 0u &&
	    (level_q8 < before_q8 ? is_still(onset, level_q8, before_q8, 0)
				  : is_still(onset, before_q8, level_q8, 0))) {
		begin_span(onset, level_q8);
	}
	open_window(onset);
}

static void sample_rising(struct rig_onset *onset, uint16_t counts)
{
	struct rig_onset_window *window = &onset->window;

	window->sum += counts;
	window->min = counts < window->min ? counts : window->min;
	window->max = counts > window->max ? counts : window->max;
	if (++window->count == onset->window_count) {
		end_window(onset);
	}
}

/**
 * A PWM near half the rate beats with the samples: for a while they sit on its slopes, and edges
 * are missed. What is much longer than the shortest period is therefore not counted as one.
 */
static void mark_rise(struct rig_onset_span *span)
{
	uint32_t since = span->now.count - span->last.count;

	if (span->edges == 0u) {
		span->first = span->now;
	} else {
		span->shortest = since < span->shortest ? since : span->shortest;
		if (since <= 2u * span->shortest + 1u) {
			span->periods++;
			span->period_samples += since;
		}
	}
	span->last = span->now;
	span->edges++;
}

/** Whether the ripple is none, or three quarters of the span or more are periods that are alike. */
static bool is_periodic(const struct rig_onset *onset)
{
	const struct rig_onset_span *span = &onset->span;

	return span->rise == UINT16_MAX ||
	       (span->periods >= PERIODS_MIN &&
		span->period_samples >= span->now.count - span->now.count / 4u);
}

/**
 * A PWM of some kHz and more has a few samples a period, and its short part is missed now and then.
 * Where each millisecond is as bright as the next, its mean period will do.
 */
static bool is_fast(const struct rig_onset *onset)
{
	const struct rig_onset_span *span = &onset->span;
	uint64_t net = span->now.sum / span->now.count;

	net = net * RIG_COUNT_Q8 > onset->base_q8 ? net - onset->base_q8 / RIG_COUNT_Q8 : 0u;
	return span->periods >= PERIODS_MIN &&
	       span->ms_most - span->ms_least <= net * onset->ms_count / FAST_PART;
}

static void take_mean_period(struct rig_onset_span *span)
{
	span->periods = span->edges - 1u;
	span->period_samples = span->last.count - span->first.count;
}

/**
 * Means of quarters differ by up to one light part of a period, or one dark one: T / 2. Before
 * there are periods nobody can say.
 */
static uint32_t quarter_slack_q8(const struct rig_onset *onset)
{
	const struct rig_onset_span *span = &onset->span;
	uint64_t ripple_q8 = 4u * (uint32_t)(span->rise - span->fall) * RIG_COUNT_Q8;

	if (span->rise == UINT16_MAX) {
		return 0;
	}
	if (span->periods < PERIODS_MIN) {
		return UINT32_MAX / 2u;
	}
	return (uint32_t)(ripple_q8 * span->shortest / (2u * onset->quarter_count));
}

/** A span that moved, or rippled without a period, was none: look for another. */
static void give_up_span(struct rig_onset *onset)
{
	onset->moved = true;
	onset->phase = RIG_PHASE_RISING;
	onset->before_q8 = 0;
	open_window(onset);
}

static void end_span(struct rig_onset *onset)
{
	if (is_periodic(onset)) {
		onset->phase = RIG_PHASE_SETTLED;
	} else if (is_fast(onset)) {
		take_mean_period(&onset->span);
		onset->phase = RIG_PHASE_SETTLED;
	} else {
		give_up_span(onset);
	}
}

static void end_quarter(struct rig_onset *onset)
{
	struct rig_onset_span *span = &onset->span;
	uint64_t sum = span->now.sum - span->quarter_sum;
	uint32_t mean_q8 = (uint32_t)((sum << RIG_Q8) / onset->quarter_count);

	span->least_q8 = mean_q8 < span->least_q8 ? mean_q8 : span->least_q8;
	span->most_q8 = mean_q8 > span->most_q8 ? mean_q8 : span->most_q8;
	span->quarter_sum = span->now.sum;
	span->quarter_end += onset->quarter_count;
	if (!is_still(onset, span->least_q8, span->most_q8, quarter_slack_q8(onset))) {
		give_up_span(onset);
	} else if (span->now.count == QUARTERS * onset->quarter_count) {
		end_span(onset);
	}
}

static void end_ms(struct rig_onset *onset)
{
	struct rig_onset_span *span = &onset->span;
	uint32_t sum = (uint32_t)(span->now.sum - span->ms_sum);

	span->ms_least = sum < span->ms_least ? sum : span->ms_least;
	span->ms_most = sum > span->ms_most ? sum : span->ms_most;
	span->ms_sum = span->now.sum;
	span->ms_end += onset->ms_count;
}

static void sample_settling(struct rig_onset *onset, uint16_t counts)
{
	struct rig_onset_span *span = &onset->span;

	if (span->is_high) {
		span->is_high = counts >= span->fall;
	} else if (counts > span->rise) {
		span->is_high = true;
		mark_rise(span);
	}
	span->now.count++;
	span->now.high += span->is_high ? 1u : 0u;
	span->now.sum += counts;
	if (span->now.count == span->ms_end) {
		end_ms(onset);
	}
	if (span->now.count == span->quarter_end) {
		end_quarter(onset);
	}
}

/* ------------------------------------------------------------------------------ one sample -- */

static void sample_light(struct rig_onset *onset, uint16_t counts)
{
	onset->peak = counts > onset->peak ? counts : onset->peak;
	onset->clipped += counts >= onset->config.full_scale ? 1u : 0u;
}

void rig_onset_sample(struct rig_onset *onset, uint64_t t_ns, uint16_t counts)
{
	if (!rig_onset_is_running(onset)) {
		return;
	}
	if (!is_due(onset, t_ns)) {
		onset->phase = RIG_PHASE_LOST;
		return;
	}
	if (onset->index == 0u) {
		onset->begun_ns = t_ns;
	}
	keep(onset, counts);
	if (onset->phase == RIG_PHASE_BASELINE) {
		sample_baseline(onset, counts);
	} else {
		if (onset->phase == RIG_PHASE_DARK) {
			sample_dark(onset, t_ns, counts);
		} else if (onset->phase == RIG_PHASE_CONFIRMING) {
			sample_confirming(onset, counts);
		} else if (onset->phase == RIG_PHASE_RISING) {
			sample_rising(onset, counts);
		} else {
			sample_settling(onset, counts);
		}
		sample_light(onset, counts);
	}
	onset->index++;
}
