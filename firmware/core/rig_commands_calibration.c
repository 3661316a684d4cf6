/* SPDX-License-Identifier: Apache-2.0 */
/* Commands about what the board has learned of itself: read it, change it. */
#include "rig_internal.h"

#include <string.h>
#include <zcbor_encode.h>

/** Bytes of a reply without its latencies and the store's name, and of one latency. */
#define REPLY_FIXED_MAX 64u
#define LATENCY_MAX 22u

static const char *store_name(const struct rig_config *config)
{
	return config->store_name == NULL ? "none" : config->store_name;
}

bool rig_calibration_put_latencies(const struct rig_calibration *calibration, zcbor_state_t *out)
{
	bool ok =
		rig_wire_put_text(out, "lat") && rig_wire_put_list(out, calibration->latency_count);

	for (uint32_t i = 0; ok && i < calibration->latency_count; i++) {
		const struct rig_latency *latency = &calibration->latencies[i];

		ok = rig_wire_put_list(out, 5) && zcbor_uint32_put(out, latency->channel) &&
		     zcbor_int32_put(out, latency->mean_ns) &&
		     zcbor_uint32_put(out, latency->sd_ns) &&
		     zcbor_uint32_put(out, latency->dev_ns) &&
		     zcbor_uint32_put(out, latency->count);
	}
	return ok;
}

static bool put_calibration(const struct rig_core *core, zcbor_state_t *out)
{
	const struct rig_calibration *calibration = &core->calibration;
	bool latencies = calibration->latency_count > 0u;
	uint32_t pairs = 3u + (calibration->has_clock ? 1u : 0u) + (latencies ? 2u : 0u);

	return rig_wire_put_map(out, pairs) &&
	       rig_wire_put_u32(out, "boot", core->config.boot_id) &&
	       rig_wire_put_text(out, "xtal") && zcbor_bool_put(out, core->config.crystal) &&
	       rig_wire_put_text(out, "store") &&
	       rig_wire_put_text(out, store_name(&core->config)) &&
	       (!calibration->has_clock || rig_wire_put_i32(out, "cal", calibration->clock_ppb)) &&
	       (!latencies || (rig_wire_put_u32(out, "held", calibration->held_ns) &&
			       rig_calibration_put_latencies(calibration, out)));
}

static enum rig_error tell(struct rig_core *core, struct rig_request *request)
{
	request->fits = put_calibration(core, request->out);
	return RIG_OK;
}

const struct rig_handler rig_handler_calibration = {
	.command = RIG_CMD_CALIBRATION,
	.run = tell,
};

/* -------------------------------------------------------------------------------- write -- */

struct change {
	bool clear;
	bool loop;
	bool clock;
	int32_t clock_ppb;
};

enum { CAL, LOOP, CLEAR, BOOT, FIELDS };

static const struct rig_field change_fields[FIELDS] = {
	[CAL] = {.key = "cal", .kind = RIG_FIELD_I32, .optional = true},
	[LOOP] = {.key = "loop", .kind = RIG_FIELD_BOOL, .optional = true},
	[CLEAR] = {.key = "clear", .kind = RIG_FIELD_BOOL, .optional = true},
	[BOOT] = {.key = "boot", .kind = RIG_FIELD_U32},
};

static struct change read_change(const struct rig_field *fields)
{
	return (struct change){
		.clear = fields[CLEAR].value != 0u,
		.loop = fields[LOOP].value != 0u,
		.clock = fields[CAL].present,
		.clock_ppb = (int32_t)(int64_t)fields[CAL].value,
	};
}

static enum rig_error change_error(const struct rig_core *core, const struct change *change)
{
	if ((change->clock || change->loop) && !core->config.crystal) {
		return RIG_ERR_NO_CRYSTAL;
	}
	if (core->config.store == NULL) {
		return RIG_ERR_NO_STORE;
	}
	if (change->loop && !rig_loopback_ended_well(&core->loopback)) {
		return RIG_ERR_NO_RESULT;
	}
	/* A board may stand still while it writes, and could not end what is driven. */
	return rig_interlock_is_idle(core) ? RIG_OK : RIG_ERR_BUSY;
}

/** What is not kept over a reset is not in force either. */
static enum rig_error do_change(struct rig_core *core, const struct change *change)
{
	struct rig_calibration changed = core->calibration;

	if (change->clear) {
		changed = (struct rig_calibration){.held_ns = 0};
	}
	if (change->clock) {
		changed.has_clock = true;
		changed.clock_ppb = change->clock_ppb;
	}
	if (change->loop) {
		rig_calibration_take(&changed, &core->loopback);
	}
	if (core->config.store(core->config.context, &changed) != 0) {
		return RIG_ERR_NO_STORE;
	}
	core->calibration = changed;
	return RIG_OK;
}

/** Nothing is stored whose answer does not fit. */
static bool has_room(const struct rig_core *core, const struct rig_request *request)
{
	return rig_wire_room(request->out) >= REPLY_FIXED_MAX + strlen(store_name(&core->config)) +
						      core->config.channel_count * LATENCY_MAX;
}

static enum rig_error write(struct rig_core *core, struct rig_request *request)
{
	struct change change = read_change(request->fields);
	enum rig_error error = RIG_OK;

	if (change.clock_ppb < -RIG_CLOCK_PPB_MAX || change.clock_ppb > RIG_CLOCK_PPB_MAX) {
		return RIG_ERR_BAD_REQUEST;
	}
	if (rig_core_is_other_boot(core, (uint32_t)request->fields[BOOT].value)) {
		return RIG_ERR_OTHER_BOOT;
	}
	if (change.clear || change.loop || change.clock) {
		error = change_error(core, &change);
		request->fits = has_room(core, request);
		if (error == RIG_OK && request->fits) {
			error = do_change(core, &change);
		}
	}
	if (error == RIG_OK) {
		request->fits = request->fits && put_calibration(core, request->out);
	}
	return error;
}

const struct rig_handler rig_handler_calibration_write = {
	.command = RIG_CMD_CALIBRATION,
	.write = true,
	.fields = change_fields,
	.field_count = FIELDS,
	.run = write,
};
