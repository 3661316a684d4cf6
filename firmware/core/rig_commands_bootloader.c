/* SPDX-License-Identifier: Apache-2.0 */
/* The command that leaves the firmware for a bootloader. */
#include "rig_internal.h"

enum { BOOTLOADER_BOOT, BOOTLOADER_FIELDS };

static const struct rig_field bootloader_fields[BOOTLOADER_FIELDS] = {
	[BOOTLOADER_BOOT] = {.key = "boot", .kind = RIG_FIELD_U32, .optional = true},
};

static enum rig_error bootloader(struct rig_core *core, struct rig_request *request)
{
	const struct rig_field *boot = &request->fields[BOOTLOADER_BOOT];
	zcbor_state_t *out = request->out;
	enum rig_error error =
		rig_interlock_leave(core, boot->present, (uint32_t)boot->value, request->now_ns);

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
	.fields = bootloader_fields,
	.field_count = BOOTLOADER_FIELDS,
	.run = bootloader,
};
