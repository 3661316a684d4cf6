/* SPDX-License-Identifier: Apache-2.0 */
/* Every golden exchange, byte by byte. */
#include "suites.h"
#include "vector_board.h"

static void run_exchange(struct check_tally *tally, const struct vector_exchange *exchange)
{
	struct bench bench;

	CHECK_EQ(vector_board_start(&bench, exchange->board), 0);
	vector_board_prepare(&bench, exchange);
	CHECK_EQ(vector_board_exchange(&bench, exchange, exchange->request, exchange->request_len),
		 exchange->smp_rc);
	CHECK_EQ(bench.reply_len, exchange->reply_len);
	CHECK(memcmp(bench.reply, exchange->reply, exchange->reply_len) == 0);
}

void test_vectors(struct check_tally *tally)
{
	for (uint32_t i = 0; i < VECTOR_EXCHANGES; i++) {
		tally->test = vector_board_at(i)->name;
		tally->broken = false;
		run_exchange(tally, vector_board_at(i));
		check_count(tally);
	}
}
