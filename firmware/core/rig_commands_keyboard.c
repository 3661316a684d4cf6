/* SPDX-License-Identifier: Apache-2.0 */
/* What the DUT makes of the board as its keyboard; the key itself is an actuator. */
#include "rig_internal.h"

#include <zcbor_encode.h>

static enum rig_error keyboard(struct rig_core *core, struct rig_request *request)
{
	const struct rig_config *config = &core->config;
	zcbor_state_t *out = request->out;
	struct rig_keyboard found = {0};

	if (config->keyboard == NULL) {
		return RIG_ERR_NO_KEYBOARD;
	}
	config->keyboard(config->context, &found);
	request->fits = rig_wire_put_map(out, 6) &&
			rig_wire_put_u32(out, "boot", config->boot_id) &&
			rig_wire_put_u32(out, "st", (uint32_t)found.state) &&
			rig_wire_put_text(out, "arm") && zcbor_bool_put(out, found.armed) &&
			rig_wire_put_u32(out, "rep", found.reports) &&
			rig_wire_put_u32(out, "wake", found.wakeups) &&
			rig_wire_put_u32(out, "none", found.undelivered);
	return RIG_OK;
}

const struct rig_handler rig_handler_keyboard = {
	.command = RIG_CMD_KEYBOARD,
	.run = keyboard,
};
