/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the loop-back: start one, read what came of it. */
#include "rig_internal.h"

#include <zcbor_encode.h>

enum { ACT, CH, TOK, COUNT, GAP, BOOT, FIELDS };

static const struct rig_field start_fields[FIELDS] = {
	[ACT] = {.key = "act", .kind = RIG_FIELD_U8},
	[CH] = {.key = "ch", .kind = RIG_FIELD_U32},
	[TOK] = {.key = "tok", .kind = RIG_FIELD_U32},
	[COUNT] = {.key = "n",
		   .kind = RIG_FIELD_U32,
		   .optional = true,
		   .value = RIG_LOOPBACK_CHANGES},
	[GAP] = {.key = "gap",
		 .kind = RIG_FIELD_U64,
		 .optional = true,
		 .value = RIG_LOOPBACK_GAP_NS},
	[BOOT] = {.key = "boot", .kind = RIG_FIELD_U32},
};

static enum rig_error start(struct rig_core *core, struct rig_request *request)
{
	const struct rig_field *fields = request->fields;
	struct rig_loopback_plan plan = {
		.host = request->host,
		.actuator = (uint32_t)fields[ACT].value,
		.wired = (uint32_t)fields[CH].value,
		.token = (uint32_t)fields[TOK].value,
		.count = (uint32_t)fields[COUNT].value,
		.gap_ns = fields[GAP].value,
		.boot_id = (uint32_t)fields[BOOT].value,
	};
	enum rig_error error = rig_interlock_loop(core, &plan, request->now_ns);

	request->left_ns = plan.left_ns;
	if (error == RIG_OK) {
		const struct rig_answer *answer =
			rig_replay_find(&core->loopback.replay, plan.token);

		request->fits = rig_wire_put_map(request->out, 3) &&
				rig_wire_put_u32(request->out, "boot", core->config.boot_id) &&
				rig_wire_put_u64(request->out, "start", answer->start_ns) &&
				rig_wire_put_u64(request->out, "end", answer->end_ns);
	}
	return error;
}

const struct rig_handler rig_handler_loopback_start = {
	.command = RIG_CMD_LOOPBACK,
	.write = true,
	.fields = start_fields,
	.field_count = FIELDS,
	.run = start,
};

static bool put_channel(const struct rig_loopback_channel *channel, uint32_t number,
			zcbor_state_t *out)
{
	const struct rig_moments *latency = &channel->latency;

	return rig_wire_put_list(out, 8) && zcbor_uint32_put(out, number) &&
	       zcbor_uint32_put(out, latency->count) && zcbor_uint32_put(out, channel->missed) &&
	       zcbor_uint32_put(out, channel->extra) &&
	       zcbor_int32_put(out, rig_moments_mean(latency)) &&
	       zcbor_uint32_put(out, rig_moments_sd(latency)) &&
	       zcbor_int32_put(out, latency->min) && zcbor_int32_put(out, latency->max);
}

static bool put_channels(const struct rig_loopback *loopback, zcbor_state_t *out)
{
	uint32_t count = 0;
	bool ok;

	for (uint32_t i = 0; i < RIG_MAX_CHANNELS; i++) {
		count += (loopback->wired >> i) & 1u;
	}
	ok = rig_wire_put_text(out, "ch") && rig_wire_put_list(out, count);
	for (uint32_t i = 0; ok && i < RIG_MAX_CHANNELS; i++) {
		ok = ((loopback->wired >> i) & 1u) == 0u ||
		     put_channel(&loopback->channels[i], i, out);
	}
	return ok;
}

static enum rig_error tell(struct rig_core *core, struct rig_request *request)
{
	const struct rig_loopback *loopback = &core->loopback;
	zcbor_state_t *out = request->out;
	bool none = loopback->state == RIG_LOOPBACK_NONE;

	request->fits = rig_wire_put_map(out, none ? 2u : 7u) &&
			rig_wire_put_u32(out, "boot", core->config.boot_id) &&
			rig_wire_put_u32(out, "st", (uint32_t)loopback->state) &&
			(none || (rig_wire_put_u32(out, "act", loopback->actuator) &&
				  rig_wire_put_u32(out, "n", loopback->done) &&
				  rig_wire_put_u32(out, "held", loopback->held_ns) &&
				  rig_wire_put_u32(out, "lost", loopback->lost) &&
				  put_channels(loopback, out)));
	return RIG_OK;
}

const struct rig_handler rig_handler_loopback = {
	.command = RIG_CMD_LOOPBACK,
	.run = tell,
};
