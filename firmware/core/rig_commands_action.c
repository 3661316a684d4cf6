/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that move something: press, lid, contact, release. */
#include "rig_internal.h"

static bool put_action(const struct rig_core *core, const struct rig_answer *answer,
		       zcbor_state_t *out)
{
	bool has_end = answer->end_ns != UINT64_MAX;

	return rig_wire_put_map(out, has_end ? 3u : 2u) &&
	       rig_wire_put_u32(out, "boot", core->config.boot_id) &&
	       rig_wire_put_u64(out, "start", answer->start_ns) &&
	       (!has_end || rig_wire_put_u64(out, "end", answer->end_ns));
}

/** What an accepted action, or the repeat of one, is answered with. */
static void answer(const struct rig_core *core, const struct rig_action *action,
		   struct rig_request *request)
{
	const struct rig_replay *replay = &core->actuators[action->actuator].replay;

	request->fits = put_action(core, rig_replay_find(replay, action->token), request->out);
}

/* -------------------------------------------------------------------------------- press -- */

enum {
	PRESS_ACT,
	PRESS_DUR,
	PRESS_TOK,
	PRESS_AT,
	PRESS_FORCE,
	PRESS_BOOT,
	PRESS_NONCE,
	PRESS_FIELDS
};

static const struct rig_field press_fields[PRESS_FIELDS] = {
	[PRESS_ACT] = {.key = "act", .kind = RIG_FIELD_U8},
	[PRESS_DUR] = {.key = "dur", .kind = RIG_FIELD_U64},
	[PRESS_TOK] = {.key = "tok", .kind = RIG_FIELD_U32},
	[PRESS_AT] = {.key = "at", .kind = RIG_FIELD_U64, .optional = true},
	[PRESS_FORCE] = {.key = "force", .kind = RIG_FIELD_BOOL, .optional = true},
	[PRESS_BOOT] = {.key = "boot", .kind = RIG_FIELD_U32},
	[PRESS_NONCE] = {.key = "nonce", .kind = RIG_FIELD_U64, .optional = true},
};

static enum rig_error press(struct rig_core *core, struct rig_request *request)
{
	const struct rig_field *fields = request->fields;
	struct rig_action action = {
		.host = request->host,
		.actuator = (uint32_t)fields[PRESS_ACT].value,
		.token = (uint32_t)fields[PRESS_TOK].value,
		.duration_ns = fields[PRESS_DUR].value,
		.force = fields[PRESS_FORCE].value != 0u,
		.has_at = fields[PRESS_AT].present,
		.at_ns = fields[PRESS_AT].value,
		.boot_id = (uint32_t)fields[PRESS_BOOT].value,
		.nonce = fields[PRESS_NONCE].value,
	};
	enum rig_error error = rig_interlock_press(core, &action, request->now_ns);

	request->left_ns = action.left_ns;
	if (error == RIG_OK) {
		answer(core, &action, request);
	}
	return error;
}

const struct rig_handler rig_handler_press = {
	.command = RIG_CMD_PRESS,
	.write = true,
	.fields = press_fields,
	.field_count = PRESS_FIELDS,
	.run = press,
};

/* ------------------------------------------------------------------------ lid and contact -- */

enum { HOLD_CLOSED, HOLD_TOK, HOLD_AT, HOLD_BOOT, HOLD_FIELDS };

static const struct rig_field hold_fields[HOLD_FIELDS] = {
	[HOLD_CLOSED] = {.key = "closed", .kind = RIG_FIELD_BOOL},
	[HOLD_TOK] = {.key = "tok", .kind = RIG_FIELD_U32},
	[HOLD_AT] = {.key = "at", .kind = RIG_FIELD_U64, .optional = true},
	[HOLD_BOOT] = {.key = "boot", .kind = RIG_FIELD_U32},
};

/** @return the first actuator that is held, or the count when there is none */
static uint32_t find(const struct rig_config *config, enum rig_actuator_kind kind)
{
	uint32_t i = 0;

	while (i < config->actuator_count && config->actuators[i].kind != kind) {
		i++;
	}
	return i;
}

static enum rig_error hold(struct rig_core *core, struct rig_request *request,
			   enum rig_actuator_kind kind)
{
	const struct rig_field *fields = request->fields;
	struct rig_action action = {
		.host = request->host,
		.actuator = find(&core->config, kind),
		.token = (uint32_t)fields[HOLD_TOK].value,
		.closed = fields[HOLD_CLOSED].value != 0u,
		.has_at = fields[HOLD_AT].present,
		.at_ns = fields[HOLD_AT].value,
		.boot_id = (uint32_t)fields[HOLD_BOOT].value,
	};
	enum rig_error error = rig_interlock_hold(core, &action, request->now_ns);

	request->left_ns = action.left_ns;
	if (error == RIG_OK) {
		answer(core, &action, request);
	}
	return error;
}

static enum rig_error lid(struct rig_core *core, struct rig_request *request)
{
	return hold(core, request, RIG_ACTUATOR_HOLD);
}

const struct rig_handler rig_handler_lid = {
	.command = RIG_CMD_LID,
	.write = true,
	.fields = hold_fields,
	.field_count = HOLD_FIELDS,
	.run = lid,
};

static enum rig_error contact(struct rig_core *core, struct rig_request *request)
{
	return hold(core, request, RIG_ACTUATOR_CONTACT);
}

const struct rig_handler rig_handler_contact = {
	.command = RIG_CMD_CONTACT,
	.write = true,
	.fields = hold_fields,
	.field_count = HOLD_FIELDS,
	.run = contact,
};

/* ------------------------------------------------------------------------------ release -- */

static enum rig_error release(struct rig_core *core, struct rig_request *request)
{
	zcbor_state_t *out = request->out;

	rig_core_release(core);
	request->fits = rig_wire_put_map(out, 2) &&
			rig_wire_put_u32(out, "boot", core->config.boot_id) &&
			rig_wire_put_u64(out, "t", request->now_ns);
	return RIG_OK;
}

const struct rig_handler rig_handler_release = {
	.command = RIG_CMD_RELEASE,
	.write = true,
	.run = release,
};
