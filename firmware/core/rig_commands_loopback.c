/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the loop-back: start one, read what came of it. */
#include "rig_internal.h"

#include <zcbor_encode.h>

enum rig_error rig_command_loopback_start(struct rig_core *core, struct rig_request *request)
{
	enum { ACT, CH, TOK, COUNT, GAP, BOOT, FIELDS };
	struct rig_field fields[FIELDS] = {
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
		[BOOT] = {.key = "boot", .kind = RIG_FIELD_U32, .optional = true},
	};
	enum rig_error error = rig_wire_decode(request->in, request->in_len, fields, FIELDS);
	struct rig_loopback_plan plan = {
		.actuator = (uint32_t)fields[ACT].value,
		.wired = (uint32_t)fields[CH].value,
		.token = (uint32_t)fields[TOK].value,
		.count = (uint32_t)fields[COUNT].value,
		.gap_ns = fields[GAP].value,
		.has_boot = fields[BOOT].present,
		.boot_id = (uint32_t)fields[BOOT].value,
	};

	if (error == RIG_OK) {
		error = rig_loopback_start(core, &plan, request->now_ns);
	}
	if (error == RIG_OK) {
		request->fits =
			rig_wire_put_map(request->out, 3) &&
			rig_wire_put_u32(request->out, "boot", core->config.boot_id) &&
			rig_wire_put_u64(request->out, "start", core->loopback.answer_start_ns) &&
			rig_wire_put_u64(request->out, "end", core->loopback.answer_end_ns);
	}
	return error;
}

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

enum rig_error rig_command_loopback(struct rig_core *core, struct rig_request *request)
{
	const struct rig_loopback *loopback = &core->loopback;
	zcbor_state_t *out = request->out;
	bool none = loopback->state == RIG_LOOPBACK_NONE;
	enum rig_error error = rig_wire_decode(request->in, request->in_len, NULL, 0);

	if (error != RIG_OK) {
		return error;
	}
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
