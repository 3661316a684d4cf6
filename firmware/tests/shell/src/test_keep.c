/* SPDX-License-Identifier: Apache-2.0 */
/* Keeping a calibration while edges come and actuators are driven. */
#include "board_under_test.h"

#include <zephyr/kernel.h>
#include <zephyr/ztest.h>

#define NS_PER_MS UINT64_C(1000000)

static struct edges_reply reply;

static void change(struct k_timer *timer)
{
	board_set(LED, 0);
	board_set(SLP_S3, 0);
	board_set(SLP_S3, 1);
}

static K_TIMER_DEFINE(meanwhile, change, NULL);

ZTEST(keep, test_a_calibration_is_there_after_a_start)
{
	zassert_ok(board_calibrate(777));
	zassert_equal(board_read(RIG_CMD_CALIBRATION, "cal"), 777);
	board_halt(NULL);
	board_boot(NULL);
	zassert_equal(board_read(RIG_CMD_CALIBRATION, "cal"), 777);
}

ZTEST(keep, test_flash_is_not_written_while_something_is_driven)
{
	zassert_ok(board_calibrate(1));
	zassert_ok(board_press(BUTTON, 20 * NS_PER_MS, false));
	zassert_equal(board_calibrate(2), RIG_ERR_BUSY);
	k_sleep(K_MSEC(21));
	zassert_ok(board_lid(true));
	zassert_equal(board_calibrate(2), RIG_ERR_BUSY);
	zassert_ok(board_lid(false));
	zassert_equal(board_read(RIG_CMD_CALIBRATION, "cal"), 1);
	zassert_ok(board_calibrate(2));
}

ZTEST(keep, test_edges_before_and_after_it_keep_their_numbers_and_stamps)
{
	uint64_t start_ns = board_read(RIG_CMD_TIME, "rx");

	board_set(LED, 0);
	zassert_ok(board_calibrate(3));
	board_set(LED, 1);
	board_edges(0, &reply);
	zassert_equal(reply.next, 2);
	zassert_equal(reply.overruns, 0);
	zassert_true(reply.t_ns[0] >= start_ns);
}

ZTEST(keep, test_edges_while_flash_is_written_are_lost_and_counted_and_levels_are_right)
{
	k_timer_start(&meanwhile, K_MSEC(1), K_NO_WAIT);
	zassert_ok(board_calibrate(4));
	board_edges(0, &reply);
	/* Three that came and are not told, and one that puts a level right. */
	zassert_equal(reply.overruns, 3);
	zassert_equal(reply.next, 1);
	zassert_equal(reply.code[0], LED * 2u);
	zassert_equal(board_read(RIG_CMD_LEVELS, "lv"), 0x1ff & ~BIT(LED));
}

ZTEST_SUITE(keep, NULL, NULL, board_boot, board_halt, NULL);
