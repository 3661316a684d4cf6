/* SPDX-License-Identifier: Apache-2.0 */
/* From a pin to a numbered edge. */
#include "board_under_test.h"

#include <zephyr/kernel.h>
#include <zephyr/ztest.h>

#define NS_PER_US UINT64_C(1000)

static struct edges_reply reply;

ZTEST(edges, test_edges_are_numbered_from_0_and_stamped_by_the_microsecond)
{
	uint64_t start_ns = board_read(RIG_CMD_TIME, "rx");

	for (uint32_t i = 0; i < 20u; i++) {
		k_busy_wait(37);
		board_set(i % 9u, i < 9u || i >= 18u ? 0 : 1);
	}
	board_edges(0, &reply);
	zassert_equal(reply.first, 0);
	zassert_equal(reply.next, 20);
	zassert_equal(reply.count, 20);
	for (uint32_t i = 0; i < 20u; i++) {
		uint32_t level = i < 9u || i >= 18u ? 0u : 1u;

		zassert_equal(reply.code[i], (i % 9u) * 2u + level);
		zassert_equal(reply.t_ns[i], start_ns + (i + 1u) * 37u * NS_PER_US);
	}
}

ZTEST(edges, test_levels_follow_the_wires)
{
	zassert_equal(board_read(RIG_CMD_LEVELS, "lv"), 0x1ff);
	board_set(SLP_S3, 0);
	board_set(LID_CHANNEL, 0);
	zassert_equal(board_read(RIG_CMD_LEVELS, "lv"), 0x0fd);
}

ZTEST(edges, test_edges_that_nobody_reads_are_overwritten_and_counted)
{
	for (uint32_t i = 0; i < CONFIG_RIG_EDGE_RING_EDGES + 7u; i++) {
		board_set(LED, i % 2u == 0u ? 0 : 1);
		k_sleep(K_USEC(100));
	}
	board_edges(0, &reply);
	zassert_equal(reply.first, 7);
	zassert_equal(reply.overruns, 7);
	zassert_equal(board_read(RIG_CMD_FAULTS, "eovr"), 7);
}

ZTEST(edges, test_edges_faster_than_the_engine_are_counted_and_levels_are_right_again)
{
	uint32_t edges = CONFIG_RIG_EDGE_FIFO_EDGES + 11u;

	k_sched_lock();
	for (uint32_t i = 0; i < edges; i++) {
		board_set(LED, i % 2u == 0u ? 0 : 1);
	}
	k_sched_unlock();
	/* 75 edges: 64 in the queue, which end high, 11 lost, and one that puts the level right. */
	board_edges(0, &reply);
	zassert_equal(reply.next, CONFIG_RIG_EDGE_FIFO_EDGES + 1u);
	zassert_equal(reply.overruns, 11);
	zassert_equal(board_read(RIG_CMD_LEVELS, "lv") & BIT(LED), 0);
}

ZTEST(edges, test_a_board_that_starts_again_starts_its_numbers_again)
{
	board_set(LED, 0);
	board_edges(0, &reply);
	zassert_equal(reply.next, 1);
	board_halt(NULL);
	board_set(PWR_OK, 0);
	board_boot(NULL);
	board_edges(0, &reply);
	zassert_equal(reply.next, 0);
}

ZTEST(edges, test_the_clock_of_a_board_that_starts_is_in_its_first_lap)
{
	uint64_t up_ns = board_read(RIG_CMD_FAULTS, "up");

	zassert_true(up_ns <= (uint64_t)k_uptime_get() * NSEC_PER_MSEC + NSEC_PER_SEC);
}

ZTEST_SUITE(edges, NULL, NULL, board_boot, board_halt, NULL);
