/* SPDX-License-Identifier: Apache-2.0 */
/* The photodiode's samples, condensed to blocks of one millisecond. */
#include "rig_internal.h"

#define NS_PER_MS 1000000u

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
	light->block_start_ns = t_ns;
	light->sum = 0;
	light->min = UINT16_MAX;
	light->max = 0;
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
	light->armed_until_ns = until_ns;
}

void rig_light_sample(struct rig_light *light, uint64_t t_ns, uint16_t counts)
{
	rig_light_expire(light, t_ns);
	if (t_ns >= light->armed_until_ns) {
		return;
	}
	if (light->count > 0u && t_ns / NS_PER_MS > light->block_start_ns / NS_PER_MS) {
		close_block(light);
	}
	if (light->count == 0u) {
		open_block(light, t_ns);
	}
	light->sum += counts;
	light->count++;
	light->min = counts < light->min ? counts : light->min;
	light->max = counts > light->max ? counts : light->max;
}
