/* SPDX-License-Identifier: Apache-2.0 */
/* The board measures itself: the core's own checks, then those of the shell. */
#include "rig_internal.h"

#include <zcbor_encode.h>

struct selftest {
	struct rig_check checks[RIG_MAX_CHECKS];
	uint32_t count;
};

static void add(struct selftest *selftest, const char *name, bool ok, int64_t value)
{
	selftest->checks[selftest->count++] =
		(struct rig_check){.name = name, .ok = ok, .value = value};
}

static void check_clock(const struct rig_core *core, struct selftest *selftest)
{
	uint64_t first_ns = core->config.now_ns(core->config.context);
	uint64_t second_ns = core->config.now_ns(core->config.context);

	add(selftest, "clock_step_ns", second_ns >= first_ns, (int64_t)(second_ns - first_ns));
}

static void check_actuators(const struct rig_core *core, struct selftest *selftest)
{
	uint32_t driven = 0;

	for (uint32_t i = 0; i < core->config.actuator_count; i++) {
		driven += rig_interlock_is_driven(core, i) ? 1u : 0u;
	}
	add(selftest, "driven_actuators_count", driven == 0u, driven);
}

static void check_rings(const struct rig_core *core, struct selftest *selftest)
{
	add(selftest, "edges_held_count", rig_numbering_is_sound(&core->edges.numbers),
	    core->edges.numbers.held);
	if (core->light.slots != NULL) {
		add(selftest, "light_held_count", rig_numbering_is_sound(&core->light.numbers),
		    core->light.numbers.held);
	}
}

static void check_shell(const struct rig_core *core, struct selftest *selftest)
{
	uint32_t room = RIG_MAX_CHECKS - selftest->count;
	uint32_t count;

	if (core->config.selftest == NULL) {
		return;
	}
	count = core->config.selftest(core->config.context, &selftest->checks[selftest->count],
				      room);
	selftest->count += count < room ? count : room;
}

static bool put_checks(const struct selftest *selftest, zcbor_state_t *out)
{
	bool ok = rig_wire_put_text(out, "checks") && rig_wire_put_list(out, selftest->count);

	for (uint32_t i = 0; ok && i < selftest->count; i++) {
		ok = rig_wire_put_list(out, 3) &&
		     rig_wire_put_text(out, selftest->checks[i].name) &&
		     zcbor_bool_put(out, selftest->checks[i].ok) &&
		     zcbor_int64_put(out, selftest->checks[i].value);
	}
	return ok;
}

static bool all_ok(const struct selftest *selftest)
{
	bool ok = true;

	for (uint32_t i = 0; i < selftest->count; i++) {
		ok = ok && selftest->checks[i].ok;
	}
	return ok;
}

static enum rig_error run_selftest(struct rig_core *core, struct rig_request *request)
{
	zcbor_state_t *out = request->out;
	struct selftest selftest = {.count = 0};

	if (!rig_interlock_is_quiet(core)) {
		return RIG_ERR_BUSY;
	}
	check_clock(core, &selftest);
	check_actuators(core, &selftest);
	check_rings(core, &selftest);
	check_shell(core, &selftest);
	request->fits = rig_wire_put_map(out, 3) &&
			rig_wire_put_u32(out, "boot", core->config.boot_id) &&
			rig_wire_put_text(out, "ok") && zcbor_bool_put(out, all_ok(&selftest)) &&
			put_checks(&selftest, out);
	return RIG_OK;
}

const struct rig_handler rig_handler_selftest = {
	.command = RIG_CMD_SELFTEST,
	.write = true,
	.run = run_selftest,
};
