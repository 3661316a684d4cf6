/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands that lead to other firmware: leave for a bootloader, permit a command of a group that is
 * not ours. Both ask for the nonce.
 */
#include "rig_internal.h"

enum { BOOT, NONCE, FIELDS };

static const struct rig_field sight_fields[FIELDS] = {
	[BOOT] = {.key = "boot", .kind = RIG_FIELD_U32},
	[NONCE] = {.key = "nonce", .kind = RIG_FIELD_U64, .optional = true},
};

static enum rig_error bootloader(struct rig_core *core, struct rig_request *request)
{
	zcbor_state_t *out = request->out;
	enum rig_error error = rig_interlock_leave(core, (uint32_t)request->fields[BOOT].value,
						   request->fields[NONCE].value, request->now_ns);

	if (error == RIG_OK) {
		request->fits = rig_wire_put_map(out, 2) &&
				rig_wire_put_u32(out, "boot", core->config.boot_id) &&
				rig_wire_put_u64(out, "t", core->leave_ns);
	}
	return error;
}

const struct rig_handler rig_handler_bootloader = {
	.command = RIG_CMD_BOOTLOADER,
	.write = true,
	.fields = sight_fields,
	.field_count = FIELDS,
	.run = bootloader,
};

static enum rig_error permit(struct rig_core *core, struct rig_request *request)
{
	zcbor_state_t *out = request->out;
	enum rig_error error = rig_interlock_permit(core, (uint32_t)request->fields[BOOT].value,
						    request->fields[NONCE].value, request->now_ns);

	if (error == RIG_OK) {
		request->fits = rig_wire_put_map(out, 2) &&
				rig_wire_put_u32(out, "boot", core->config.boot_id) &&
				rig_wire_put_u64(out, "until", core->permit_until_ns);
	}
	return error;
}

const struct rig_handler rig_handler_permit = {
	.command = RIG_CMD_PERMIT,
	.write = true,
	.fields = sight_fields,
	.field_count = FIELDS,
	.run = permit,
};
