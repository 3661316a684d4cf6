/* SPDX-License-Identifier: Apache-2.0 */
/* Starts what the rig consists of, then guards it. */
#include "rig_board.h"
#include "rig_engine.h"
#include "rig_guard.h"
#include "rig_identity.h"
#include "rig_light.h"
#include "rig_mgmt.h"
#include "rig_power.h"
#include "rig_past.h"
#include "rig_trial.h"
#ifdef CONFIG_RIG_USB_NEXT
#include "rig_usb.h"
#endif

#include <app_version.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>

LOG_MODULE_REGISTER(rig, CONFIG_RIG_LOG_LEVEL);

/** The group is registered last: a board that did not start answers "not supported", and echoes. */
static int start(void)
{
	struct rig_identity identity = rig_identity_take();
	const struct rig_part *const parts[] = {rig_light_part(), rig_power_part()};
	int ret;

	rig_past_begin(&identity, rig_past_memory());
	ret = rig_board_init();

	if (ret < 0) {
		return ret;
	}
	ret = rig_engine_start(&identity, parts, ARRAY_SIZE(parts));
	if (ret < 0) {
		return ret;
	}
	rig_light_start();
	rig_power_start();
	ret = rig_guard_start();
	if (ret < 0) {
		LOG_ERR("Could not start the watchdog (%d)", ret);
		return ret;
	}
	rig_mgmt_start();
	rig_trial_rig_started();
	LOG_INF("resume-rig %s on %s, boot %08x, reset by %s", APP_VERSION_STRING,
		CONFIG_BOARD_TARGET, identity.boot_id, identity.reset_reason);
	return 0;
}

/** Where the USB stack does not start by itself; a board without its port can only be reset. */
static void start_port(void)
{
#ifdef CONFIG_RIG_USB_NEXT
	int ret = rig_usb_start();

	if (ret < 0) {
		LOG_ERR("Could not start the USB port (%d)", ret);
	}
#endif
}

int main(void)
{
	int ret;

	start_port();
	rig_trial_begin();
	ret = start();
	if (ret < 0) {
		LOG_ERR("Could not start (%d); outputs are released, only the OS group answers",
			ret);
		rig_board_release_all();
		return ret;
	}
	while (ret == 0) {
		ret = rig_guard_turn();
		rig_trial_engine_lives();
	}
	rig_guard_give_up();
	return ret;
}
