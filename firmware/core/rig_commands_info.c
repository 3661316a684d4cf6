/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that say what the board is and how it fares: info, time, selftest, faults. */
#include "rig_internal.h"

#include <string.h>
#include <zcbor_encode.h>

static bool put_channels(const struct rig_core *core, zcbor_state_t *out)
{
	const struct rig_config *config = &core->config;
	bool ok = rig_wire_put_text(out, "ch") && rig_wire_put_list(out, config->channel_count);

	for (uint32_t i = 0; ok && i < config->channel_count; i++) {
		const struct rig_channel_config *channel = &config->channels[i];

		ok = rig_wire_put_list(out, 4) && rig_wire_put_text(out, channel->name) &&
		     zcbor_uint32_put(out, channel->resolution_ns) &&
		     zcbor_uint32_put(out, rig_calibration_delay_ns(core, i)) &&
		     zcbor_uint32_put(out, rig_calibration_uncertainty_ns(core, i));
	}
	return ok;
}

static bool put_actuators(const struct rig_config *config, zcbor_state_t *out)
{
	bool ok = rig_wire_put_text(out, "act") && rig_wire_put_list(out, config->actuator_count);

	for (uint32_t i = 0; ok && i < config->actuator_count; i++) {
		ok = rig_wire_put_list(out, 2) &&
		     rig_wire_put_text(out, config->actuators[i].name) &&
		     zcbor_uint64_put(out, config->actuators[i].max_press_ns);
	}
	return ok;
}

/** @return whether some actuator has a limit beside that of one press */
static bool is_limited(const struct rig_config *config)
{
	bool limited = false;

	for (uint32_t i = 0; i < config->actuator_count; i++) {
		const struct rig_actuator_config *actuator = &config->actuators[i];

		limited = limited || actuator->min_release_ns > 0u || actuator->window_ns > 0u ||
			  actuator->max_hold_ns > 0u;
	}
	return limited;
}

static bool put_limits(const struct rig_config *config, zcbor_state_t *out)
{
	bool ok = rig_wire_put_text(out, "lim") && rig_wire_put_list(out, config->actuator_count);

	for (uint32_t i = 0; ok && i < config->actuator_count; i++) {
		const struct rig_actuator_config *actuator = &config->actuators[i];

		ok = rig_wire_put_list(out, 4) && zcbor_uint64_put(out, actuator->min_release_ns) &&
		     zcbor_uint64_put(out, actuator->max_driven_ns) &&
		     zcbor_uint64_put(out, actuator->window_ns) &&
		     zcbor_uint64_put(out, actuator->max_hold_ns);
	}
	return ok;
}

static bool put_key_text(zcbor_state_t *out, const char *key, const char *text)
{
	return rig_wire_put_text(out, key) && rig_wire_put_text(out, text);
}

static bool put_clock(const struct rig_core *core, zcbor_state_t *out)
{
	const struct rig_config *config = &core->config;

	return put_key_text(out, "clk", config->clock_source) &&
	       rig_wire_put_u32(out, "hz", config->clock_hz) &&
	       rig_wire_put_u32(out, "tol", config->clock_tolerance_ppb) &&
	       (!core->calibration.has_clock ||
		rig_wire_put_i32(out, "cal", core->calibration.clock_ppb));
}

static bool put_onset(const struct rig_onset_config *onset, zcbor_state_t *out)
{
	return onset->slots == NULL || (rig_wire_put_u32(out, "lhz", onset->rate_hz) &&
					rig_wire_put_u32(out, "lmax", onset->full_scale) &&
					rig_wire_put_u32(out, "oring", onset->capacity));
}

static bool put_power(const struct rig_power_config *power, zcbor_state_t *out)
{
	return power->slots == NULL || (rig_wire_put_u32(out, "pring", power->capacity) &&
					rig_wire_put_u64(out, "pper", power->period_ns) &&
					rig_wire_put_u64(out, "pwin", power->window_ns) &&
					rig_wire_put_u32(out, "shunt", power->shunt_uohm) &&
					rig_wire_put_u32(out, "stol", power->shunt_tolerance_ppm));
}

static enum rig_error tell_info(struct rig_core *core, struct rig_request *request)
{
	const struct rig_config *config = &core->config;
	zcbor_state_t *out = request->out;
	bool limited = is_limited(config);
	uint32_t pairs = 13;

	pairs += core->calibration.has_clock ? 1u : 0u;
	pairs += core->calibration.latency_count > 0u ? 1u : 0u;
	pairs += config->edge_source != NULL ? 1u : 0u;
	pairs += config->dut_log != NULL ? 1u : 0u;
	pairs += config->onset.slots != NULL ? 3u : 0u;
	pairs += limited ? 1u : 0u;
	pairs += config->power.slots != NULL ? 5u : 0u;
	request->fits =
		rig_wire_put_map(out, pairs) &&
		rig_wire_put_u32(out, "proto", RIG_PROTOCOL_VERSION) &&
		put_key_text(out, "fw", config->firmware) &&
		put_key_text(out, "board", config->board) &&
		rig_wire_put_u32(out, "boot", config->boot_id) &&
		rig_wire_put_u64(out, "nonce", config->nonce) && put_clock(core, out) &&
		rig_wire_put_u64(out, "lease", config->lease_ns) && put_channels(core, out) &&
		put_actuators(config, out) &&
		rig_wire_put_u32(out, "ering", config->edge_capacity) &&
		rig_wire_put_u32(out, "lring", config->light_capacity) &&
		put_onset(&config->onset, out) &&
		(config->edge_source == NULL || put_key_text(out, "esrc", config->edge_source)) &&
		(core->calibration.latency_count == 0u ||
		 rig_calibration_put_latencies(&core->calibration, out)) &&
		(config->dut_log == NULL || put_key_text(out, "dutlog", config->dut_log)) &&
		(!limited || put_limits(config, out)) && put_power(&config->power, out);
	return RIG_OK;
}

const struct rig_handler rig_handler_info = {
	.command = RIG_CMD_INFO,
	.run = tell_info,
};

static enum rig_error tell_time(struct rig_core *core, struct rig_request *request)
{
	zcbor_state_t *out = request->out;

	/* "tx" last, and its clock read last: what comes after it is the shell's. */
	request->fits = rig_wire_put_map(out, 3) &&
			rig_wire_put_u32(out, "boot", core->config.boot_id) &&
			rig_wire_put_u64(out, "rx", request->rx_ns) &&
			rig_wire_put_u64(out, "tx", core->config.now_ns(core->config.context));
	return RIG_OK;
}

const struct rig_handler rig_handler_time = {
	.command = RIG_CMD_TIME,
	.run = tell_time,
};

/** @return bytes of an earlier boot's list */
static size_t past_len(const struct rig_past *past)
{
	size_t text_len = past->reason == NULL ? 0u : strlen(past->reason);

	return 1u + zcbor_header_len(past->boot_id) + zcbor_header_len(text_len) + text_len +
	       zcbor_header_len(past->up_ns) + zcbor_header_len(past->edge_overruns) +
	       zcbor_header_len(past->light_overruns) + zcbor_header_len(past->refusals) +
	       zcbor_header_len(past->lease_expiries);
}

static bool put_past(const struct rig_past *past, zcbor_state_t *out)
{
	return rig_wire_put_list(out, 7) && zcbor_uint32_put(out, past->boot_id) &&
	       rig_wire_put_text(out, past->reason) && zcbor_uint64_put(out, past->up_ns) &&
	       zcbor_uint32_put(out, past->edge_overruns) &&
	       zcbor_uint32_put(out, past->light_overruns) &&
	       zcbor_uint32_put(out, past->refusals) && zcbor_uint32_put(out, past->lease_expiries);
}

/** As many as fit; the list's head is one byte, as RIG_MAX_PAST is below 24. */
static bool put_history(const struct rig_config *config, zcbor_state_t *out)
{
	size_t room;
	uint32_t count = 0;
	bool ok = rig_wire_put_text(out, "hist");

	room = rig_wire_room(out);
	room -= room > 0u ? 1u : 0u;
	while (count < config->past_count && past_len(&config->past[count]) <= room) {
		room -= past_len(&config->past[count]);
		count++;
	}
	ok = ok && rig_wire_put_list(out, count);
	for (uint32_t i = 0; ok && i < count; i++) {
		ok = put_past(&config->past[i], out);
	}
	return ok;
}

static enum rig_error tell_faults(struct rig_core *core, struct rig_request *request)
{
	zcbor_state_t *out = request->out;

	request->fits = rig_wire_put_map(out, core->config.past != NULL ? 9u : 8u) &&
			rig_wire_put_u32(out, "boot", core->config.boot_id) &&
			put_key_text(out, "reset", core->config.reset_reason) &&
			rig_wire_put_u32(out, "wdt", core->config.watchdog_resets) &&
			rig_wire_put_u32(out, "eovr", core->edges.numbers.overruns) &&
			rig_wire_put_u32(out, "lovr", core->light.numbers.overruns) &&
			rig_wire_put_u32(out, "ref", core->refusals) &&
			rig_wire_put_u32(out, "lease", core->lease_expiries) &&
			rig_wire_put_u64(out, "up", request->now_ns) &&
			(core->config.past == NULL || put_history(&core->config, out));
	return RIG_OK;
}

const struct rig_handler rig_handler_faults = {
	.command = RIG_CMD_FAULTS,
	.run = tell_faults,
};
