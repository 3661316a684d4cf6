/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that move something: press, lid, release. */
#include "rig_internal.h"

static bool put_action(const struct rig_core *core, uint32_t actuator, zcbor_state_t *out)
{
	const struct rig_actuator *state = &core->actuators[actuator];
	bool has_end = state->answer_end_ns != UINT64_MAX;

	return rig_wire_put_map(out, has_end ? 3u : 2u) &&
	       rig_wire_put_u32(out, "boot", core->config.boot_id) &&
	       rig_wire_put_u64(out, "start", state->answer_start_ns) &&
	       (!has_end || rig_wire_put_u64(out, "end", state->answer_end_ns));
}

enum rig_error rig_command_press(struct rig_core *core, struct rig_request *request)
{
	enum { ACT, DUR, TOK, AT, FORCE, BOOT, FIELDS };
	struct rig_field fields[FIELDS] = {
		[ACT] = {.key = "act", .kind = RIG_FIELD_U8},
		[DUR] = {.key = "dur", .kind = RIG_FIELD_U64},
		[TOK] = {.key = "tok", .kind = RIG_FIELD_U32},
		[AT] = {.key = "at", .kind = RIG_FIELD_U64, .optional = true},
		[FORCE] = {.key = "force", .kind = RIG_FIELD_BOOL, .optional = true},
		[BOOT] = {.key = "boot", .kind = RIG_FIELD_U32, .optional = true},
	};
	enum rig_error error = rig_wire_decode(request->in, request->in_len, fields, FIELDS);
	struct rig_action action = {
		.actuator = (uint32_t)fields[ACT].value,
		.token = (uint32_t)fields[TOK].value,
		.duration_ns = fields[DUR].value,
		.force = fields[FORCE].value != 0u,
		.has_at = fields[AT].present,
		.at_ns = fields[AT].value,
		.has_boot = fields[BOOT].present,
		.boot_id = (uint32_t)fields[BOOT].value,
	};

	if (error == RIG_OK) {
		error = rig_interlock_press(core, &action, request->now_ns);
	}
	if (error == RIG_OK) {
		request->fits = put_action(core, action.actuator, request->out);
	}
	return error;
}

/** @return the first actuator that is held, or the count when there is none */
static uint32_t find_lid(const struct rig_config *config)
{
	uint32_t i = 0;

	while (i < config->actuator_count && config->actuators[i].kind != RIG_ACTUATOR_HOLD) {
		i++;
	}
	return i;
}

enum rig_error rig_command_lid(struct rig_core *core, struct rig_request *request)
{
	enum { CLOSED, TOK, AT, BOOT, FIELDS };
	struct rig_field fields[FIELDS] = {
		[CLOSED] = {.key = "closed", .kind = RIG_FIELD_BOOL},
		[TOK] = {.key = "tok", .kind = RIG_FIELD_U32},
		[AT] = {.key = "at", .kind = RIG_FIELD_U64, .optional = true},
		[BOOT] = {.key = "boot", .kind = RIG_FIELD_U32, .optional = true},
	};
	enum rig_error error = rig_wire_decode(request->in, request->in_len, fields, FIELDS);
	struct rig_action action = {
		.actuator = find_lid(&core->config),
		.token = (uint32_t)fields[TOK].value,
		.closed = fields[CLOSED].value != 0u,
		.has_at = fields[AT].present,
		.at_ns = fields[AT].value,
		.has_boot = fields[BOOT].present,
		.boot_id = (uint32_t)fields[BOOT].value,
	};

	if (error == RIG_OK) {
		error = rig_interlock_hold(core, &action, request->now_ns);
	}
	if (error == RIG_OK) {
		request->fits = put_action(core, action.actuator, request->out);
	}
	return error;
}

enum rig_error rig_command_release(struct rig_core *core, struct rig_request *request)
{
	zcbor_state_t *out = request->out;
	enum rig_error error = rig_wire_decode(request->in, request->in_len, NULL, 0);

	if (error != RIG_OK) {
		return error;
	}
	rig_core_release(core);
	request->fits = rig_wire_put_map(out, 2) &&
			rig_wire_put_u32(out, "boot", core->config.boot_id) &&
			rig_wire_put_u64(out, "t", request->now_ns);
	return RIG_OK;
}
