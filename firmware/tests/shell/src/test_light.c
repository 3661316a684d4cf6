/* SPDX-License-Identifier: Apache-2.0 */
/* The photodiode through the thread back end: a sample's time is its number's. */
#include "board_under_test.h"

#include "rig_light.h"

#include <zephyr/devicetree.h>
#include <zephyr/drivers/adc/adc_emul.h>
#include <zephyr/kernel.h>
#include <zephyr/ztest.h>

#define NS_PER_MS UINT64_C(1000000)
#define LIGHT_NODE DT_NODELABEL(light)
#define PERIOD_NS (DT_PROP(LIGHT_NODE, period_us) * UINT64_C(1000))

enum { DARK_MV = 33, LIT_MV = 1650 };

static void shine(uint32_t voltage_mv)
{
	zassert_ok(adc_emul_const_value_set(DEVICE_DT_GET(DT_IO_CHANNELS_CTLR(LIGHT_NODE)),
					    DT_IO_CHANNELS_INPUT(LIGHT_NODE), voltage_mv));
}

static void *begin(void)
{
	/* Threads of the application start once; the engine starts with each test. */
	board_boot(NULL);
	rig_light_start();
	board_halt(NULL);
	return NULL;
}

static void start(void *unused)
{
	board_boot(NULL);
	shine(DARK_MV);
}

/** Let a recording that goes on come to its end, so that the next test begins with none. */
static void stop(void *unused)
{
	zassert_ok(board_arm_light(1));
	k_sleep(K_MSEC(20));
	board_halt(NULL);
}

ZTEST(light, test_every_sample_is_there_and_blocks_are_a_millisecond)
{
	zassert_ok(board_arm_light(50 * NS_PER_MS));
	k_sleep(K_MSEC(70));
	zassert_between_inclusive(board_light(), 50, 51);
	zassert_equal(board_read(RIG_CMD_FAULTS, "lovr"), 0);
}

ZTEST(light, test_the_onset_of_light_is_told_to_a_sample)
{
	uint64_t lit_ns;

	zassert_ok(board_arm_light(3000 * NS_PER_MS));
	k_sleep(K_MSEC(150));
	zassert_equal(board_read(RIG_CMD_ONSET, "st"), RIG_ONSET_DARK);
	shine(LIT_MV);
	lit_ns = board_read(RIG_CMD_TIME, "rx");
	k_sleep(K_MSEC(1700));
	zassert_equal(board_read(RIG_CMD_ONSET, "st"), RIG_ONSET_OK);
	/* Between the samples before and after, averaged over 1 ms. */
	zassert_within(board_read(RIG_CMD_ONSET, "t50"), lit_ns, PERIOD_NS);
	zassert_equal(board_read(RIG_CMD_FAULTS, "lovr"), 0);
}

ZTEST(light, test_late_wake_ups_move_no_stamp)
{
	zassert_ok(board_arm_light(3000 * NS_PER_MS));
	for (uint32_t i = 0; i < 1000u; i++) {
		k_sleep(K_USEC(700));
		k_sched_lock();
		k_busy_wait((uint32_t)(PERIOD_NS / 1000u) * 9u / 10u);
		k_sched_unlock();
	}
	zassert_equal(board_read(RIG_CMD_ONSET, "st"), RIG_ONSET_DARK);
	zassert_equal(board_read(RIG_CMD_FAULTS, "lovr"), 0);
}

ZTEST(light, test_missed_samples_are_counted_and_the_onset_says_lost)
{
	zassert_ok(board_arm_light(400 * NS_PER_MS));
	k_sleep(K_MSEC(200));
	k_sched_lock();
	k_busy_wait(5000);
	k_sched_unlock();
	k_sleep(K_MSEC(100));
	zassert_equal(board_read(RIG_CMD_FAULTS, "lovr"), 1);
	zassert_equal(board_read(RIG_CMD_ONSET, "st"), RIG_ONSET_LOST);
	/* It went on by itself. */
	k_sleep(K_MSEC(120));
	zassert_between_inclusive(board_light(), 385, 397);
}

ZTEST(light, test_a_press_ends_on_time_while_light_is_recorded)
{
	zassert_ok(board_arm_light(300 * NS_PER_MS));
	k_sleep(K_MSEC(10));
	zassert_ok(board_press(BUTTON, 100 * NS_PER_MS, false));
	k_sleep(K_USEC(99800));
	zassert_true(board_is_driven(BUTTON));
	k_sleep(K_USEC(400));
	zassert_false(board_is_driven(BUTTON));
}

ZTEST(light, test_stamps_do_not_drift)
{
	const uint64_t day = 48000u * UINT64_C(86400);

	zassert_equal(rig_light_stamp_ns(17, 0, 48000), 17);
	zassert_equal(rig_light_stamp_ns(17, 1, 48000), 17 + 20833);
	zassert_equal(rig_light_stamp_ns(17, 3, 48000), 17 + 62500);
	zassert_equal(rig_light_stamp_ns(0, day, 48000), UINT64_C(86400) * NSEC_PER_SEC);
	zassert_equal(rig_light_stamp_ns(0, day * 365u + 3u, 48000),
		      UINT64_C(31536000) * NSEC_PER_SEC + 62500u);
}

ZTEST_SUITE(light, NULL, begin, start, stop, NULL);
