/* SPDX-License-Identifier: Apache-2.0 */
/* The heartbeat. This suite's name comes before "guard", after which the guard is done for good. */
#include "board_under_test.h"

#include "rig_guard.h"

#include <zephyr/devicetree.h>
#include <zephyr/drivers/gpio.h>
#include <zephyr/kernel.h>
#include <zephyr/ztest.h>

#define NS_PER_MS UINT64_C(1000000)

static const struct gpio_dt_spec heartbeat =
	GPIO_DT_SPEC_GET(DT_INST(0, resume_rig_actuators), heartbeat_gpios);

static struct {
	struct gpio_callback callback;
	uint32_t toggles;
} beat;

static void toggled(const struct device *port, struct gpio_callback *callback,
		    gpio_port_pins_t pins)
{
	beat.toggles++;
}

static void start(void *unused)
{
	board_boot(NULL);
	gpio_init_callback(&beat.callback, toggled, BIT(heartbeat.pin));
	zassert_ok(gpio_add_callback_dt(&heartbeat, &beat.callback));
	beat.toggles = 0;
}

static void stop(void *unused)
{
	zassert_ok(gpio_remove_callback_dt(&heartbeat, &beat.callback));
	board_halt(NULL);
}

ZTEST(beat, test_the_heartbeat_is_quiet_while_nothing_is_driven)
{
	zassert_ok(rig_guard_turn());
	zassert_equal(beat.toggles, 0);
}

ZTEST(beat, test_the_heartbeat_runs_from_the_guard_while_an_actuator_is_in_use)
{
	zassert_ok(board_press(BUTTON, 50 * NS_PER_MS, false));
	zassert_ok(rig_guard_turn());
	/* One to two ticks of 100 us for each half period; one may fall on the turn's end. */
	zassert_between_inclusive(beat.toggles, CONFIG_RIG_GUARD_PERIOD_MS * 5 - 1,
				  CONFIG_RIG_GUARD_PERIOD_MS * 10 + 10);
	beat.toggles = 0;
	/* Nobody turns the guard: no heartbeat, whatever is driven. */
	k_sleep(K_MSEC(10));
	zassert_true(board_is_driven(BUTTON));
	zassert_equal(beat.toggles, 0);
}

ZTEST_SUITE(beat, NULL, NULL, start, stop, NULL);
