/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"
#include "suites.h"

#define EMPTY "\xa0"

static int request_with_room(struct bench *bench, uint32_t command, size_t room)
{
	return rig_core_request(&bench->core, command, false, bench->now_ns, (const uint8_t *)EMPTY,
				1, bench->reply, room, &bench->reply_len);
}

static void unknown_commands_and_operations_are_not_supported(struct check_tally *tally)
{
	static const struct {
		uint32_t command;
		bool write;
	} cases[] = {
		{14, false},
		{UINT32_MAX, true},
		{RIG_CMD_INFO, true},
		{RIG_CMD_TIME, true},
		{RIG_CMD_EDGES, true},
		{RIG_CMD_LEVELS, true},
		{RIG_CMD_PRESS, false},
		{RIG_CMD_LID, false},
		{RIG_CMD_RELEASE, false},
		{RIG_CMD_SELFTEST, false},
		{RIG_CMD_FAULTS, true},
		{RIG_CMD_ONSET, true},
		{RIG_CMD_SAMPLES, true},
	};
	struct bench bench;

	bench_start(&bench);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK_EQ(bench_request(&bench, cases[i].command, cases[i].write, EMPTY, 1),
			 RIG_SMP_ENOTSUP);
		CHECK_EQ(bench.reply_len, 0);
	}
}

static void every_request_renews_the_lease(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(bench_request(&bench, RIG_CMD_LEVELS, false, EMPTY, 1), 0);
	CHECK_EQ(bench.core.last_contact_ns, 10 * S);
	bench.now_ns = 11 * S;
	CHECK_EQ(bench_request(&bench, 99, false, EMPTY, 1), RIG_SMP_ENOTSUP);
	CHECK_EQ(bench.core.last_contact_ns, 11 * S);
}

static void overdue_actions_are_done_before_the_request(struct check_tally *tally)
{
	static const char press[] = "\xa3\x63"
				    "act\x00\x63"
				    "dur\x01\x63"
				    "tok\x01";
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(bench_request(&bench, RIG_CMD_PRESS, true, press, sizeof(press) - 1u), 0);
	CHECK(bench.driven[BUTTON]);
	bench.now_ns = 11 * S;
	CHECK_EQ(bench_request(&bench, RIG_CMD_LEVELS, false, EMPTY, 1), 0);
	CHECK(!bench.driven[BUTTON]);
}

static void a_reply_never_passes_the_end_of_its_buffer(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	for (size_t room = 0; room < 400; room++) {
		int rc;

		memset(bench.reply, 0x55, sizeof(bench.reply));
		rc = request_with_room(&bench, RIG_CMD_INFO, room);
		CHECK(rc == 0 || rc == RIG_SMP_EMSGSIZE);
		CHECK(bench.reply_len <= room);
		CHECK_EQ(bench.reply[room], 0x55);
		CHECK_EQ(rc == 0, rig_wire_item_len(bench.reply, bench.reply_len) > 0u);
	}
	CHECK_EQ(request_with_room(&bench, RIG_CMD_INFO, 400), 0);
}

static void too_little_room_stops_an_action_before_it_starts(struct check_tally *tally)
{
	static const char press[] = "\xa3\x63"
				    "act\x00\x63"
				    "dur\x01\x63"
				    "tok\x01";
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(rig_core_request(&bench.core, RIG_CMD_PRESS, true, 10 * S, (const uint8_t *)press,
				  sizeof(press) - 1u, bench.reply, RIG_REPLY_MIN - 1u,
				  &bench.reply_len),
		 RIG_SMP_EMSGSIZE);
	CHECK_EQ(bench.drive_count, 0);
}

static void a_group_error_is_a_map_of_its_own(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(bench_request(&bench, RIG_CMD_TIME, false, "\x01", 1), 0);
	CHECK_EQ(bench_error(&bench), RIG_ERR_BAD_REQUEST);
	CHECK_EQ(rig_wire_item_len(bench.reply, bench.reply_len), bench.reply_len);
}

static void no_bytes_at_all_are_a_bad_request(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(bench_request(&bench, RIG_CMD_TIME, false, NULL, 0), 0);
	CHECK_EQ(bench_error(&bench), RIG_ERR_BAD_REQUEST);
}

void test_request(struct check_tally *tally)
{
	RUN(tally, unknown_commands_and_operations_are_not_supported);
	RUN(tally, every_request_renews_the_lease);
	RUN(tally, overdue_actions_are_done_before_the_request);
	RUN(tally, a_reply_never_passes_the_end_of_its_buffer);
	RUN(tally, too_little_room_stops_an_action_before_it_starts);
	RUN(tally, a_group_error_is_a_map_of_its_own);
	RUN(tally, no_bytes_at_all_are_a_bad_request);
}
