/* SPDX-License-Identifier: Apache-2.0 */
#include "rig_guard.h"

#include "rig_board.h"
#include "rig_engine.h"
#include "rig_past.h"

#include <zephyr/devicetree.h>
#include <zephyr/drivers/watchdog.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>
#include <zephyr/sys/reboot.h>

LOG_MODULE_REGISTER(rig_guard, CONFIG_RIG_LOG_LEVEL);

#define HAS_WATCHDOG (IS_ENABLED(CONFIG_WATCHDOG) && DT_NODE_HAS_STATUS(DT_ALIAS(watchdog0), okay))

/** Below a second by more than a turn takes. */
#define NOTE_PERIOD_MS 900

static struct {
	/** of the watchdog; below 0: none */
	int channel;
	bool failed;
	/** uptime of the newest note */
	int64_t noted_ms;
} guard = {.channel = -1};

#if HAS_WATCHDOG
static const struct device *const watchdog = DEVICE_DT_GET(DT_ALIAS(watchdog0));

/** Set it going with a timeout; drivers of the boards take another one while it runs. */
static int set_timeout(uint32_t timeout_ms)
{
	const struct wdt_timeout_cfg timeout = {
		.window = {.min = 0, .max = timeout_ms},
		.flags = WDT_FLAG_RESET_SOC,
	};
	int channel;
	int ret;

	/* A feed between key and value of an STM32's watchdog would lock its registers again. */
	k_sched_lock();
	channel = wdt_install_timeout(watchdog, &timeout);
	ret = channel < 0 ? channel : wdt_setup(watchdog, WDT_OPT_PAUSE_HALTED_BY_DBG);
	/* Not every watchdog can pause for a debugger. */
	if (ret == -ENOTSUP) {
		ret = wdt_setup(watchdog, 0);
	}
	if (ret == 0) {
		guard.channel = channel;
	}
	k_sched_unlock();
	return ret;
}

int rig_guard_start(void)
{
	return device_is_ready(watchdog) ? set_timeout(CONFIG_RIG_WATCHDOG_TIMEOUT_MS) : -ENODEV;
}

#ifdef CONFIG_RIG_UPDATE
void rig_guard_expect_erase(bool expected)
{
	int ret;

	if (guard.channel < 0 || guard.failed) {
		return;
	}
	ret = set_timeout(expected ? CONFIG_RIG_ERASE_TIMEOUT_MS : CONFIG_RIG_WATCHDOG_TIMEOUT_MS);
	if (ret < 0) {
		LOG_ERR("Could not change the watchdog's timeout (%d)", ret);
	}
}
#endif

static void feed(void)
{
	if (guard.channel >= 0) {
		(void)wdt_feed(watchdog, guard.channel);
	}
}
#else
int rig_guard_start(void)
{
	return 0;
}

void rig_guard_expect_erase(bool expected)
{
}

static void feed(void)
{
}
#endif

/** Note how the boot fares, each second. */
static void note(void)
{
	int64_t now_ms = k_uptime_get();

	if (now_ms - guard.noted_ms >= NOTE_PERIOD_MS) {
		guard.noted_ms = now_ms;
		rig_engine_note();
	}
}

/** Toggle the heartbeat for one guard period, or only sleep for as long. */
static void spend_period(bool beat)
{
	int64_t end_ms = k_uptime_get() + CONFIG_RIG_GUARD_PERIOD_MS;

	if (!beat) {
		k_sleep(K_MSEC(CONFIG_RIG_GUARD_PERIOD_MS));
		return;
	}
	while (k_uptime_get() < end_ms) {
		rig_board_toggle_heartbeat();
		k_sleep(K_USEC(CONFIG_RIG_HEARTBEAT_HALF_PERIOD_US));
	}
}

void rig_guard_give_up(void)
{
	if (HAS_WATCHDOG) {
		k_sleep(K_FOREVER);
	}
	sys_reboot(SYS_REBOOT_COLD);
}

int rig_guard_turn(void)
{
	bool active = false;

	if (guard.failed || rig_engine_check(CONFIG_RIG_GUARD_PATIENCE_MS, &active) < 0) {
		rig_board_release_all();
		if (!guard.failed) {
			rig_past_end("engine-late");
			LOG_ERR("Engine is late by more than %d ms: let go of everything",
				CONFIG_RIG_GUARD_PATIENCE_MS);
		}
		guard.failed = true;
		return -ETIMEDOUT;
	}
	feed();
	note();
	spend_period(active && rig_board_has_heartbeat());
	return 0;
}
