/* SPDX-License-Identifier: Apache-2.0 */
/* Start of the core, and the edges that come into it. */
#include "rig_internal.h"

#include <errno.h>
#include <string.h>

static bool has_texts(const struct rig_config *config)
{
	return config->firmware != NULL && config->board != NULL && config->clock_source != NULL &&
	       config->reset_reason != NULL;
}

static bool is_count(uint32_t count, uint32_t max)
{
	return count >= 1u && count <= max;
}

static bool has_lines(const struct rig_config *config)
{
	return config->channels != NULL && is_count(config->channel_count, RIG_MAX_CHANNELS) &&
	       config->actuators != NULL && is_count(config->actuator_count, RIG_MAX_ACTUATORS);
}

/** Sizes end at INT32_MAX, as rig_edge_ring_read() returns a count or an error in one int. */
static bool has_rings(const struct rig_config *config)
{
	bool light = config->light_slots != NULL && is_count(config->light_capacity, INT32_MAX);
	bool no_light = config->light_slots == NULL && config->light_capacity == 0u;

	bool onset = rig_onset_is_sound(&config->onset) && (light || config->onset.slots == NULL);

	bool power = config->power.slots == NULL
			     ? config->power.capacity == 0u
			     : is_count(config->power.capacity, INT32_MAX) &&
				       config->power.period_ns > 0u &&
				       config->power.window_ns <= config->power.period_ns &&
				       config->power.shunt_uohm > 0u;

	return config->edge_slots != NULL && is_count(config->edge_capacity, INT32_MAX) &&
	       (light || no_light) && onset && power;
}

/** Where presses are capped, the longest one has room in the window. */
static bool has_room_in_window(const struct rig_actuator_config *actuator)
{
	return actuator->window_ns == 0u || actuator->kind == RIG_ACTUATOR_HOLD ||
	       actuator->kind == RIG_ACTUATOR_CONTACT ||
	       (actuator->max_press_ns <= actuator->max_driven_ns &&
		actuator->max_driven_ns <= actuator->window_ns);
}

static bool has_limits(const struct rig_config *config)
{
	bool sound = true;

	for (uint32_t i = 0; i < config->actuator_count; i++) {
		sound = sound && has_room_in_window(&config->actuators[i]);
	}
	return sound;
}

/** A store has a name, and what it can keep is needed only with one. */
static bool has_records(const struct rig_config *config)
{
	return (config->store == NULL || config->store_name != NULL) &&
	       config->past_count <= RIG_MAX_PAST &&
	       (config->past != NULL || config->past_count == 0u);
}

int rig_core_init(struct rig_core *core, const struct rig_config *config, uint32_t levels)
{
	if (!has_texts(config) || !has_lines(config) || !has_limits(config) || !has_rings(config) ||
	    !has_records(config) || config->lease_ns == 0u || config->nonce == 0u ||
	    config->nonce > INT64_MAX || config->now_ns == NULL || config->drive == NULL) {
		return -EINVAL;
	}
	/* In two steps: a literal with the configuration in it would take its size in stack. */
	memset(core, 0, sizeof(*core));
	core->config = *config;
	core->levels = levels & (UINT32_MAX >> (32u - config->channel_count));
	rig_edge_ring_init(&core->edges, config->edge_slots, config->edge_capacity);
	rig_light_init(&core->light, config->light_slots, config->light_capacity, &config->onset);
	rig_numbering_init(&core->power, config->power.capacity);
	rig_calibration_load(core);
	rig_core_release(core);
	for (uint32_t i = 0; i < config->actuator_count; i++) {
		core->actuators[i].released_ns = config->now_ns(config->context);
	}
	return 0;
}

void rig_core_edge(struct rig_core *core, uint32_t channel, bool level, uint64_t t_ns)
{
	uint32_t bit;

	if (channel >= core->config.channel_count) {
		return;
	}
	bit = 1u << channel;
	if (((core->levels & bit) != 0u) == level) {
		return;
	}
	core->levels ^= bit;
	if (rig_loopback_edge(&core->loopback, channel, level, t_ns)) {
		return;
	}
	rig_edge_ring_push(&core->edges, &(struct rig_edge){
						 .t_ns = t_ns,
						 .channel = (uint8_t)channel,
						 .level = level ? 1u : 0u,
					 });
}

void rig_core_lose_edges(struct rig_core *core, uint32_t count)
{
	core->edges.numbers.overruns += count;
	rig_loopback_lose(&core->loopback, count);
}

void rig_core_lose_light(struct rig_core *core, uint32_t count)
{
	core->light.numbers.overruns += count;
}
