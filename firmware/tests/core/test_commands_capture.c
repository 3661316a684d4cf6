/* SPDX-License-Identifier: Apache-2.0 */
/* What the golden vectors do not show of edges and light: pages that a reply cuts. */
#include "bench.h"
#include "suites.h"

#define FROM_0                                                                                     \
	"\xa1\x64"                                                                                 \
	"from\x00"

/** Times that need nine bytes, numbers that need five: the longest that a frame and an item get. */
static void start_with_the_longest(struct bench *bench)
{
	bench_start(bench);
	bench->core.config.boot_id = UINT32_MAX;
	bench->core.edges.numbers.next = UINT32_MAX - BENCH_EDGES;
	bench->core.edges.numbers.read_to = UINT32_MAX - BENCH_EDGES;
	bench->core.light.numbers.next = UINT32_MAX - BENCH_LIGHT;
	bench->core.light.numbers.read_to = UINT32_MAX - BENCH_LIGHT;
	for (uint32_t i = 0; i < BENCH_EDGES; i++) {
		rig_core_edge(&bench->core, 8, i % 2u != 0u, UINT64_MAX - 1u);
	}
	rig_light_arm(&bench->core.light, 0, UINT64_MAX);
	for (uint32_t i = 0; i < BENCH_LIGHT; i++) {
		rig_light_sample(&bench->core.light, UINT64_MAX - 1u, UINT16_MAX);
		rig_light_expire(&bench->core.light, UINT64_MAX);
	}
	bench->core.edges.numbers.overruns = UINT32_MAX;
	bench->core.light.numbers.overruns = UINT32_MAX;
}

/** The number of items behind the last key, whose list has less than 24 of them. */
static int32_t items_in_room(struct bench *bench, uint32_t command, char key, size_t room)
{
	static const uint8_t from_oldest[] = {0xa1, 0x64, 'f',  'r',  'o', 'm',
					      0x1a, 0xff, 0xff, 0xff, 0xf0};
	int rc = rig_core_request(&bench->core, command, false, bench->now_ns, from_oldest,
				  sizeof(from_oldest), bench->reply, room, &bench->reply_len);

	if (rc != 0 || rig_wire_item_len(bench->reply, bench->reply_len) != bench->reply_len) {
		return -1;
	}
	for (size_t i = 1; i < bench->reply_len; i++) {
		if (bench->reply[i - 1u] == 0x61 && bench->reply[i] == (uint8_t)key) {
			return bench->reply[i + 1u] - 0x80;
		}
	}
	return -1;
}

static void the_smallest_reply_holds_an_edge(struct check_tally *tally)
{
	struct bench bench;

	start_with_the_longest(&bench);
	CHECK(items_in_room(&bench, RIG_CMD_EDGES, 'e', RIG_REPLY_MIN) >= 2);
}

static void the_smallest_reply_holds_a_light_block(struct check_tally *tally)
{
	struct bench bench;

	start_with_the_longest(&bench);
	CHECK_EQ(bench.core.light.numbers.held, BENCH_LIGHT);
	CHECK_EQ(items_in_room(&bench, RIG_CMD_LIGHT, 'b', RIG_REPLY_MIN), 4);
}

static void a_reply_holds_as_many_edges_as_fit(struct check_tally *tally)
{
	struct bench bench;
	int32_t before = 0;

	start_with_the_longest(&bench);
	for (size_t room = RIG_REPLY_MIN; room < 160; room++) {
		int32_t items = items_in_room(&bench, RIG_CMD_EDGES, 'e', room);

		CHECK(items >= before && items % 2 == 0);
		CHECK(bench.reply_len <= room);
		before = items;
	}
	CHECK_EQ(before, 2 * BENCH_EDGES);
}

static void a_maximum_of_none_only_marks_as_read(struct check_tally *tally)
{
	static const char none[] = "\xa2\x64"
				   "from\x01\x63"
				   "max\x00";
	struct bench bench;

	bench_start(&bench);
	rig_core_edge(&bench.core, 0, false, 1);
	CHECK_EQ(bench_request(&bench, RIG_CMD_EDGES, false, none, sizeof(none) - 1u), 0);
	CHECK_EQ(bench.core.edges.numbers.read_to, 1);
	CHECK_EQ(bench.reply[bench.reply_len - 1u], 0x80);
}

static void a_reading_ends_a_recording_that_is_over(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	rig_light_arm(&bench.core.light, 9 * S, 10 * S - 1u);
	rig_light_sample(&bench.core.light, 10 * S - 2u, 1);
	CHECK_EQ(bench_request(&bench, RIG_CMD_LIGHT, false, FROM_0, sizeof(FROM_0) - 1u), 0);
	CHECK_EQ(bench.core.light.numbers.next, 1);
	CHECK_EQ(bench_error(&bench), 0);
}

void test_commands_capture(struct check_tally *tally)
{
	RUN(tally, the_smallest_reply_holds_an_edge);
	RUN(tally, the_smallest_reply_holds_a_light_block);
	RUN(tally, a_reply_holds_as_many_edges_as_fit);
	RUN(tally, a_maximum_of_none_only_marks_as_read);
	RUN(tally, a_reading_ends_a_recording_that_is_over);
}
