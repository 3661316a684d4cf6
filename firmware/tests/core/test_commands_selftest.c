/* SPDX-License-Identifier: Apache-2.0 */
/* What the golden vectors do not show of the self-test: checks that fail. */
#include "bench.h"
#include "suites.h"

static uint64_t backward_now_ns(void *context)
{
	struct bench *bench = context;

	return bench->now_ns--;
}

/** The byte behind the key "ok", which stands behind "boot": 7. */
static bool passes(struct bench *bench)
{
	return bench_request(bench, RIG_CMD_SELFTEST, true, "\xa0", 1) == 0 &&
	       bench->reply[7] == 0x62 && bench->reply[10] == 0xf5;
}

static void a_sound_board_passes(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK(passes(&bench));
}

static void a_clock_that_goes_back_fails(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	bench.core.config.now_ns = backward_now_ns;
	CHECK(!passes(&bench));
	CHECK_EQ(bench_error(&bench), 0);
}

static void a_ring_that_disagrees_with_itself_fails(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	bench.core.edges.numbers.held = BENCH_EDGES + 1;
	CHECK(!passes(&bench));
	bench_start(&bench);
	bench.core.light.numbers.head = BENCH_LIGHT;
	CHECK(!passes(&bench));
}

static void a_failed_check_of_the_shell_fails(struct check_tally *tally)
{
	static const struct rig_check checks[] = {{.name = "supply_mV", .value = 3}};
	struct bench bench;

	bench_start(&bench);
	bench.checks = checks;
	bench.check_count = 1;
	CHECK(!passes(&bench));
}

static void more_checks_than_there_is_room_for_are_left_out(struct check_tally *tally)
{
	static const struct rig_check checks[RIG_MAX_CHECKS + 5] = {
		{.name = "x_count", .ok = true}};
	struct bench bench;

	bench_start(&bench);
	bench.checks = checks;
	bench.check_count = RIG_MAX_CHECKS + 5;
	CHECK_EQ(bench_request(&bench, RIG_CMD_SELFTEST, true, "\xa0", 1), 0);
	CHECK_EQ(rig_wire_item_len(bench.reply, bench.reply_len), bench.reply_len);
}

static void a_board_without_checks_of_its_own_passes(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	bench.core.config.selftest = NULL;
	CHECK(passes(&bench));
}

void test_commands_selftest(struct check_tally *tally)
{
	RUN(tally, a_sound_board_passes);
	RUN(tally, a_clock_that_goes_back_fails);
	RUN(tally, a_ring_that_disagrees_with_itself_fails);
	RUN(tally, a_failed_check_of_the_shell_fails);
	RUN(tally, more_checks_than_there_is_room_for_are_left_out);
	RUN(tally, a_board_without_checks_of_its_own_passes);
}
