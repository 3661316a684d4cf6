/* SPDX-License-Identifier: Apache-2.0 */
/* What the golden vectors do not show of the loop-back: its times, and all that ends it. */
#include "bench.h"
#include "suites.h"

#define FIRST_CHANNEL 1u
#define GAP (10 * MS)

static const struct rig_host nobody;

static enum rig_error start_one(struct bench *bench, uint32_t actuator, uint32_t count)
{
	struct rig_loopback_plan plan = {
		.boot_id = BENCH_BOOT,
		.actuator = actuator,
		.wired = 1u << FIRST_CHANNEL,
		.token = 77,
		.count = count,
		.gap_ns = GAP,
	};

	return rig_interlock_loop(&bench->core, &plan, bench->now_ns);
}

/** Tick at every deadline and let the wire follow, until the loop-back is over. */
static void play(struct bench *bench, uint64_t latency_ns)
{
	struct rig_loopback *loopback = &bench->core.loopback;

	while (loopback->state == RIG_LOOPBACK_RUNNING) {
		uint32_t done = loopback->done;

		bench->core.last_contact_ns = bench->now_ns;
		bench_tick(bench, rig_core_deadline(&bench->core));
		if (loopback->done != done) {
			rig_core_edge(&bench->core, FIRST_CHANNEL, done % 2u == 1u,
				      bench->now_ns + latency_ns);
		}
	}
}

static void every_gap_is_half_to_one_and_a_half_of_the_mean(struct check_tally *tally)
{
	struct bench bench;
	uint64_t before_ns;
	bool differ = false;

	bench_start(&bench);
	CHECK_EQ(start_one(&bench, BUTTON, 60), RIG_OK);
	CHECK_EQ(bench.drive_count, 0);
	before_ns = bench.now_ns;
	play(&bench, 500);
	CHECK_EQ(bench.drive_count, 60);
	for (uint32_t i = 0; i < 60; i++) {
		uint64_t gap_ns = bench.drives[i].t_ns - before_ns;

		CHECK_EQ(bench.drives[i].actuator, BUTTON);
		CHECK_EQ(bench.drives[i].driven, i % 2u == 0u);
		CHECK(gap_ns >= GAP / 2 && gap_ns <= GAP * 3 / 2);
		differ = differ || gap_ns != GAP;
		before_ns = bench.drives[i].t_ns;
	}
	CHECK(differ);
	/* What one gap of a pair has more, the other one has less. */
	CHECK_EQ(before_ns, 10 * S + 60 * GAP);
	CHECK_EQ(bench.now_ns, 10 * S + 62 * GAP);
	CHECK_EQ(bench.now_ns, rig_replay_find(&bench.core.loopback.replay, 77)->end_ns);
	CHECK(rig_loopback_ended_well(&bench.core.loopback));
	CHECK_EQ(rig_moments_mean(&bench.core.loopback.channels[FIRST_CHANNEL].latency), 500);
}

static void other_tokens_give_other_gaps(struct check_tally *tally)
{
	struct bench bench;
	uint64_t first_ns;

	bench_start(&bench);
	CHECK_EQ(start_one(&bench, BUTTON, 2), RIG_OK);
	first_ns = rig_core_deadline(&bench.core);
	bench_start(&bench);
	CHECK_EQ(rig_interlock_loop(&bench.core,
				    &(struct rig_loopback_plan){.boot_id = BENCH_BOOT,
								.wired = 1,
								.token = 78,
								.count = 2,
								.gap_ns = GAP},
				    bench.now_ns),
		 RIG_OK);
	CHECK(rig_core_deadline(&bench.core) != first_ns);
}

static void a_late_tick_makes_one_change_and_no_gap_shorter(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(start_one(&bench, BUTTON, 8), RIG_OK);
	bench_tick(&bench, 11 * S);
	CHECK_EQ(bench.drive_count, 1);
	CHECK(bench.driven[BUTTON]);
	CHECK(rig_core_deadline(&bench.core) >= 11 * S + GAP / 2);
	CHECK(rig_core_deadline(&bench.core) <= 11 * S + GAP * 3 / 2);
}

static void a_lid_is_looped_back_like_a_button(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(start_one(&bench, LID, 3), RIG_OK);
	play(&bench, 1);
	CHECK_EQ(bench.drive_count, 4);
	CHECK(!bench.driven[LID]);
	CHECK(rig_loopback_ended_well(&bench.core.loopback));
}

static void release_and_the_lease_stop_it_with_the_output_released(struct check_tally *tally)
{
	struct bench bench;

	for (uint32_t by_lease = 0; by_lease < 2; by_lease++) {
		bench_start(&bench);
		rig_interlock_contact(&bench.core, &nobody, bench.now_ns, bench.now_ns);
		CHECK_EQ(start_one(&bench, BUTTON, 10000), RIG_OK);
		bench_tick(&bench, 10 * S + 2 * GAP);
		rig_core_edge(&bench.core, FIRST_CHANNEL, false, bench.now_ns);
		CHECK(rig_interlock_is_driven(&bench.core, BUTTON));
		CHECK(!rig_interlock_is_driven(&bench.core, LID));
		if (by_lease != 0u) {
			bench_tick(&bench, 13 * S);
			CHECK_EQ(bench.core.lease_expiries, 1);
		} else {
			rig_core_release(&bench.core);
		}
		CHECK_EQ(bench.core.loopback.state, RIG_LOOPBACK_STOPPED);
		CHECK(!bench.driven[BUTTON]);
		CHECK(!rig_interlock_is_driven(&bench.core, BUTTON));
		CHECK_EQ(rig_core_deadline(&bench.core), UINT64_MAX);
		CHECK(!rig_loopback_ended_well(&bench.core.loopback));
		/* Its token still names it, and does not start it again. */
		CHECK_EQ(start_one(&bench, BUTTON, 10000), RIG_OK);
		CHECK_EQ(bench.core.loopback.state, RIG_LOOPBACK_STOPPED);
	}
}

static void edges_of_wired_channels_are_not_kept_others_are(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(start_one(&bench, BUTTON, 2), RIG_OK);
	rig_core_edge(&bench.core, FIRST_CHANNEL, false, bench.now_ns);
	rig_core_edge(&bench.core, 2, false, bench.now_ns);
	CHECK_EQ(bench.core.edges.numbers.next, 1);
	CHECK_EQ(bench.edges[0].channel, 2);
	CHECK_EQ(bench.core.levels, 0x1f9);
	CHECK_EQ(bench.core.loopback.channels[FIRST_CHANNEL].extra, 1);
	rig_core_release(&bench.core);
	rig_core_edge(&bench.core, FIRST_CHANNEL, true, bench.now_ns);
	CHECK_EQ(bench.core.edges.numbers.next, 2);
}

static void a_latency_beyond_two_seconds_is_no_latency(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(start_one(&bench, BUTTON, 2), RIG_OK);
	play(&bench, 3 * S);
	CHECK_EQ(bench.core.loopback.channels[FIRST_CHANNEL].latency.count, 0);
	CHECK_EQ(bench.core.loopback.channels[FIRST_CHANNEL].extra, 2);
	CHECK_EQ(bench.core.loopback.channels[FIRST_CHANNEL].missed, 2);
}

static void lost_edges_spoil_it(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	rig_core_lose_edges(&bench.core, 5);
	CHECK_EQ(start_one(&bench, BUTTON, 2), RIG_OK);
	rig_core_lose_edges(&bench.core, 3);
	play(&bench, 500);
	CHECK_EQ(bench.core.loopback.state, RIG_LOOPBACK_DONE);
	CHECK_EQ(bench.core.loopback.lost, 3);
	CHECK(!rig_loopback_ended_well(&bench.core.loopback));
}

static uint64_t ticking_now_ns(void *context)
{
	return ((struct bench *)context)->now_ns += 250;
}

static void the_longest_time_about_a_drive_is_told(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	bench.core.config.now_ns = ticking_now_ns;
	CHECK_EQ(start_one(&bench, BUTTON, 2), RIG_OK);
	bench_tick(&bench, rig_core_deadline(&bench.core));
	/* Read once before, at 250 ns, and once after. */
	CHECK_EQ(bench.core.loopback.held_ns, 250);
	CHECK_EQ(bench.core.loopback.changed_ns[1], bench.drives[0].t_ns);
}

/** Tick at every deadline, with no wire. */
static void play_without_wire(struct bench *bench)
{
	while (bench->core.loopback.state == RIG_LOOPBACK_RUNNING) {
		bench->core.last_contact_ns = bench->now_ns;
		bench_tick(bench, rig_core_deadline(&bench->core));
	}
}

static void a_pulse_that_does_not_come_back_is_the_only_one(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(start_one(&bench, BUTTON, 10000), RIG_OK);
	play_without_wire(&bench);
	CHECK_EQ(bench.drive_count, 2);
	CHECK(!bench.driven[BUTTON]);
	CHECK_EQ(bench.core.loopback.state, RIG_LOOPBACK_STOPPED);
	CHECK_EQ(bench.core.loopback.done, 2);
	CHECK_EQ(bench.core.loopback.channels[FIRST_CHANNEL].missed, 2);
	CHECK_EQ(rig_core_deadline(&bench.core), UINT64_MAX);
}

static void one_wire_of_two_that_is_not_there_stops_it(struct check_tally *tally)
{
	struct rig_loopback_plan plan = {.boot_id = BENCH_BOOT,
					 .actuator = BUTTON,
					 .wired = 0x6u,
					 .token = 77,
					 .count = 100,
					 .gap_ns = GAP};
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(rig_interlock_loop(&bench.core, &plan, bench.now_ns), RIG_OK);
	play(&bench, 500);
	CHECK_EQ(bench.drive_count, 2);
	CHECK_EQ(bench.core.loopback.channels[FIRST_CHANNEL].latency.count, 2);
	CHECK_EQ(bench.core.loopback.channels[2].missed, 2);
}

static void a_press_right_behind_a_loop_back_is_too_soon(struct check_tally *tally)
{
	struct rig_action action = {
		.boot_id = BENCH_BOOT, .actuator = BUTTON, .token = 1, .duration_ns = MS};
	struct bench bench;
	uint64_t released_ns;

	bench_start_limited(&bench);
	CHECK_EQ(start_one(&bench, BUTTON, 4), RIG_ERR_TOO_SOON);
	bench_tick(&bench, 11 * S);
	CHECK_EQ(start_one(&bench, BUTTON, 4), RIG_OK);
	play(&bench, 500);
	CHECK_EQ(bench.core.loopback.state, RIG_LOOPBACK_DONE);
	released_ns = bench.drives[3].t_ns;
	CHECK_EQ(rig_interlock_press(&bench.core, &action, bench.now_ns), RIG_ERR_TOO_SOON);
	CHECK_EQ(action.left_ns, released_ns + 100 * MS - bench.now_ns);
}

static void earlier_tokens_start_nothing_again(struct check_tally *tally)
{
	struct rig_loopback_plan plan = {.boot_id = BENCH_BOOT,
					 .actuator = BUTTON,
					 .wired = 1u << FIRST_CHANNEL,
					 .count = 2,
					 .gap_ns = GAP};
	struct bench bench;

	bench_start(&bench);
	for (plan.token = 1; plan.token <= RIG_REPLAYS; plan.token++) {
		CHECK_EQ(rig_interlock_loop(&bench.core, &plan, bench.now_ns), RIG_OK);
		play(&bench, 500);
	}
	bench_forget(&bench);
	for (plan.token = 1; plan.token <= RIG_REPLAYS; plan.token++) {
		CHECK_EQ(rig_interlock_loop(&bench.core, &plan, bench.now_ns), RIG_OK);
		CHECK_EQ(rig_core_deadline(&bench.core), UINT64_MAX);
	}
}

static void a_refusal_is_counted_and_starts_nothing(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(start_one(&bench, 2, 2), RIG_ERR_NO_ACTUATOR);
	CHECK_EQ(start_one(&bench, UINT32_MAX, 2), RIG_ERR_NO_ACTUATOR);
	CHECK_EQ(start_one(&bench, BUTTON, 0), RIG_ERR_TOO_SHORT);
	CHECK_EQ(start_one(&bench, BUTTON, UINT32_MAX), RIG_ERR_TOO_LONG);
	CHECK_EQ(bench.core.refusals, 4);
	CHECK_EQ(bench.core.loopback.state, RIG_LOOPBACK_NONE);
	CHECK_EQ(rig_core_deadline(&bench.core), UINT64_MAX);
}

void test_loopback(struct check_tally *tally)
{
	RUN(tally, every_gap_is_half_to_one_and_a_half_of_the_mean);
	RUN(tally, other_tokens_give_other_gaps);
	RUN(tally, a_late_tick_makes_one_change_and_no_gap_shorter);
	RUN(tally, a_lid_is_looped_back_like_a_button);
	RUN(tally, release_and_the_lease_stop_it_with_the_output_released);
	RUN(tally, edges_of_wired_channels_are_not_kept_others_are);
	RUN(tally, a_latency_beyond_two_seconds_is_no_latency);
	RUN(tally, lost_edges_spoil_it);
	RUN(tally, the_longest_time_about_a_drive_is_told);
	RUN(tally, a_pulse_that_does_not_come_back_is_the_only_one);
	RUN(tally, one_wire_of_two_that_is_not_there_stops_it);
	RUN(tally, a_press_right_behind_a_loop_back_is_too_soon);
	RUN(tally, earlier_tokens_start_nothing_again);
	RUN(tally, a_refusal_is_counted_and_starts_nothing);
}
