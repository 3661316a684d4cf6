/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"
#include "suites.h"

#include <errno.h>

static void every_actuator_is_released_at_the_start(struct check_tally *tally)
{
	struct bench bench = {.driven = {true, true}};
	struct rig_config config = bench_config(&bench);

	CHECK_EQ(bench_start_with(&bench, &config, 0), 0);
	CHECK_EQ(bench.drive_count, 2);
	CHECK(!bench.driven[BUTTON]);
	CHECK(!bench.driven[LID]);
}

static void a_missing_pointer_is_refused(struct check_tally *tally)
{
	struct bench bench = {0};
	struct rig_config configs[9];

	for (size_t i = 0; i < 9; i++) {
		configs[i] = bench_config(&bench);
	}
	configs[0].firmware = NULL;
	configs[1].board = NULL;
	configs[2].clock_source = NULL;
	configs[3].reset_reason = NULL;
	configs[4].channels = NULL;
	configs[5].actuators = NULL;
	configs[6].edge_slots = NULL;
	configs[7].now_ns = NULL;
	configs[8].drive = NULL;
	for (size_t i = 0; i < 9; i++) {
		CHECK_EQ(bench_start_with(&bench, &configs[i], 0), -EINVAL);
	}
}

static void a_count_out_of_range_is_refused(struct check_tally *tally)
{
	struct bench bench = {0};
	struct rig_config configs[11];

	for (size_t i = 0; i < 11; i++) {
		configs[i] = bench_config(&bench);
	}
	configs[0].channel_count = 0;
	configs[1].channel_count = RIG_MAX_CHANNELS + 1;
	configs[2].actuator_count = 0;
	configs[3].actuator_count = RIG_MAX_ACTUATORS + 1;
	configs[4].edge_capacity = 0;
	configs[5].edge_capacity = UINT32_MAX;
	configs[6].light_capacity = 0;
	configs[7].light_slots = NULL;
	configs[8].lease_ns = 0;
	configs[9].nonce = 0;
	configs[10].nonce = UINT64_C(1) << 63;
	for (size_t i = 0; i < 11; i++) {
		CHECK_EQ(bench_start_with(&bench, &configs[i], 0), -EINVAL);
	}
}

static void a_board_without_light_or_selftest_is_fine(struct check_tally *tally)
{
	struct bench bench = {0};
	struct rig_config config = bench_config(&bench);

	config.light_slots = NULL;
	config.light_capacity = 0;
	config.selftest = NULL;
	CHECK_EQ(bench_start_with(&bench, &config, 0), 0);
	rig_light_sample(&bench.core.light, 1, 1);
	CHECK_EQ(bench.core.light.numbers.next, 0);
}

static void a_change_of_level_becomes_an_edge(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	rig_core_edge(&bench.core, 2, false, 77);
	CHECK_EQ(bench.core.edges.numbers.next, 1);
	CHECK_EQ(bench.edges[0].t_ns, 77);
	CHECK_EQ(bench.edges[0].channel, 2);
	CHECK_EQ(bench.edges[0].level, 0);
	CHECK_EQ(bench.core.levels, 0x1fb);
}

static void a_repeat_of_the_level_is_dropped(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	rig_core_edge(&bench.core, 2, true, 77);
	rig_core_edge(&bench.core, 2, false, 78);
	rig_core_edge(&bench.core, 2, false, 79);
	CHECK_EQ(bench.core.edges.numbers.next, 1);
}

static void a_channel_that_the_board_lacks_is_dropped(struct check_tally *tally)
{
	struct bench bench;
	struct rig_config config;

	bench_start(&bench);
	rig_core_edge(&bench.core, 9, true, 77);
	rig_core_edge(&bench.core, UINT32_MAX, true, 77);
	CHECK_EQ(bench.core.edges.numbers.next, 0);
	config = bench_config(&bench);
	CHECK_EQ(bench_start_with(&bench, &config, UINT32_MAX), 0);
	CHECK_EQ(bench.core.levels, 0x1ff);
}

static void edges_that_the_shell_lost_are_overruns(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	rig_core_lose_edges(&bench.core, 3);
	rig_core_lose_edges(&bench.core, 0);
	rig_core_edge(&bench.core, 2, false, 77);
	CHECK_EQ(bench.core.edges.numbers.overruns, 3);
	CHECK_EQ(bench.core.edges.numbers.next, 1);
}

void test_core(struct check_tally *tally)
{
	RUN(tally, every_actuator_is_released_at_the_start);
	RUN(tally, a_missing_pointer_is_refused);
	RUN(tally, a_count_out_of_range_is_refused);
	RUN(tally, a_board_without_light_or_selftest_is_fine);
	RUN(tally, a_change_of_level_becomes_an_edge);
	RUN(tally, a_repeat_of_the_level_is_dropped);
	RUN(tally, a_channel_that_the_board_lacks_is_dropped);
	RUN(tally, edges_that_the_shell_lost_are_overruns);
}
