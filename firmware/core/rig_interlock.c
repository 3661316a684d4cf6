/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The actuator interlock: what may be driven, when it is driven, and that it is let go.
 *
 * Everything that happens later than its request is an event with a time: an action starts, a press
 * ends, a loop-back goes on, the host's lease runs out. Events are done in the order of their
 * times, however late the tick is that does them.
 */
#include "rig_internal.h"

#define NEVER UINT64_MAX

enum event_kind { LEASE_ENDS, ACTION_DUE, LOOPBACK_DUE };

/** The next thing to do. */
struct event {
	uint64_t t_ns;
	enum event_kind kind;
	/** of an action */
	uint32_t actuator;
};

static bool is_hold(const struct rig_core *core, uint32_t actuator)
{
	return core->config.actuators[actuator].kind == RIG_ACTUATOR_HOLD;
}

static void drive(struct rig_core *core, uint32_t actuator, bool driven)
{
	core->config.drive(core->config.context, actuator, driven);
}

bool rig_interlock_is_driven(const struct rig_core *core, uint32_t actuator)
{
	const struct rig_actuator *state = &core->actuators[actuator];

	switch (state->state) {
	case RIG_ACTION_IDLE:
		return rig_loopback_is_driving(&core->loopback, actuator);
	case RIG_ACTION_DRIVEN:
		return true;
	case RIG_ACTION_SCHEDULED:
		/* A hold is scheduled only for a change, so until then it is the opposite. */
		return is_hold(core, actuator) && !state->target;
	}
	return false;
}

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

static void start(struct rig_core *core, uint32_t actuator)
{
	struct rig_actuator *state = &core->actuators[actuator];

	if (is_hold(core, actuator) && !state->target) {
		let_go(core, actuator);
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
		rig_loopback_turn(core, now_ns);
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

void rig_interlock_contact(struct rig_core *core, uint64_t rx_ns, uint64_t now_ns)
{
	/* What the lease had already ended when the request arrived stays ended. */
	rig_core_tick(core, rx_ns < now_ns ? rx_ns : now_ns);
	core->last_contact_ns = rig_max_ns(core->last_contact_ns, rx_ns < now_ns ? rx_ns : now_ns);
	core->lease_running = true;
	rig_core_tick(core, now_ns);
}

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

static bool is_repeat(const struct rig_actuator *state, const struct rig_action *action)
{
	return state->has_token && state->token == action->token;
}

static void accept(struct rig_core *core, const struct rig_action *action, uint64_t start_ns,
		   uint64_t end_ns, uint64_t now_ns)
{
	struct rig_actuator *state = &core->actuators[action->actuator];
	bool changes = !is_hold(core, action->actuator) ||
		       action->closed != rig_interlock_is_driven(core, action->actuator);

	state->token = action->token;
	state->has_token = true;
	state->answer_start_ns = start_ns;
	state->answer_end_ns = end_ns;
	if (!changes) {
		return;
	}
	state->state = RIG_ACTION_SCHEDULED;
	state->target = action->closed;
	state->start_ns = start_ns;
	state->end_ns = end_ns;
	rig_core_tick(core, now_ns);
}

static enum rig_error press(struct rig_core *core, const struct rig_action *action, uint64_t now_ns)
{
	uint64_t start_ns;
	enum rig_error error;

	if (rig_core_is_other_boot(core, action->has_boot, action->boot_id)) {
		return RIG_ERR_OTHER_BOOT;
	}
	if (action->actuator >= core->config.actuator_count || is_hold(core, action->actuator)) {
		return RIG_ERR_NO_ACTUATOR;
	}
	if (is_repeat(&core->actuators[action->actuator], action)) {
		return RIG_OK;
	}
	error = duration_error(&core->config.actuators[action->actuator], action);
	if (error != RIG_OK) {
		return error;
	}
	if (core->actuators[action->actuator].state != RIG_ACTION_IDLE || is_looping(core)) {
		return RIG_ERR_BUSY;
	}
	error = start_time(core, action, now_ns, &start_ns);
	if (error != RIG_OK) {
		return error;
	}
	accept(core, action, start_ns, rig_add_ns(start_ns, action->duration_ns), now_ns);
	return RIG_OK;
}

static enum rig_error hold(struct rig_core *core, const struct rig_action *action, uint64_t now_ns)
{
	uint64_t start_ns;
	enum rig_error error;

	if (rig_core_is_other_boot(core, action->has_boot, action->boot_id)) {
		return RIG_ERR_OTHER_BOOT;
	}
	if (action->actuator >= core->config.actuator_count || !is_hold(core, action->actuator)) {
		return RIG_ERR_NO_ACTUATOR;
	}
	if (is_repeat(&core->actuators[action->actuator], action)) {
		return RIG_OK;
	}
	if (core->actuators[action->actuator].state == RIG_ACTION_SCHEDULED || is_looping(core)) {
		return RIG_ERR_BUSY;
	}
	error = start_time(core, action, now_ns, &start_ns);
	if (error != RIG_OK) {
		return error;
	}
	accept(core, action, start_ns, NEVER, now_ns);
	return RIG_OK;
}

enum rig_error rig_interlock_counted(struct rig_core *core, enum rig_error error)
{
	if (error != RIG_OK) {
		core->refusals++;
	}
	return error;
}

enum rig_error rig_interlock_press(struct rig_core *core, const struct rig_action *action,
				   uint64_t now_ns)
{
	return rig_interlock_counted(core, press(core, action, now_ns));
}

enum rig_error rig_interlock_hold(struct rig_core *core, const struct rig_action *action,
				  uint64_t now_ns)
{
	return rig_interlock_counted(core, hold(core, action, now_ns));
}
