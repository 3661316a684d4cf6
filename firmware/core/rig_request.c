/* SPDX-License-Identifier: Apache-2.0 */
/* One request of SMP group 64: renew the lease, find the handler, tell how it went. */
#include "rig_internal.h"

#include <zcbor_encode.h>

/** @return NULL for an unknown command, or an operation that the command does not have */
static rig_handler find_handler(uint32_t command, bool write)
{
	if (command > RIG_CMD_SAMPLES) {
		return NULL;
	}
	switch ((enum rig_command)command) {
	case RIG_CMD_INFO:
		return write ? NULL : rig_command_info;
	case RIG_CMD_TIME:
		return write ? NULL : rig_command_time;
	case RIG_CMD_EDGES:
		return write ? NULL : rig_command_edges;
	case RIG_CMD_LEVELS:
		return write ? NULL : rig_command_levels;
	case RIG_CMD_PRESS:
		return write ? rig_command_press : NULL;
	case RIG_CMD_LID:
		return write ? rig_command_lid : NULL;
	case RIG_CMD_RELEASE:
		return write ? rig_command_release : NULL;
	case RIG_CMD_LIGHT:
		return write ? rig_command_light_arm : rig_command_light;
	case RIG_CMD_SELFTEST:
		return write ? rig_command_selftest : NULL;
	case RIG_CMD_FAULTS:
		return write ? NULL : rig_command_faults;
	case RIG_CMD_ONSET:
		return write ? NULL : rig_command_onset;
	case RIG_CMD_LOOPBACK:
		return write ? rig_command_loopback_start : rig_command_loopback;
	case RIG_CMD_CALIBRATION:
		return write ? rig_command_calibration_write : rig_command_calibration;
	case RIG_CMD_SAMPLES:
		return write ? NULL : rig_command_samples;
	}
	return NULL;
}

static bool put_error(zcbor_state_t *out, enum rig_error error)
{
	return rig_wire_put_map(out, 1) && rig_wire_put_text(out, "err") &&
	       rig_wire_put_map(out, 2) && rig_wire_put_u32(out, "group", RIG_SMP_GROUP) &&
	       rig_wire_put_u32(out, "rc", (uint32_t)error);
}

int rig_core_request(struct rig_core *core, uint32_t command, bool write, uint64_t rx_ns,
		     const uint8_t *in, size_t in_len, uint8_t *out, size_t out_cap,
		     size_t *out_len)
{
	uint64_t now_ns = core->config.now_ns(core->config.context);
	rig_handler handler = find_handler(command, write);
	struct rig_request request = {
		.rx_ns = rx_ns,
		.now_ns = now_ns,
		.in = in,
		.in_len = in_len,
		.fits = true,
	};
	enum rig_error error;

	*out_len = 0;
	rig_interlock_contact(core, rx_ns, now_ns);
	if (handler == NULL) {
		return RIG_SMP_ENOTSUP;
	}
	if (out_cap < RIG_REPLY_MIN) {
		return RIG_SMP_EMSGSIZE;
	}

	ZCBOR_STATE_E(reply, 0, out, out_cap, 1);
	request.out = reply;
	error = handler(core, &request);
	if (error != RIG_OK) {
		request.fits = put_error(reply, error);
	}
	if (!request.fits) {
		return RIG_SMP_EMSGSIZE;
	}
	*out_len = out_cap - rig_wire_room(reply);
	return RIG_SMP_OK;
}
