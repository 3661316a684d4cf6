/* SPDX-License-Identifier: Apache-2.0 */
/* The photodiode's samples, condensed to blocks of one millisecond. */
#include "rig_internal.h"

static void close_block(struct rig_light *light)
{
	if (light->count == 0u) {
		return;
	}
	light->slots[rig_numbering_claim(&light->numbers)] = (struct rig_light_block){
		.t_ns = light->block_start_ns,
		.min = light->min,
		.mean = (uint16_t)((light->sum + light->count / 2u) / light->count),
		.max = light->max,
	};
	light->count = 0;
}

static void open_block(struct rig_light *light, uint64_t t_ns)
{
	/* The one division of 64 bits is here, once in a block. */
	light->block_start_ns = t_ns;
	light->block_end_ns = rig_add_ns(t_ns - t_ns % RIG_NS_PER_MS, RIG_NS_PER_MS);
	light->sum = 0;
	light->min = UINT16_MAX;
	light->max = 0;
}

void rig_light_init(struct rig_light *light, struct rig_light_block *slots, uint32_t capacity,
		    const struct rig_onset_config *onset)
{
	*light = (struct rig_light){
		.slots = slots,
		.onset = {.config = *onset,
			  .plan = {.base_ns = RIG_ONSET_BASE_NS, .settle_ns = RIG_ONSET_SETTLE_NS}},
	};
	rig_numbering_init(&light->numbers, capacity);
}

void rig_light_expire(struct rig_light *light, uint64_t now_ns)
{
	if (now_ns >= light->armed_until_ns) {
		close_block(light);
	}
}

void rig_light_arm(struct rig_light *light, uint64_t now_ns, uint64_t until_ns)
{
	rig_light_expire(light, now_ns);
	if (!rig_light_is_recording(light, now_ns)) {
		rig_onset_begin(&light->onset);
	}
	light->armed_until_ns = until_ns;
}

void rig_light_sample(struct rig_light *light, uint64_t t_ns, uint16_t counts)
{
	rig_light_expire(light, t_ns);
	if (t_ns >= light->armed_until_ns) {
		return;
	}
	if (light->count > 0u && t_ns >= light->block_end_ns) {
		close_block(light);
	}
	if (light->count == 0u) {
		open_block(light, t_ns);
	}
	light->sum += counts;
	light->count++;
	light->min = counts < light->min ? counts : light->min;
	light->max = counts > light->max ? counts : light->max;
	rig_onset_sample(&light->onset, t_ns, counts);
}

void rig_light_samples(struct rig_light *light, uint64_t t_ns, const uint16_t *counts,
		       uint32_t count)
{
	uint32_t rate_hz = light->onset.config.rate_hz;
	uint32_t step_ns = rate_hz > 0u ? (uint32_t)RIG_NS_PER_S / rate_hz : 0u;
	uint32_t rest = rate_hz > 0u ? (uint32_t)RIG_NS_PER_S % rate_hz : 0u;
	uint32_t owed = 0;

	for (uint32_t i = 0; i < count && rate_hz > 0u; i++) {
		rig_light_sample(light, t_ns, counts[i]);
		/* The parts of a nanosecond add up, without a division. */
		owed += rest;
		t_ns += step_ns + (owed >= rate_hz ? 1u : 0u);
		owed -= owed >= rate_hz ? rate_hz : 0u;
	}
}
