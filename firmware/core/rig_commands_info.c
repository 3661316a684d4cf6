/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that say what the board is and how it fares: info, time, selftest, faults. */
#include "rig_internal.h"

#include <zcbor_encode.h>

static bool put_channels(const struct rig_config *config, zcbor_state_t *out)
{
	bool ok = rig_wire_put_text(out, "ch") && rig_wire_put_list(out, config->channel_count);

	for (uint32_t i = 0; ok && i < config->channel_count; i++) {
		const struct rig_channel_config *channel = &config->channels[i];

		ok = rig_wire_put_list(out, 4) && rig_wire_put_text(out, channel->name) &&
		     zcbor_uint32_put(out, channel->resolution_ns) &&
		     zcbor_uint32_put(out, channel->delay_ns) &&
		     zcbor_uint32_put(out, channel->uncertainty_ns);
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

static bool put_key_text(zcbor_state_t *out, const char *key, const char *text)
{
	return rig_wire_put_text(out, key) && rig_wire_put_text(out, text);
}

static bool put_clock(const struct rig_config *config, zcbor_state_t *out)
{
	return put_key_text(out, "clk", config->clock_source) &&
	       rig_wire_put_u32(out, "hz", config->clock_hz) &&
	       rig_wire_put_u32(out, "tol", config->clock_tolerance_ppb) &&
	       (!config->calibrated ||
		(rig_wire_put_text(out, "cal") && zcbor_int32_put(out, config->calibration_ppb)));
}

static bool put_onset(const struct rig_onset_config *onset, zcbor_state_t *out)
{
	return onset->slots == NULL || (rig_wire_put_u32(out, "lhz", onset->rate_hz) &&
					rig_wire_put_u32(out, "lmax", onset->full_scale) &&
					rig_wire_put_u32(out, "oring", onset->capacity));
}

enum rig_error rig_command_info(struct rig_core *core, struct rig_request *request)
{
	const struct rig_config *config = &core->config;
	zcbor_state_t *out = request->out;
	enum rig_error error = rig_wire_decode(request->in, request->in_len, NULL, 0);
	uint32_t pairs = 12;

	if (error != RIG_OK) {
		return error;
	}
	pairs += config->calibrated ? 1u : 0u;
	pairs += config->dut_log != NULL ? 1u : 0u;
	pairs += config->onset.slots != NULL ? 3u : 0u;
	request->fits = rig_wire_put_map(out, pairs) &&
			rig_wire_put_u32(out, "proto", RIG_PROTOCOL_VERSION) &&
			put_key_text(out, "fw", config->firmware) &&
			put_key_text(out, "board", config->board) &&
			rig_wire_put_u32(out, "boot", config->boot_id) && put_clock(config, out) &&
			rig_wire_put_u64(out, "lease", config->lease_ns) &&
			put_channels(config, out) && put_actuators(config, out) &&
			rig_wire_put_u32(out, "ering", config->edge_capacity) &&
			rig_wire_put_u32(out, "lring", config->light_capacity) &&
			put_onset(&config->onset, out) &&
			(config->dut_log == NULL || put_key_text(out, "dutlog", config->dut_log));
	return RIG_OK;
}

enum rig_error rig_command_time(struct rig_core *core, struct rig_request *request)
{
	zcbor_state_t *out = request->out;
	enum rig_error error = rig_wire_decode(request->in, request->in_len, NULL, 0);

	if (error != RIG_OK) {
		return error;
	}
	/* "tx" last, and its clock read last: what comes after it is the shell's. */
	request->fits = rig_wire_put_map(out, 3) &&
			rig_wire_put_u32(out, "boot", core->config.boot_id) &&
			rig_wire_put_u64(out, "rx", request->rx_ns) &&
			rig_wire_put_u64(out, "tx", core->config.now_ns(core->config.context));
	return RIG_OK;
}

enum rig_error rig_command_faults(struct rig_core *core, struct rig_request *request)
{
	zcbor_state_t *out = request->out;
	enum rig_error error = rig_wire_decode(request->in, request->in_len, NULL, 0);

	if (error != RIG_OK) {
		return error;
	}
	request->fits = rig_wire_put_map(out, 8) &&
			rig_wire_put_u32(out, "boot", core->config.boot_id) &&
			put_key_text(out, "reset", core->config.reset_reason) &&
			rig_wire_put_u32(out, "wdt", core->config.watchdog_resets) &&
			rig_wire_put_u32(out, "eovr", core->edges.numbers.overruns) &&
			rig_wire_put_u32(out, "lovr", core->light.numbers.overruns) &&
			rig_wire_put_u32(out, "ref", core->refusals) &&
			rig_wire_put_u32(out, "lease", core->lease_expiries) &&
			rig_wire_put_u64(out, "up", request->now_ns);
	return RIG_OK;
}
