/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The actuator interlock: what may be driven, when it is driven, and that it is let go.
 *
 * Everything that happens later than its request is an event with a time: an action starts, a press
 * or a hold ends, a loop-back goes on, the host's lease runs out. Events are done in the order of
 * their times, however late the tick is that does them.
 *
 * Plans bound a press. The DUT has a wire, and an embedded controller that debounces it: what it
 * may see is bounded by when the output was really driven and released.
 */
#include "rig_internal.h"

#include <string.h>

#define NEVER UINT64_MAX

enum event_kind { LEASE_ENDS, ACTION_DUE, LOOPBACK_DUE, LEAVING_DUE };

/** The next thing to do. */
struct event {
	uint64_t t_ns;
	enum event_kind kind;
	/** of an action */
	uint32_t actuator;
};

static bool is_hold(const struct rig_core *core, uint32_t actuator)
{
	enum rig_actuator_kind kind = core->config.actuators[actuator].kind;

	return kind == RIG_ACTUATOR_HOLD || kind == RIG_ACTUATOR_CONTACT;
}

/* --------------------------------------------------------------------------------- output -- */

/**
 * Keep a spell. Short ones that follow each other become one, which counts as if all of it had
 * ended last: by so little that the spells kept reach over a window, and one that gives way is
 * older.
 */
static void keep_spell(struct rig_actuator *state, uint64_t window_ns,
		       const struct rig_spell *spell)
{
	struct rig_spell *newest =
		state->spell_count > 0u ? &state->spells[state->spell_count - 1u] : NULL;

	if (newest != NULL && spell->end_ns - newest->begin_ns <= window_ns / (RIG_SPELLS - 1u)) {
		newest->end_ns = spell->end_ns;
		newest->driven_ns += spell->driven_ns;
		return;
	}
	if (state->spell_count == RIG_SPELLS) {
		state->spell_count--;
		memmove(&state->spells[0], &state->spells[1],
			state->spell_count * sizeof(state->spells[0]));
	}
	state->spells[state->spell_count++] = *spell;
}

static void note(struct rig_core *core, uint32_t actuator, bool driven, uint64_t t_ns)
{
	struct rig_actuator *state = &core->actuators[actuator];

	if (driven && !state->driven) {
		state->driven_ns = t_ns;
	}
	if (!driven && state->driven) {
		state->released_ns = t_ns;
		if (!is_hold(core, actuator) && !state->force) {
			keep_spell(state, core->config.actuators[actuator].window_ns,
				   &(struct rig_spell){
					   .begin_ns = state->driven_ns,
					   .end_ns = t_ns,
					   .driven_ns = t_ns - state->driven_ns,
				   });
		}
	}
	state->driven = driven;
}

static void drive(struct rig_core *core, uint32_t actuator, bool driven)
{
	const struct rig_config *config = &core->config;

	config->drive(config->context, actuator, driven);
	note(core, actuator, driven, config->now_ns(config->context));
}

bool rig_interlock_is_driven(const struct rig_core *core, uint32_t actuator)
{
	return core->actuators[actuator].driven;
}

static uint64_t left_of_release(const struct rig_core *core, uint32_t actuator, uint64_t start_ns)
{
	const struct rig_actuator *state = &core->actuators[actuator];
	uint64_t free_ns =
		rig_add_ns(state->released_ns, core->config.actuators[actuator].min_release_ns);

	return start_ns < free_ns ? free_ns - start_ns : 0u;
}

/**
 * Spells lie one behind the other, so of all windows the one that ends with the press has most in
 * it. It is moved on until so much of the oldest is out of it that the press has room.
 *
 * @return how much later than planned a press may start
 */
static uint64_t left_of_window(const struct rig_core *core, const struct rig_action *action,
			       uint64_t end_ns)
{
	const struct rig_actuator *state = &core->actuators[action->actuator];
	const struct rig_actuator_config *config = &core->config.actuators[action->actuator];
	uint64_t begin_ns = end_ns > config->window_ns ? end_ns - config->window_ns : 0u;
	uint64_t from_ns = begin_ns;
	uint64_t sum_ns = action->duration_ns;
	bool full;

	for (uint32_t i = 0; i < state->spell_count; i++) {
		sum_ns += rig_spell_since(&state->spells[i], begin_ns);
	}
	full = sum_ns > config->max_driven_ns;
	for (uint32_t i = 0; i < state->spell_count && sum_ns > config->max_driven_ns; i++) {
		uint64_t in_ns = rig_spell_since(&state->spells[i], from_ns);
		uint64_t out_ns = sum_ns - config->max_driven_ns;

		if (in_ns == 0u) {
			continue;
		}
		out_ns = out_ns < in_ns ? out_ns : in_ns;
		from_ns = state->spells[i].end_ns - in_ns + out_ns;
		sum_ns -= out_ns;
	}
	return full ? from_ns + config->window_ns - end_ns : 0u;
}

/* --------------------------------------------------------------------------------- events -- */

static bool is_looping(const struct rig_core *core)
{
	return core->loopback.state == RIG_LOOPBACK_RUNNING;
}

bool rig_interlock_is_idle(const struct rig_core *core)
{
	bool idle = !is_looping(core);

	for (uint32_t i = 0; i < core->config.actuator_count; i++) {
		idle = idle && core->actuators[i].state == RIG_ACTION_IDLE;
	}
	return idle;
}

bool rig_interlock_is_quiet(const struct rig_core *core)
{
	for (uint32_t i = 0; i < core->config.actuator_count; i++) {
		bool held = is_hold(core, i) && core->actuators[i].state == RIG_ACTION_DRIVEN;

		if (core->actuators[i].state != RIG_ACTION_IDLE && !held) {
			return false;
		}
	}
	return !is_looping(core);
}

static uint64_t event_time(const struct rig_actuator *state)
{
	switch (state->state) {
	case RIG_ACTION_IDLE:
		return NEVER;
	case RIG_ACTION_SCHEDULED:
		return state->start_ns;
	case RIG_ACTION_DRIVEN:
		return state->end_ns;
	}
	return NEVER;
}

/** What comes first but for the lease. */
static struct event next_due(const struct rig_core *core)
{
	struct event next = {.t_ns = rig_loopback_deadline(&core->loopback), .kind = LOOPBACK_DUE};

	if (core->leave_ns > 0u) {
		/* Nothing else is under way. */
		return (struct event){.t_ns = core->leave_ns, .kind = LEAVING_DUE};
	}
	for (uint32_t i = 0; i < core->config.actuator_count; i++) {
		uint64_t t_ns = event_time(&core->actuators[i]);

		if (t_ns < next.t_ns) {
			next = (struct event){.t_ns = t_ns, .kind = ACTION_DUE, .actuator = i};
		}
	}
	return next;
}

/** A press that ends with the lease ends by itself; nothing starts on a lease that is over. */
static struct event next_event(const struct rig_core *core)
{
	struct event next = next_due(core);

	if (core->lease_running && !rig_interlock_is_idle(core)) {
		uint64_t over_ns = rig_add_ns(core->last_contact_ns, core->config.lease_ns);
		bool press_ends = next.t_ns == over_ns && next.kind == ACTION_DUE &&
				  core->actuators[next.actuator].state == RIG_ACTION_DRIVEN;

		if (over_ns <= next.t_ns && !press_ends) {
			next = (struct event){.t_ns = over_ns, .kind = LEASE_ENDS};
		}
	}
	return next;
}

static void let_go(struct rig_core *core, uint32_t actuator)
{
	core->actuators[actuator].state = RIG_ACTION_IDLE;
	drive(core, actuator, false);
}

/** A host that is there asks now and then; what is done at once was asked for just now. */
static bool has_lost_its_host(const struct rig_core *core, const struct rig_actuator *state)
{
	uint64_t heard_ns = rig_max_ns(core->last_contact_ns, state->asked_ns);

	return rig_add_ns(heard_ns, core->config.lease_ns / RIG_SILENCES) < state->start_ns;
}

static void start(struct rig_core *core, uint32_t actuator)
{
	struct rig_actuator *state = &core->actuators[actuator];

	if (is_hold(core, actuator) && !state->target) {
		let_go(core, actuator);
		return;
	}
	if (has_lost_its_host(core, state)) {
		state->state = RIG_ACTION_IDLE;
		core->lease_expiries++;
		return;
	}
	state->state = RIG_ACTION_DRIVEN;
	drive(core, actuator, true);
}

static void end_lease(struct rig_core *core)
{
	rig_core_release(core);
	core->lease_running = false;
	core->lease_expiries++;
}

static void do_action(struct rig_core *core, uint32_t actuator)
{
	switch (core->actuators[actuator].state) {
	case RIG_ACTION_IDLE:
		break;
	case RIG_ACTION_SCHEDULED:
		start(core, actuator);
		break;
	case RIG_ACTION_DRIVEN:
		let_go(core, actuator);
		break;
	}
}

/** A change of the output, with the clock read just before and just after. */
static void turn_loop(struct rig_core *core, uint64_t now_ns)
{
	struct rig_loopback *loopback = &core->loopback;
	const struct rig_config *config = &core->config;
	enum rig_loopback_step step = rig_loopback_turn(loopback);
	bool driven = step == RIG_LOOPBACK_DRIVE;
	uint64_t before_ns;
	uint64_t after_ns;

	if (step == RIG_LOOPBACK_NOTHING) {
		return;
	}
	before_ns = config->now_ns(config->context);
	config->drive(config->context, loopback->actuator, driven);
	after_ns = config->now_ns(config->context);
	note(core, loopback->actuator, driven, after_ns);
	rig_loopback_changed(loopback, driven, before_ns, after_ns, now_ns);
}

static void do_event(struct rig_core *core, const struct event *event, uint64_t now_ns)
{
	switch (event->kind) {
	case LEASE_ENDS:
		end_lease(core);
		break;
	case ACTION_DUE:
		do_action(core, event->actuator);
		break;
	case LOOPBACK_DUE:
		turn_loop(core, now_ns);
		break;
	case LEAVING_DUE:
		core->leave_ns = 0;
		rig_core_release(core);
		core->config.leave(core->config.context);
		break;
	}
}

void rig_core_tick(struct rig_core *core, uint64_t now_ns)
{
	struct event next = next_event(core);

	/* Ends: each event takes an actuator one state on, and none but a request brings it back; a
	 * loop-back makes one change and is not due again before now_ns is over.
	 */
	while (next.t_ns <= now_ns && next.t_ns != NEVER) {
		do_event(core, &next, now_ns);
		next = next_event(core);
	}
	rig_light_expire(&core->light, now_ns);
}

uint64_t rig_core_deadline(const struct rig_core *core)
{
	return next_event(core).t_ns;
}

void rig_core_release(struct rig_core *core)
{
	rig_loopback_stop(&core->loopback);
	for (uint32_t i = 0; i < core->config.actuator_count; i++) {
		let_go(core, i);
	}
}

/** @return whether nobody else's action is under way */
static bool is_free_for(const struct rig_core *core, const struct rig_host *host)
{
	return rig_interlock_is_idle(core) ||
	       (core->owner.named == host->named && core->owner.number == host->number);
}

static void renew(struct rig_core *core, const struct rig_host *host, uint64_t heard_ns)
{
	if (is_free_for(core, host)) {
		core->last_contact_ns = rig_max_ns(core->last_contact_ns, heard_ns);
		core->lease_running = true;
	}
}

void rig_interlock_contact(struct rig_core *core, const struct rig_host *host, uint64_t rx_ns,
			   uint64_t now_ns)
{
	uint64_t heard_ns = rx_ns < now_ns ? rx_ns : now_ns;

	/* What the lease had already ended when the request arrived stays ended. */
	rig_core_tick(core, heard_ns);
	renew(core, host, heard_ns);
	rig_core_tick(core, now_ns);
	/* Another host's action may have ended since: what this one starts has a lease, too. */
	renew(core, host, heard_ns);
}

/* -------------------------------------------------------------------------------- actions -- */

/** Set the time of an action; refuse one that is over or beyond the lease. */
static enum rig_error start_time(const struct rig_core *core, const struct rig_action *action,
				 uint64_t now_ns, uint64_t *start_ns)
{
	if (!action->has_at) {
		*start_ns = now_ns;
		return RIG_OK;
	}
	if (action->at_ns < now_ns) {
		return RIG_ERR_TOO_LATE;
	}
	if (action->at_ns > rig_add_ns(now_ns, core->config.lease_ns)) {
		return RIG_ERR_TOO_EARLY;
	}
	*start_ns = action->at_ns;
	return RIG_OK;
}

static enum rig_error duration_error(const struct rig_actuator_config *config,
				     const struct rig_action *action)
{
	uint64_t max_ns = action->force ? config->max_force_ns : config->max_press_ns;

	if (action->duration_ns == 0u) {
		return RIG_ERR_TOO_SHORT;
	}
	return action->duration_ns > max_ns ? RIG_ERR_TOO_LONG : RIG_OK;
}

static void accept(struct rig_core *core, const struct rig_action *action, uint64_t start_ns,
		   uint64_t end_ns, uint64_t now_ns)
{
	struct rig_actuator *state = &core->actuators[action->actuator];
	/* A host takes the end that it is told for the one that it asked for, and waits for it. */
	uint64_t answered_ns = is_hold(core, action->actuator) ? NEVER : end_ns;

	rig_replay_keep(&state->replay, &(struct rig_answer){.token = action->token,
							     .start_ns = start_ns,
							     .end_ns = answered_ns});
	core->owner = action->host;
	state->state = RIG_ACTION_SCHEDULED;
	state->force = action->force;
	state->target = action->closed;
	state->asked_ns = now_ns;
	state->start_ns = start_ns;
	state->end_ns = end_ns;
	rig_core_tick(core, now_ns);
}

/** What is asked of both kinds of actuators; a repeat is told from an action that is done. */
static enum rig_error action_error(const struct rig_core *core, const struct rig_action *action,
				   bool hold, bool *repeat)
{
	enum rig_error error = RIG_OK;

	if (action->force) {
		error = rig_core_sight_error(core, action->boot_id, action->nonce);
	} else if (rig_core_is_other_boot(core, action->boot_id)) {
		error = RIG_ERR_OTHER_BOOT;
	}
	if (error != RIG_OK) {
		return error;
	}
	if (action->actuator >= core->config.actuator_count ||
	    is_hold(core, action->actuator) != hold) {
		return RIG_ERR_NO_ACTUATOR;
	}
	*repeat = rig_replay_find(&core->actuators[action->actuator].replay, action->token) != NULL;
	return *repeat || is_free_for(core, &action->host) ? RIG_OK : RIG_ERR_OTHER_HOST;
}

/** Refuse what would look like a longer press to the DUT, and say how much later it would not. */
static enum rig_error wear_error(const struct rig_core *core, struct rig_action *action,
				 uint64_t start_ns)
{
	bool capped = !is_hold(core, action->actuator) && !action->force &&
		      core->config.actuators[action->actuator].window_ns > 0u;

	action->left_ns = left_of_release(core, action->actuator, start_ns);
	if (action->left_ns > 0u) {
		return RIG_ERR_TOO_SOON;
	}
	if (capped) {
		action->left_ns =
			left_of_window(core, action, rig_add_ns(start_ns, action->duration_ns));
	}
	return action->left_ns > 0u ? RIG_ERR_TOO_MUCH : RIG_OK;
}

static enum rig_error press(struct rig_core *core, struct rig_action *action, uint64_t now_ns)
{
	uint64_t start_ns;
	bool repeat;
	enum rig_error error = action_error(core, action, false, &repeat);

	if (error != RIG_OK || repeat) {
		return error;
	}
	error = duration_error(&core->config.actuators[action->actuator], action);
	if (error != RIG_OK) {
		return error;
	}
	if (core->actuators[action->actuator].state != RIG_ACTION_IDLE || is_looping(core) ||
	    core->leave_ns > 0u) {
		return RIG_ERR_BUSY;
	}
	error = start_time(core, action, now_ns, &start_ns);
	if (error == RIG_OK) {
		error = wear_error(core, action, start_ns);
	}
	if (error == RIG_OK) {
		accept(core, action, start_ns, rig_add_ns(start_ns, action->duration_ns), now_ns);
	}
	return error;
}

static enum rig_error hold(struct rig_core *core, struct rig_action *action, uint64_t now_ns)
{
	struct rig_actuator *state;
	uint64_t max_ns;
	uint64_t start_ns;
	bool repeat;
	enum rig_error error = action_error(core, action, true, &repeat);

	if (error != RIG_OK || repeat) {
		return error;
	}
	state = &core->actuators[action->actuator];
	max_ns = core->config.actuators[action->actuator].max_hold_ns;
	if (state->state == RIG_ACTION_SCHEDULED || is_looping(core) || core->leave_ns > 0u) {
		return RIG_ERR_BUSY;
	}
	error = start_time(core, action, now_ns, &start_ns);
	if (error != RIG_OK) {
		return error;
	}
	if (action->closed == state->driven) {
		/* As it should be: the answer is that of a change, and a hold is not made longer.
		 */
		rig_replay_keep(&state->replay, &(struct rig_answer){.token = action->token,
								     .start_ns = start_ns,
								     .end_ns = NEVER});
		return RIG_OK;
	}
	if (action->closed) {
		error = wear_error(core, action, start_ns);
		if (error == RIG_OK) {
			accept(core, action, start_ns,
			       max_ns > 0u ? rig_add_ns(start_ns, max_ns) : NEVER, now_ns);
		}
		return error;
	}
	accept(core, action, start_ns < state->end_ns ? start_ns : state->end_ns, NEVER, now_ns);
	return RIG_OK;
}

static enum rig_error loop(struct rig_core *core, struct rig_loopback_plan *plan, uint64_t now_ns)
{
	enum rig_error error;

	if (rig_core_is_other_boot(core, plan->boot_id)) {
		return RIG_ERR_OTHER_BOOT;
	}
	if (plan->actuator >= core->config.actuator_count ||
	    core->config.actuators[plan->actuator].kind == RIG_ACTUATOR_KEY) {
		return RIG_ERR_NO_ACTUATOR;
	}
	if (rig_replay_find(&core->loopback.replay, plan->token) != NULL) {
		return RIG_OK;
	}
	error = rig_loopback_plan_error(plan, &core->config);
	if (error != RIG_OK) {
		return error;
	}
	if (!rig_interlock_is_idle(core) || core->leave_ns > 0u) {
		return RIG_ERR_BUSY;
	}
	plan->left_ns = left_of_release(core, plan->actuator, now_ns);
	if (plan->left_ns > 0u) {
		return RIG_ERR_TOO_SOON;
	}
	core->owner = plan->host;
	core->actuators[plan->actuator].force = false;
	rig_loopback_begin(&core->loopback, plan, core->levels, now_ns);
	return RIG_OK;
}

static enum rig_error leave(struct rig_core *core, uint32_t boot_id, uint64_t nonce,
			    uint64_t now_ns)
{
	enum rig_error error = rig_core_sight_error(core, boot_id, nonce);

	if (error != RIG_OK) {
		return error;
	}
	if (core->config.leave == NULL) {
		return RIG_ERR_NO_BOOTLOADER;
	}
	/* A lid that is held would open: the host lets go of it first, and knows. */
	if (!rig_interlock_is_idle(core)) {
		return RIG_ERR_BUSY;
	}
	if (core->leave_ns == 0u) {
		core->leave_ns = rig_add_ns(now_ns, RIG_LEAVE_AFTER_NS);
	}
	return RIG_OK;
}

static enum rig_error counted(struct rig_core *core, enum rig_error error)
{
	core->refusals += error != RIG_OK ? 1u : 0u;
	return error;
}

enum rig_error rig_interlock_press(struct rig_core *core, struct rig_action *action,
				   uint64_t now_ns)
{
	return counted(core, press(core, action, now_ns));
}

enum rig_error rig_interlock_hold(struct rig_core *core, struct rig_action *action, uint64_t now_ns)
{
	return counted(core, hold(core, action, now_ns));
}

enum rig_error rig_interlock_loop(struct rig_core *core, struct rig_loopback_plan *plan,
				  uint64_t now_ns)
{
	return counted(core, loop(core, plan, now_ns));
}

enum rig_error rig_interlock_leave(struct rig_core *core, uint32_t boot_id, uint64_t nonce,
				   uint64_t now_ns)
{
	return counted(core, leave(core, boot_id, nonce, now_ns));
}

enum rig_error rig_interlock_permit(struct rig_core *core, uint32_t boot_id, uint64_t nonce,
				    uint64_t now_ns)
{
	enum rig_error error = rig_core_sight_error(core, boot_id, nonce);

	if (error == RIG_OK) {
		core->permit_until_ns = rig_add_ns(now_ns, core->config.lease_ns);
	}
	return counted(core, error);
}

bool rig_core_take_permit(struct rig_core *core, uint64_t now_ns)
{
	bool permitted = now_ns < core->permit_until_ns;

	core->permit_until_ns = 0;
	core->refusals += permitted ? 0u : 1u;
	return permitted;
}
