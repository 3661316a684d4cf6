/* SPDX-License-Identifier: Apache-2.0 */
/* What the golden vectors do not show of press, lid, contact and release. */
#include "bench.h"
#include "suites.h"

#define PRESS_FORCED                                                                               \
	"\xa6\x63"                                                                                 \
	"act\x00\x63"                                                                              \
	"dur\x1b\x00\x00\x00\x02\xcb\x41\x78\x00\x63"                                              \
	"tok\x01\x64"                                                                              \
	"boot\x07\x65"                                                                             \
	"nonce\x05\x65"                                                                            \
	"force\xf5"
/* act 3, dur 500 ms, boot 7, tok 1 */
#define PRESS_KEY_FIELDS                                                                           \
	"act\x03\x63"                                                                              \
	"dur\x1a\x1d\xcd\x65\x00\x64"                                                              \
	"boot\x07\x63"                                                                             \
	"tok\x01"
#define LID_CLOSE                                                                                  \
	"\xa3\x66"                                                                                 \
	"closed\xf5\x64"                                                                           \
	"boot\x07\x63"                                                                             \
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

enum { DOCK = 2, KEY = 3 };

/** A keyboard's key and a dry contact behind the two of bench_start(). */
static void start_waker(struct bench *bench)
{
	static const struct rig_actuator_config actuators[] = {
		[BUTTON] = {.name = "BUTTON",
			    .kind = RIG_ACTUATOR_PRESS,
			    .max_press_ns = 1 * S,
			    .max_force_ns = 12 * S},
		[LID] = {.name = "LID", .kind = RIG_ACTUATOR_HOLD},
		[DOCK] = {.name = "CONTACT",
			  .kind = RIG_ACTUATOR_CONTACT,
			  .min_release_ns = 1 * S,
			  .max_hold_ns = 5 * S},
		[KEY] = {.name = "KEYBOARD", .kind = RIG_ACTUATOR_KEY, .max_press_ns = 1 * S},
	};
	struct rig_config config;

	*bench = (struct bench){.now_ns = 10 * S};
	config = bench_config(bench);
	config.actuators = actuators;
	config.actuator_count = sizeof(actuators) / sizeof(actuators[0]);
	(void)bench_start_with(bench, &config, 0x1ff);
	bench_tick(bench, 12 * S);
	bench_forget(bench);
}

static void a_contact_and_a_lid_are_two(struct check_tally *tally)
{
	struct bench bench;

	start_waker(&bench);
	CHECK_EQ(REQUEST(&bench, RIG_CMD_CONTACT, LID_CLOSE), 0);
	CHECK(bench.driven[DOCK] && !bench.driven[LID]);
	CHECK_EQ(REQUEST(&bench, RIG_CMD_LID, LID_CLOSE), 0);
	CHECK(bench.driven[DOCK] && bench.driven[LID]);
	rig_core_release(&bench.core);
	CHECK(!bench.driven[DOCK] && !bench.driven[LID]);
}

static void a_contact_opens_with_the_lease_and_at_its_longest_hold(struct check_tally *tally)
{
	struct bench bench;

	start_waker(&bench);
	CHECK_EQ(REQUEST(&bench, RIG_CMD_CONTACT, LID_CLOSE), 0);
	bench_tick(&bench, 15 * S);
	CHECK(!bench.driven[DOCK]);
	CHECK_EQ(bench.core.lease_expiries, 1);

	start_waker(&bench);
	CHECK_EQ(REQUEST(&bench, RIG_CMD_CONTACT, LID_CLOSE), 0);
	for (; bench.now_ns < 17 * S; bench.now_ns += S) {
		CHECK_EQ(bench_request(&bench, RIG_CMD_TIME, false, "\xa0", 1), 0);
		CHECK(bench.driven[DOCK]);
	}
	bench_tick(&bench, 17 * S);
	CHECK(!bench.driven[DOCK]);
	CHECK_EQ(bench.core.lease_expiries, 0);
}

static void a_key_is_let_go_of_by_the_release_and_never_forced(struct check_tally *tally)
{
	static const char forced[] = "\xa6\x63" PRESS_KEY_FIELDS "\x65"
				     "nonce\x05\x65"
				     "force\xf5";
	static const char plain[] = "\xa4\x63" PRESS_KEY_FIELDS;
	struct bench bench;

	start_waker(&bench);
	CHECK_EQ(bench_request(&bench, RIG_CMD_PRESS, true, forced, sizeof(forced) - 1u), 0);
	CHECK_EQ(bench_error(&bench), RIG_ERR_TOO_LONG);
	CHECK_EQ(bench_request(&bench, RIG_CMD_PRESS, true, plain, sizeof(plain) - 1u), 0);
	CHECK(bench.driven[KEY]);
	rig_core_release(&bench.core);
	CHECK(!bench.driven[KEY]);
}

void test_commands_action(struct check_tally *tally)
{
	RUN(tally, a_forced_press_of_twelve_seconds_is_kept_up_by_requests);
	RUN(tally, a_lid_reply_has_no_end);
	RUN(tally, release_refuses_what_is_no_request_and_releases_nothing);
	RUN(tally, a_bad_request_is_no_refused_action);
	RUN(tally, a_contact_and_a_lid_are_two);
	RUN(tally, a_contact_opens_with_the_lease_and_at_its_longest_hold);
	RUN(tally, a_key_is_let_go_of_by_the_release_and_never_forced);
}
