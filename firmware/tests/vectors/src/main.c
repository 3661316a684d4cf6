/* SPDX-License-Identifier: Apache-2.0 */
/* Every golden exchange, byte by byte, with Zephyr's build of the core and of zcbor. */
#include "vector_board.h"

#include <zephyr/ztest.h>

static struct bench bench;

ZTEST(vectors, test_every_exchange_is_answered_byte_by_byte)
{
	for (uint32_t i = 0; i < VECTOR_EXCHANGES; i++) {
		const struct vector_exchange *exchange = vector_board_at(i);
		int rc;

		zassert_ok(vector_board_start(&bench, exchange->board), "%s", exchange->name);
		vector_board_prepare(&bench, exchange);
		rc = vector_board_exchange(&bench, exchange, exchange->request,
					   exchange->request_len);
		zassert_equal(rc, exchange->smp_rc, "%s", exchange->name);
		zassert_equal(bench.reply_len, exchange->reply_len, "%s", exchange->name);
		zassert_mem_equal(bench.reply, exchange->reply, exchange->reply_len, "%s",
				  exchange->name);
	}
}

ZTEST_SUITE(vectors, NULL, NULL, NULL, NULL, NULL);
