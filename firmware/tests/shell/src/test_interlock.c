/* SPDX-License-Identifier: Apache-2.0 */
/* What the outputs do, and that they let go. */
#include "board_under_test.h"

#include <zephyr/kernel.h>
#include <zephyr/ztest.h>

#define NS_PER_MS UINT64_C(1000000)

/** Ends of presses are due at whole ticks. */
#define TICK_US 200

ZTEST(interlock, test_outputs_are_released_at_the_start)
{
	zassert_false(board_is_driven(BUTTON));
	zassert_false(board_is_driven(LID));
}

ZTEST(interlock, test_a_press_ends_on_time)
{
	zassert_ok(board_press(BUTTON, 100 * NS_PER_MS, false));
	zassert_true(board_is_driven(BUTTON));
	k_sleep(K_USEC(99800));
	zassert_true(board_is_driven(BUTTON));
	k_sleep(K_USEC(200 + TICK_US));
	zassert_false(board_is_driven(BUTTON));
}

ZTEST(interlock, test_a_press_of_a_microsecond_ends_too)
{
	zassert_ok(board_press(BUTTON, 1000, false));
	k_sleep(K_USEC(2 * TICK_US));
	zassert_false(board_is_driven(BUTTON));
}

ZTEST(interlock, test_a_lid_is_let_go_when_the_lease_is_over)
{
	zassert_ok(board_lid(true));
	k_sleep(K_MSEC(CONFIG_RIG_LEASE_MS - 1));
	zassert_true(board_is_driven(LID));
	k_sleep(K_USEC(1000 + TICK_US));
	zassert_false(board_is_driven(LID));
	zassert_equal(board_read(RIG_CMD_FAULTS, "lease"), 1);
}

ZTEST(interlock, test_a_forced_press_ends_with_the_lease_of_a_silent_host)
{
	zassert_ok(board_press(BUTTON, 12000 * NS_PER_MS, true));
	k_sleep(K_MSEC(CONFIG_RIG_LEASE_MS + 1));
	zassert_false(board_is_driven(BUTTON));
}

ZTEST(interlock, test_a_host_that_is_heard_keeps_its_lease)
{
	zassert_ok(board_lid(true));
	for (int i = 0; i < 5; i++) {
		k_sleep(K_MSEC(CONFIG_RIG_LEASE_MS - 10));
		(void)board_read(RIG_CMD_TIME, "rx");
	}
	zassert_true(board_is_driven(LID));
}

ZTEST(interlock, test_refusals_move_nothing_and_are_counted)
{
	zassert_equal(board_press(BUTTON, 1001 * NS_PER_MS, false), RIG_ERR_TOO_LONG);
	zassert_equal(board_press(BUTTON, 12001 * NS_PER_MS, true), RIG_ERR_TOO_LONG);
	zassert_equal(board_press(BUTTON, 0, false), RIG_ERR_TOO_SHORT);
	zassert_equal(board_press(LID, NS_PER_MS, false), RIG_ERR_NO_ACTUATOR);
	zassert_false(board_is_driven(BUTTON));
	zassert_ok(board_press(BUTTON, 100 * NS_PER_MS, false));
	zassert_equal(board_press(BUTTON, 100 * NS_PER_MS, false), RIG_ERR_BUSY);
	zassert_equal(board_read(RIG_CMD_FAULTS, "ref"), 5);
}

ZTEST(interlock, test_presses_back_to_back_are_no_hold)
{
	for (int i = 0; i < 2; i++) {
		zassert_ok(board_press(BUTTON, 950 * NS_PER_MS, false));
		for (int part = 0; part < 2; part++) {
			k_sleep(K_MSEC(475));
			(void)board_read(RIG_CMD_TIME, "rx");
		}
		k_sleep(K_USEC(TICK_US));
		zassert_false(board_is_driven(BUTTON));
		zassert_equal(board_press(BUTTON, 950 * NS_PER_MS, false), RIG_ERR_TOO_SOON);
		zassert_false(board_is_driven(BUTTON));
		k_sleep(K_MSEC(BOARD_RELEASE_MS));
	}
	/* 1.9 s of 5 s are over. */
	zassert_equal(board_press(BUTTON, 950 * NS_PER_MS, false), RIG_ERR_TOO_MUCH);
	zassert_ok(board_press(BUTTON, 95 * NS_PER_MS, false));
}

ZTEST(interlock, test_garbage_keeps_no_lease)
{
	zassert_ok(board_lid(true));
	for (int i = 0; i < CONFIG_RIG_LEASE_MS / 100; i++) {
		k_sleep(K_MSEC(100));
		zassert_equal(board_garbage(), RIG_ERR_BAD_REQUEST);
	}
	k_sleep(K_USEC(TICK_US));
	zassert_false(board_is_driven(LID));
}

ZTEST(interlock, test_a_board_that_stops_lets_go)
{
	zassert_ok(board_press(BUTTON, 500 * NS_PER_MS, false));
	zassert_ok(board_lid(true));
	board_halt(NULL);
	zassert_false(board_is_driven(BUTTON));
	zassert_false(board_is_driven(LID));
	board_boot(NULL);
}

ZTEST_SUITE(interlock, NULL, NULL, board_boot, board_halt, NULL);
