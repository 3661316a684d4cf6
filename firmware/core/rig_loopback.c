/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loop-back: what is to be driven when, and which edge belongs to which change. The interlock
 * drives.
 *
 * The gap before a change runs from when the one before was really driven, so that a late tick
 * makes a loop-back longer and no gap shorter.
 */
#include "rig_internal.h"

/** The time that the last change's edges have: two mean gaps, as those of any other about have. */
#define LAST_GAPS 2u

uint64_t rig_loopback_deadline(const struct rig_loopback *loopback)
{
	return loopback->state == RIG_LOOPBACK_RUNNING ? loopback->next_ns : UINT64_MAX;
}

/* -------------------------------------------------------------------------------- start -- */

enum rig_error rig_loopback_plan_error(const struct rig_loopback_plan *plan,
				       const struct rig_config *config)
{
	const struct rig_actuator_config *actuator = &config->actuators[plan->actuator];
	uint64_t longest_ns = plan->gap_ns + plan->gap_ns / 2u;

	if (plan->wired == 0u || plan->wired >> (config->channel_count - 1u) > 1u) {
		return RIG_ERR_NO_CHANNEL;
	}
	if (plan->count < RIG_LOOPBACK_CHANGES_MIN || plan->gap_ns < RIG_LOOPBACK_GAP_MIN_NS) {
		return RIG_ERR_TOO_SHORT;
	}
	if (plan->count > RIG_LOOPBACK_CHANGES_MAX || plan->gap_ns > RIG_LOOPBACK_GAP_MAX_NS ||
	    (actuator->kind == RIG_ACTUATOR_PRESS && longest_ns > actuator->max_press_ns)) {
		return RIG_ERR_TOO_LONG;
	}
	return RIG_OK;
}

/** xorshift32: no more than that the gaps differ is asked of it. */
static uint32_t draw(struct rig_loopback *loopback)
{
	loopback->random ^= loopback->random << 13;
	loopback->random ^= loopback->random >> 17;
	loopback->random ^= loopback->random << 5;
	return loopback->random;
}

/** Half to one and a half times the mean; what one gap has more, the next one has less. */
static uint64_t next_gap(struct rig_loopback *loopback)
{
	uint64_t gap_ns = loopback->gap_ns;

	if (loopback->done % 2u == 0u) {
		uint64_t part_ns = gap_ns * (draw(loopback) >> 16) >> 16;

		loopback->longer_ns = (int64_t)part_ns - (int64_t)(gap_ns / 2u);
		return gap_ns - gap_ns / 2u + part_ns;
	}
	return (uint64_t)((int64_t)gap_ns - loopback->longer_ns);
}

void rig_loopback_begin(struct rig_loopback *loopback, const struct rig_loopback_plan *plan,
			uint32_t levels, uint64_t now_ns)
{
	uint32_t count = (uint32_t)plan->count + (uint32_t)(plan->count % 2u);
	struct rig_replay replay = loopback->replay;

	rig_replay_keep(&replay,
			&(struct rig_answer){
				.token = plan->token,
				.start_ns = now_ns,
				.end_ns = rig_add_ns(now_ns, (count + LAST_GAPS) * plan->gap_ns),
			});
	*loopback = (struct rig_loopback){
		.state = RIG_LOOPBACK_RUNNING,
		.actuator = plan->actuator,
		.wired = plan->wired,
		.count = count,
		.gap_ns = plan->gap_ns,
		/* 0 is the one state that it does not leave. */
		.random = plan->token != 0u ? plan->token : 1u,
		.replay = replay,
	};
	for (uint32_t i = 0; i < RIG_MAX_CHANNELS; i++) {
		loopback->channels[i].idle_level = ((levels >> i) & 1u) != 0u;
	}
	loopback->next_ns = rig_add_ns(now_ns, next_gap(loopback));
}

/* -------------------------------------------------------------------------------- changes -- */

/** A change to this level, or the end: what is still awaited of the last one was missed. */
static void give_up(struct rig_loopback *loopback, bool driven)
{
	for (uint32_t i = 0; i < RIG_MAX_CHANNELS; i++) {
		struct rig_loopback_channel *channel = &loopback->channels[i];

		channel->missed += channel->awaited[driven] ? 1u : 0u;
		channel->awaited[driven] = false;
	}
}

static void await(struct rig_loopback *loopback, bool driven)
{
	for (uint32_t i = 0; i < RIG_MAX_CHANNELS; i++) {
		loopback->channels[i].awaited[driven] = ((loopback->wired >> i) & 1u) != 0u;
	}
}

/** A wire that brings neither edge of a pulse is not there, and what is may be a DUT's button. */
static bool lacks_a_wire(const struct rig_loopback *loopback)
{
	bool lacks = false;

	for (uint32_t i = 0; i < RIG_MAX_CHANNELS; i++) {
		const struct rig_loopback_channel *channel = &loopback->channels[i];

		lacks = lacks || (channel->awaited[false] && channel->awaited[true]);
	}
	return lacks;
}

static void end(struct rig_loopback *loopback, enum rig_loopback_state state)
{
	give_up(loopback, false);
	give_up(loopback, true);
	loopback->state = state;
}

enum rig_loopback_step rig_loopback_turn(struct rig_loopback *loopback)
{
	bool driven = loopback->done % 2u == 0u;

	if (loopback->done == loopback->count) {
		end(loopback, RIG_LOOPBACK_DONE);
		return RIG_LOOPBACK_NOTHING;
	}
	if (driven && lacks_a_wire(loopback)) {
		end(loopback, RIG_LOOPBACK_STOPPED);
		return RIG_LOOPBACK_NOTHING;
	}
	give_up(loopback, driven);
	await(loopback, driven);
	loopback->done++;
	return driven ? RIG_LOOPBACK_DRIVE : RIG_LOOPBACK_RELEASE;
}

void rig_loopback_changed(struct rig_loopback *loopback, bool driven, uint64_t before_ns,
			  uint64_t after_ns, uint64_t now_ns)
{
	uint64_t held_ns = after_ns - before_ns;
	uint64_t gap_ns = loopback->done == loopback->count ? LAST_GAPS * loopback->gap_ns
							    : next_gap(loopback);

	held_ns = held_ns < UINT32_MAX ? held_ns : UINT32_MAX;
	loopback->held_ns = (uint32_t)rig_max_ns(loopback->held_ns, held_ns);
	loopback->changed_ns[driven] = before_ns;
	loopback->next_ns = rig_add_ns(rig_max_ns(now_ns, before_ns), gap_ns);
}

void rig_loopback_stop(struct rig_loopback *loopback)
{
	if (loopback->state == RIG_LOOPBACK_RUNNING) {
		loopback->state = RIG_LOOPBACK_STOPPED;
	}
}

/* ----------------------------------------------------------------------------------- edges -- */

bool rig_loopback_edge(struct rig_loopback *loopback, uint32_t channel, bool level, uint64_t t_ns)
{
	struct rig_loopback_channel *seen = &loopback->channels[channel];
	bool driven = level != seen->idle_level;
	int64_t latency_ns = (int64_t)(t_ns - loopback->changed_ns[driven]);

	if (loopback->state != RIG_LOOPBACK_RUNNING || ((loopback->wired >> channel) & 1u) == 0u) {
		return false;
	}
	if (!seen->awaited[driven] || latency_ns > INT32_MAX || latency_ns < -INT32_MAX) {
		seen->extra++;
		return true;
	}
	seen->awaited[driven] = false;
	rig_moments_add(&seen->latency, (int32_t)latency_ns);
	return true;
}

void rig_loopback_lose(struct rig_loopback *loopback, uint32_t count)
{
	if (loopback->state == RIG_LOOPBACK_RUNNING) {
		loopback->lost += count;
	}
}

bool rig_loopback_ended_well(const struct rig_loopback *loopback)
{
	bool well = loopback->state == RIG_LOOPBACK_DONE && loopback->lost == 0u;

	for (uint32_t i = 0; i < RIG_MAX_CHANNELS; i++) {
		const struct rig_loopback_channel *channel = &loopback->channels[i];
		bool wired = ((loopback->wired >> i) & 1u) != 0u;

		well = well && (!wired || (channel->latency.count == loopback->count &&
					   channel->extra == 0u));
	}
	return well;
}
