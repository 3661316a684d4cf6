/* SPDX-License-Identifier: Apache-2.0 */
/* The rig group behind mcumgr: packets in, packets out. */
#include "board_under_test.h"

#include "rig_engine.h"
#include "rig_mgmt.h"

#include <string.h>
#include <zephyr/kernel.h>
#include <zephyr/mgmt/mcumgr/transport/smp_dummy.h>
#include <zephyr/net/buf.h>
#include <zephyr/ztest.h>

static void start(void *unused)
{
	board_boot(NULL);
	rig_mgmt_start();
	smp_dummy_enable();
}

static void stop(void *unused)
{
	/* Replies that nobody waited for must not reach the next test. */
	k_sleep(K_MSEC(1));
	smp_dummy_disable();
	rig_mgmt_stop();
	board_halt(NULL);
}

/** A packet's header and as much behind it as the tests look at. */
struct reply {
	uint8_t data[64];
	size_t len;
};

/** Send one packet and wait for the first reply. */
static struct reply ask(const uint8_t *packet, size_t len)
{
	struct net_buf *received;
	struct reply reply = {0};

	smp_dummy_clear_state();
	(void)smp_dummy_tx_pkt(packet, (int)len);
	smp_dummy_add_data();
	zassert_true(smp_dummy_wait_for_data(1), "no reply");
	received = smp_dummy_get_outgoing();
	zassert_not_null(received);
	reply.len = received->len;
	memcpy(reply.data, received->data, MIN(received->len, sizeof(reply.data)));
	net_buf_unref(received);
	return reply;
}

ZTEST(mgmt, test_time_is_answered_with_a_whole_map)
{
	static const uint8_t packet[] = {0x08, 0, 0, 1, 0, 64, 42, RIG_CMD_TIME, 0xa0};
	struct reply reply = ask(packet, sizeof(packet));

	zassert_equal(reply.data[0], 0x09);
	zassert_equal(reply.data[5], 64);
	zassert_equal(reply.data[6], 42);
	zassert_equal(reply.data[7], RIG_CMD_TIME);
	zassert_equal(reply.data[3] + 8, reply.len);
	zassert_equal(reply.data[8], 0xa3);
}

ZTEST(mgmt, test_the_length_of_the_header_bounds_the_request)
{
	/* Two requests in one packet: the first one's map must not swallow the second one. */
	static const uint8_t packet[] = {0x08, 0, 0, 1, 0, 64, 1, RIG_CMD_LEVELS, 0xa0,
					 0x08, 0, 0, 1, 0, 64, 2, RIG_CMD_LEVELS, 0xa0};
	struct reply reply = ask(packet, sizeof(packet));

	zassert_equal(reply.data[8], 0xa3);
}

ZTEST(mgmt, test_an_operation_that_a_command_lacks_is_not_supported)
{
	static const uint8_t packet[] = {0x0a, 0, 0, 1, 0, 64, 3, RIG_CMD_TIME, 0xa0};
	struct reply reply = ask(packet, sizeof(packet));

	zassert_equal(reply.data[0], 0x0b);
	zassert_mem_equal(&reply.data[9], "\x62rc\x08", 4);
}

ZTEST(mgmt, test_a_reset_without_a_permit_is_refused_as_the_groups_error_and_lets_go_of_nothing)
{
	/* SMP version 2: errors are maps of their group. */
	static const uint8_t packet[] = {0x0a, 0, 0, 1, 0, 0, 5, 5, 0xa0};
	static const uint8_t refused[] = "\xbf\x63"
					 "err\xbf\x65"
					 "group\x18\x40\x62"
					 "rc\x17\xff\xff";

	zassert_equal(board_lid(true), 0);
	for (uint32_t i = 1; i <= 2u; i++) {
		struct reply reply = ask(packet, sizeof(packet));

		zassert_mem_equal(&reply.data[8], refused, sizeof(refused) - 1u);
		zassert_true(board_is_driven(LID));
		zassert_equal(board_read(RIG_CMD_FAULTS, "ref"), i);
	}
	zassert_equal(board_permit(BOARD_NONCE - 1u), RIG_ERR_NO_NONCE);
	zassert_false(rig_engine_take_permit());
	zassert_ok(board_permit(BOARD_NONCE));
	zassert_true(rig_engine_take_permit());
	zassert_false(rig_engine_take_permit());
}

ZTEST_SUITE(mgmt, NULL, NULL, start, stop, NULL);
