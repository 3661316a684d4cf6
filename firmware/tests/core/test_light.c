/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"
#include "suites.h"

static void samples_before_arming_are_ignored(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	rig_light_sample(&bench.core.light, 1 * MS, 5);
	rig_light_sample(&bench.core.light, 3 * MS, 5);
	CHECK_EQ(bench.core.light.numbers.next, 0);
}

static void a_block_ends_at_a_whole_millisecond_of_board_time(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	rig_light_arm(&bench.core.light, 0, 10 * MS);
	rig_light_sample(&bench.core.light, 1 * MS + 999998, 10);
	rig_light_sample(&bench.core.light, 1 * MS + 999999, 40);
	CHECK_EQ(bench.core.light.numbers.next, 0);
	rig_light_sample(&bench.core.light, 2 * MS, 90);
	CHECK_EQ(bench.core.light.numbers.next, 1);
	CHECK_EQ(bench.light[0].t_ns, 1 * MS + 999998);
	CHECK_EQ(bench.light[0].min, 10);
	CHECK_EQ(bench.light[0].mean, 25);
	CHECK_EQ(bench.light[0].max, 40);
}

static void a_mean_is_rounded_to_the_nearest_count(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	rig_light_arm(&bench.core.light, 0, 1 * MS);
	rig_light_sample(&bench.core.light, 1, UINT16_MAX);
	rig_light_sample(&bench.core.light, 2, UINT16_MAX - 1);
	rig_light_expire(&bench.core.light, 1 * MS);
	CHECK_EQ(bench.light[0].mean, UINT16_MAX);
}

static void the_last_block_ends_with_the_recording(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	rig_light_arm(&bench.core.light, 0, 1500000);
	rig_light_sample(&bench.core.light, 1400000, 7);
	rig_light_sample(&bench.core.light, 1500000, 9);
	CHECK_EQ(bench.core.light.numbers.next, 1);
	CHECK_EQ(bench.light[0].max, 7);
	rig_light_sample(&bench.core.light, 1600000, 9);
	CHECK_EQ(bench.core.light.numbers.next, 1);
}

static void a_tick_ends_the_last_block_when_no_sample_follows(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	rig_light_arm(&bench.core.light, 0, 1500000);
	rig_light_sample(&bench.core.light, 1400000, 7);
	rig_core_tick(&bench.core, 1499999);
	CHECK_EQ(bench.core.light.numbers.next, 0);
	rig_core_tick(&bench.core, 1500000);
	CHECK_EQ(bench.core.light.numbers.next, 1);
}

static void arming_anew_does_not_join_two_recordings(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	rig_light_arm(&bench.core.light, 0, 1200000);
	rig_light_sample(&bench.core.light, 1100000, 7);
	rig_light_arm(&bench.core.light, 1300000, 5 * MS);
	rig_light_sample(&bench.core.light, 1400000, 9);
	CHECK_EQ(bench.core.light.numbers.next, 1);
	CHECK_EQ(bench.light[0].max, 7);
}

static void a_full_ring_counts_what_it_loses(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	rig_light_arm(&bench.core.light, 0, 100 * MS);
	for (uint32_t i = 0; i < BENCH_LIGHT + 3; i++) {
		rig_light_sample(&bench.core.light, i * MS, (uint16_t)i);
	}
	CHECK_EQ(bench.core.light.numbers.next, BENCH_LIGHT + 2);
	CHECK_EQ(bench.core.light.numbers.overruns, 2);
}

void test_light(struct check_tally *tally)
{
	RUN(tally, samples_before_arming_are_ignored);
	RUN(tally, a_block_ends_at_a_whole_millisecond_of_board_time);
	RUN(tally, a_mean_is_rounded_to_the_nearest_count);
	RUN(tally, the_last_block_ends_with_the_recording);
	RUN(tally, a_tick_ends_the_last_block_when_no_sample_follows);
	RUN(tally, arming_anew_does_not_join_two_recordings);
	RUN(tally, a_full_ring_counts_what_it_loses);
}
