/* SPDX-License-Identifier: Apache-2.0 */
/* What the golden vectors do not show of press, lid and release. */
#include "bench.h"
#include "suites.h"

#define PRESS_FORCED                                                                               \
	"\xa4\x63"                                                                                 \
	"act\x00\x63"                                                                              \
	"dur\x1b\x00\x00\x00\x02\xcb\x41\x78\x00\x63"                                              \
	"tok\x01\x65"                                                                              \
	"force\xf5"
#define LID_CLOSE                                                                                  \
	"\xa2\x66"                                                                                 \
	"closed\xf5\x63"                                                                           \
	"tok\x01"

#define REQUEST(bench, command, literal)                                                           \
	bench_request(bench, command, true, literal, sizeof(literal) - 1u)

static void a_forced_press_of_twelve_seconds_is_kept_up_by_requests(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(REQUEST(&bench, RIG_CMD_PRESS, PRESS_FORCED), 0);
	CHECK_EQ(bench_error(&bench), 0);
	for (bench.now_ns = 10 * S; bench.now_ns < 22 * S; bench.now_ns += S) {
		CHECK_EQ(bench_request(&bench, RIG_CMD_TIME, false, "\xa0", 1), 0);
		CHECK(bench.driven[BUTTON]);
	}
	bench_tick(&bench, 22 * S);
	CHECK(!bench.driven[BUTTON]);
	CHECK_EQ(bench.core.lease_expiries, 0);
}

static void a_lid_reply_has_no_end(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(REQUEST(&bench, RIG_CMD_LID, LID_CLOSE), 0);
	CHECK_EQ(bench.reply[0], 0xa2);
	CHECK(bench.driven[LID]);
}

static void release_refuses_what_is_no_request_and_releases_nothing(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(REQUEST(&bench, RIG_CMD_LID, LID_CLOSE), 0);
	CHECK_EQ(REQUEST(&bench, RIG_CMD_RELEASE, "\x80"), 0);
	CHECK_EQ(bench_error(&bench), RIG_ERR_BAD_REQUEST);
	CHECK(bench.driven[LID]);
	CHECK_EQ(REQUEST(&bench, RIG_CMD_RELEASE, "\xa0"), 0);
	CHECK(!bench.driven[LID]);
}

static void a_bad_request_is_no_refused_action(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(REQUEST(&bench, RIG_CMD_PRESS, "\xa0"), 0);
	CHECK_EQ(bench_error(&bench), RIG_ERR_BAD_REQUEST);
	CHECK_EQ(bench.core.refusals, 0);
}

void test_commands_action(struct check_tally *tally)
{
	RUN(tally, a_forced_press_of_twelve_seconds_is_kept_up_by_requests);
	RUN(tally, a_lid_reply_has_no_end);
	RUN(tally, release_refuses_what_is_no_request_and_releases_nothing);
	RUN(tally, a_bad_request_is_no_refused_action);
}
