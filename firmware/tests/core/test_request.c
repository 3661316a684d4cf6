/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"
#include "suites.h"

#define EMPTY "\xa0"
#define FROM_9                                                                                     \
	"\xa1\x64"                                                                                 \
	"from\x09"
#define CLOSE_BY_1                                                                                 \
	"\xa4\x66"                                                                                 \
	"closed\xf5\x63"                                                                           \
	"tok\x01\x64"                                                                              \
	"boot\x07\x64"                                                                             \
	"host\x01"

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
		{18, false},
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
		{RIG_CMD_CONTACT, false},
		{RIG_CMD_KEYBOARD, true},
		{RIG_CMD_POWER, true},
		{RIG_CMD_BOOTLOADER, false},
		{RIG_CMD_PERMIT, false},
	};
	struct bench bench;

	bench_start(&bench);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK_EQ(bench_request(&bench, cases[i].command, cases[i].write, EMPTY, 1),
			 RIG_SMP_ENOTSUP);
		CHECK_EQ(bench.reply_len, 0);
	}
}

static void only_what_is_understood_renews_the_lease(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(bench_request(&bench, RIG_CMD_LEVELS, false, EMPTY, 1), 0);
	CHECK_EQ(bench.core.last_contact_ns, 10 * S);
	bench.now_ns = 11 * S;
	CHECK_EQ(bench_request(&bench, 99, false, EMPTY, 1), RIG_SMP_ENOTSUP);
	CHECK_EQ(bench_request(&bench, RIG_CMD_LEVELS, true, EMPTY, 1), RIG_SMP_ENOTSUP);
	CHECK_EQ(bench_request(&bench, RIG_CMD_LEVELS, false, "\xff", 1), 0);
	CHECK_EQ(bench_request(&bench, RIG_CMD_PRESS, true, EMPTY, 1), 0);
	CHECK_EQ(bench_request(&bench, RIG_CMD_LEVELS, false, NULL, 0), 0);
	CHECK_EQ(request_with_room(&bench, RIG_CMD_LEVELS, RIG_REPLY_MIN - 1u), RIG_SMP_EMSGSIZE);
	CHECK_EQ(bench.core.last_contact_ns, 10 * S);
	/* A refusal was understood. */
	CHECK_EQ(bench_request(&bench, RIG_CMD_EDGES, false, FROM_9, sizeof(FROM_9) - 1u), 0);
	CHECK_EQ(bench_error(&bench), RIG_ERR_CURSOR);
	CHECK_EQ(bench.core.last_contact_ns, 11 * S);
}

static void garbage_does_not_hold_a_lid(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(bench_request(&bench, RIG_CMD_LID, true, CLOSE_BY_1, sizeof(CLOSE_BY_1) - 1u), 0);
	CHECK_EQ(bench_error(&bench), 0);
	CHECK(bench.driven[LID]);
	while (bench.now_ns < 13 * S) {
		bench_tick(&bench, bench.now_ns + 100 * MS);
		CHECK_EQ(bench_request(&bench, RIG_CMD_TIME, false, "\x01", 1), 0);
		/* Understood, and somebody else's. */
		CHECK_EQ(bench_request(&bench, RIG_CMD_TIME, false, EMPTY, 1), 0);
	}
	CHECK(!bench.driven[LID]);
	CHECK_EQ(bench.core.lease_expiries, 1);
}

static void what_is_over_is_done_at_what_is_not_understood_too(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(bench_request(&bench, RIG_CMD_LID, true, CLOSE_BY_1, sizeof(CLOSE_BY_1) - 1u), 0);
	bench.now_ns = 14 * S;
	CHECK_EQ(bench_request(&bench, 99, false, EMPTY, 1), RIG_SMP_ENOTSUP);
	CHECK(!bench.driven[LID]);
}

static void every_handler_has_room_for_its_fields(struct check_tally *tally)
{
#define ROOM(name) CHECK(rig_handler_##name.field_count <= RIG_FIELDS_MAX);
	RIG_HANDLERS(ROOM)
#undef ROOM
}

static void overdue_actions_are_done_before_the_request(struct check_tally *tally)
{
	static const char press[] = "\xa4\x63"
				    "act\x00\x63"
				    "dur\x01\x64"
				    "boot\x07\x63"
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
	static const char press[] = "\xa4\x63"
				    "act\x00\x63"
				    "dur\x01\x64"
				    "boot\x07\x63"
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
	RUN(tally, only_what_is_understood_renews_the_lease);
	RUN(tally, garbage_does_not_hold_a_lid);
	RUN(tally, what_is_over_is_done_at_what_is_not_understood_too);
	RUN(tally, every_handler_has_room_for_its_fields);
	RUN(tally, overdue_actions_are_done_before_the_request);
	RUN(tally, a_reply_never_passes_the_end_of_its_buffer);
	RUN(tally, too_little_room_stops_an_action_before_it_starts);
	RUN(tally, a_group_error_is_a_map_of_its_own);
	RUN(tally, no_bytes_at_all_are_a_bad_request);
}
