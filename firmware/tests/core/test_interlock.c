/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"
#include "suites.h"

static const struct rig_host nobody;

static enum rig_error press(struct bench *bench, uint32_t token, uint64_t duration_ns)
{
	rig_interlock_contact(&bench->core, &nobody, bench->now_ns, bench->now_ns);
	return rig_interlock_press(&bench->core,
				   &(struct rig_action){.boot_id = BENCH_BOOT,
							.actuator = BUTTON,
							.token = token,
							.duration_ns = duration_ns},
				   bench->now_ns);
}

static enum rig_error press_at(struct bench *bench, uint32_t token, uint64_t at_ns)
{
	rig_interlock_contact(&bench->core, &nobody, bench->now_ns, bench->now_ns);
	return rig_interlock_press(&bench->core,
				   &(struct rig_action){.boot_id = BENCH_BOOT,
							.actuator = BUTTON,
							.token = token,
							.duration_ns = 100 * MS,
							.has_at = true,
							.at_ns = at_ns},
				   bench->now_ns);
}

static enum rig_error lid(struct bench *bench, uint32_t token, bool closed)
{
	rig_interlock_contact(&bench->core, &nobody, bench->now_ns, bench->now_ns);
	return rig_interlock_hold(
		&bench->core,
		&(struct rig_action){
			.boot_id = BENCH_BOOT, .actuator = LID, .token = token, .closed = closed},
		bench->now_ns);
}

static enum rig_error lid_at(struct bench *bench, uint32_t token, bool closed, uint64_t at_ns)
{
	rig_interlock_contact(&bench->core, &nobody, bench->now_ns, bench->now_ns);
	return rig_interlock_hold(&bench->core,
				  &(struct rig_action){.boot_id = BENCH_BOOT,
						       .actuator = LID,
						       .token = token,
						       .closed = closed,
						       .has_at = true,
						       .at_ns = at_ns},
				  bench->now_ns);
}

static void a_press_is_driven_at_once_and_released_in_time(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(press(&bench, 1, 100 * MS), RIG_OK);
	CHECK(bench.driven[BUTTON]);
	CHECK_EQ(rig_core_deadline(&bench.core), 10 * S + 100 * MS);
	bench_tick(&bench, 10 * S + 100 * MS - 1);
	CHECK(bench.driven[BUTTON]);
	bench_tick(&bench, 10 * S + 100 * MS);
	CHECK(!bench.driven[BUTTON]);
	CHECK_EQ(rig_core_deadline(&bench.core), UINT64_MAX);
}

static void a_press_of_one_nanosecond_is_a_press(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(press(&bench, 1, 1), RIG_OK);
	CHECK(bench.driven[BUTTON]);
	bench_tick(&bench, 10 * S + 1);
	CHECK(!bench.driven[BUTTON]);
}

static void a_late_tick_still_drives_and_then_releases(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(press_at(&bench, 1, 11 * S), RIG_OK);
	CHECK_EQ(bench.drive_count, 0);
	CHECK_EQ(rig_core_deadline(&bench.core), 11 * S);
	bench_tick(&bench, 12 * S);
	CHECK_EQ(bench.drive_count, 2);
	CHECK(bench.drives[0].driven);
	CHECK(!bench.drives[1].driven);
}

static void late_events_are_done_in_the_order_of_their_times(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(lid_at(&bench, 1, true, 10 * S + 950 * MS), RIG_OK);
	CHECK_EQ(press_at(&bench, 1, 10 * S + 900 * MS), RIG_OK);
	bench_tick(&bench, 12 * S);
	CHECK_EQ(bench.drive_count, 3);
	CHECK_EQ(bench.drives[0].actuator, BUTTON);
	CHECK_EQ(bench.drives[1].actuator, LID);
	CHECK_EQ(bench.drives[2].actuator, BUTTON);
	CHECK(!bench.drives[2].driven);
}

static void one_actuator_never_does_two_things(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(press_at(&bench, 1, 11 * S), RIG_OK);
	CHECK_EQ(press(&bench, 2, 100 * MS), RIG_ERR_BUSY);
	bench_tick(&bench, 11 * S);
	CHECK_EQ(press(&bench, 3, 100 * MS), RIG_ERR_BUSY);
	bench_tick(&bench, 11 * S + 100 * MS);
	CHECK_EQ(press(&bench, 4, 100 * MS), RIG_OK);
	CHECK_EQ(bench.core.refusals, 2);
}

static void a_repeated_token_is_answered_and_not_done_again(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(press(&bench, 1, 100 * MS), RIG_OK);
	bench_tick(&bench, 10 * S + 500 * MS);
	bench_forget(&bench);
	CHECK_EQ(press(&bench, 1, 100 * MS), RIG_OK);
	CHECK_EQ(bench.drive_count, 0);
	CHECK_EQ(rig_replay_find(&bench.core.actuators[BUTTON].replay, 1)->start_ns, 10 * S);
	CHECK_EQ(rig_replay_find(&bench.core.actuators[BUTTON].replay, 1)->end_ns,
		 10 * S + 100 * MS);
}

static void the_token_of_a_refused_press_may_be_used_again(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(press(&bench, 1, 2 * S), RIG_ERR_TOO_LONG);
	CHECK_EQ(press(&bench, 1, 1 * S), RIG_OK);
	CHECK(bench.driven[BUTTON]);
}

static void tokens_are_an_actuator_s_own(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(press(&bench, 1, 100 * MS), RIG_OK);
	CHECK_EQ(lid(&bench, 1, true), RIG_OK);
	CHECK(bench.driven[LID]);
}

static void an_action_starts_neither_in_the_past_nor_beyond_the_lease(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(press_at(&bench, 1, 10 * S - 1), RIG_ERR_TOO_LATE);
	CHECK_EQ(press_at(&bench, 1, 13 * S + 1), RIG_ERR_TOO_EARLY);
	CHECK_EQ(lid_at(&bench, 1, true, 10 * S - 1), RIG_ERR_TOO_LATE);
	CHECK_EQ(lid_at(&bench, 1, true, 13 * S + 1), RIG_ERR_TOO_EARLY);
	CHECK_EQ(bench.core.refusals, 4);
	CHECK_EQ(press_at(&bench, 1, 10 * S), RIG_OK);
	CHECK(bench.driven[BUTTON]);
}

static void a_silent_host_loses_its_actuators(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(lid(&bench, 1, true), RIG_OK);
	CHECK_EQ(rig_core_deadline(&bench.core), 13 * S);
	bench_tick(&bench, 13 * S - 1);
	CHECK(bench.driven[LID]);
	bench_tick(&bench, 13 * S);
	CHECK(!bench.driven[LID]);
	CHECK_EQ(bench.core.lease_expiries, 1);
	CHECK_EQ(rig_core_deadline(&bench.core), UINT64_MAX);
}

static void a_host_that_is_heard_keeps_them(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(lid(&bench, 1, true), RIG_OK);
	for (uint64_t t_ns = 12 * S; t_ns < 100 * S; t_ns += 2 * S) {
		bench.now_ns = t_ns;
		rig_interlock_contact(&bench.core, &nobody, t_ns, t_ns);
	}
	CHECK(bench.driven[LID]);
	CHECK_EQ(bench.core.lease_expiries, 0);
}

static void
a_request_that_came_in_time_saves_the_lease_though_handled_late(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(lid(&bench, 1, true), RIG_OK);
	rig_interlock_contact(&bench.core, &nobody, 13 * S - 1, 14 * S);
	CHECK(bench.driven[LID]);
	CHECK_EQ(rig_core_deadline(&bench.core), 16 * S - 1);
}

static void a_request_that_came_too_late_does_not_save_the_lease(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(lid(&bench, 1, true), RIG_OK);
	rig_interlock_contact(&bench.core, &nobody, 13 * S, 13 * S + 1);
	CHECK(!bench.driven[LID]);
	CHECK_EQ(bench.core.lease_expiries, 1);
}

static void a_stamp_of_the_future_does_not_stretch_the_lease(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	rig_interlock_contact(&bench.core, &nobody, UINT64_MAX, 10 * S);
	CHECK_EQ(lid(&bench, 1, true), RIG_OK);
	CHECK_EQ(rig_core_deadline(&bench.core), 13 * S);
}

static void a_lease_forgets_what_was_scheduled(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(press_at(&bench, 1, 13 * S), RIG_OK);
	bench_tick(&bench, 20 * S);
	CHECK(!bench.driven[BUTTON]);
	for (uint32_t i = 0; i < bench.drive_count; i++) {
		CHECK(!bench.drives[i].driven);
	}
	CHECK_EQ(bench.core.lease_expiries, 1);
}

static void silence_with_nothing_driven_is_no_expiry(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(press(&bench, 1, 1 * S), RIG_OK);
	bench_tick(&bench, 100 * S);
	CHECK_EQ(bench.core.lease_expiries, 0);
}

static void a_press_that_ends_with_the_lease_is_no_expiry(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(press_at(&bench, 1, 13 * S - 100 * MS), RIG_OK);
	bench_tick(&bench, 12 * S);
	rig_interlock_contact(&bench.core, &nobody, 11 * S + 900 * MS, 12 * S);
	bench_tick(&bench, 12 * S + 900 * MS);
	CHECK(bench.driven[BUTTON]);
	bench_tick(&bench, 14 * S);
	CHECK(!bench.driven[BUTTON]);
	CHECK_EQ(bench.core.lease_expiries, 0);
}

static void what_is_scheduled_dies_with_its_host(struct check_tally *tally)
{
	struct bench bench;

	for (uint64_t at_ns = 11 * S; at_ns <= 13 * S; at_ns += S / 2u) {
		bool in_time = at_ns == 11 * S;

		bench_start(&bench);
		CHECK_EQ(press_at(&bench, 1, at_ns), RIG_OK);
		CHECK_EQ(lid_at(&bench, 2, true, at_ns), RIG_OK);
		CHECK_EQ(rig_core_deadline(&bench.core), at_ns);
		bench_tick(&bench, at_ns);
		CHECK_EQ(bench.driven[BUTTON], in_time);
		CHECK_EQ(bench.driven[LID], in_time);
		CHECK_EQ(bench.core.lease_expiries > 0u, !in_time);
		CHECK_EQ(bench.drive_count > 0u, in_time || at_ns == 13 * S);
	}
	/* Letting go is the safe direction. */
	bench_start(&bench);
	CHECK_EQ(lid(&bench, 1, true), RIG_OK);
	CHECK_EQ(lid_at(&bench, 2, false, 12 * S), RIG_OK);
	bench_tick(&bench, 12 * S);
	CHECK(!bench.driven[LID]);
	CHECK_EQ(bench.core.lease_expiries, 0);
}

static void a_host_that_asks_meanwhile_has_what_it_scheduled(struct check_tally *tally)
{
	static const struct rig_host other = {.named = true, .number = 9};
	struct bench bench;

	for (uint32_t by_other = 0; by_other < 2u; by_other++) {
		bench_start(&bench);
		CHECK_EQ(press_at(&bench, 1, 12 * S + 500 * MS), RIG_OK);
		bench.now_ns = 11 * S + 500 * MS;
		rig_interlock_contact(&bench.core, by_other != 0u ? &other : &nobody, bench.now_ns,
				      bench.now_ns);
		bench_tick(&bench, 12 * S + 500 * MS);
		CHECK_EQ(bench.driven[BUTTON], by_other == 0u);
	}
}

static void a_lid_stays_closed_until_opened(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(lid(&bench, 1, true), RIG_OK);
	CHECK_EQ(lid(&bench, 2, true), RIG_OK);
	CHECK(bench.driven[LID]);
	CHECK_EQ(lid(&bench, 3, false), RIG_OK);
	CHECK(!bench.driven[LID]);
	CHECK_EQ(bench.drive_count, 2);
	CHECK_EQ(lid(&bench, 4, false), RIG_OK);
	CHECK_EQ(bench.drive_count, 2);
	CHECK_EQ(bench.core.refusals, 0);
}

static void a_closed_lid_opens_when_scheduled(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(lid(&bench, 1, true), RIG_OK);
	CHECK_EQ(lid_at(&bench, 2, false, 11 * S), RIG_OK);
	CHECK(rig_interlock_is_driven(&bench.core, LID));
	CHECK_EQ(lid(&bench, 3, false), RIG_ERR_BUSY);
	bench_tick(&bench, 11 * S);
	CHECK(!bench.driven[LID]);
	CHECK(!rig_interlock_is_driven(&bench.core, LID));
}

static void release_lets_go_of_all_and_forgets_what_was_scheduled(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(lid(&bench, 1, true), RIG_OK);
	CHECK_EQ(press_at(&bench, 1, 11 * S), RIG_OK);
	rig_core_release(&bench.core);
	CHECK(!bench.driven[LID]);
	CHECK_EQ(rig_core_deadline(&bench.core), UINT64_MAX);
	bench_forget(&bench);
	bench_tick(&bench, 12 * S);
	CHECK_EQ(bench.drive_count, 0);
	CHECK_EQ(press(&bench, 2, 1), RIG_OK);
}

static void the_wrong_kind_of_actuator_is_refused(struct check_tally *tally)
{
	struct bench bench;
	struct rig_action action = {
		.boot_id = BENCH_BOOT, .actuator = LID, .token = 1, .duration_ns = 1};

	bench_start(&bench);
	CHECK_EQ(rig_interlock_press(&bench.core, &action, 10 * S), RIG_ERR_NO_ACTUATOR);
	action.actuator = BUTTON;
	CHECK_EQ(rig_interlock_hold(&bench.core, &action, 10 * S), RIG_ERR_NO_ACTUATOR);
	action.actuator = RIG_MAX_ACTUATORS;
	CHECK_EQ(rig_interlock_press(&bench.core, &action, 10 * S), RIG_ERR_NO_ACTUATOR);
	CHECK_EQ(rig_interlock_hold(&bench.core, &action, 10 * S), RIG_ERR_NO_ACTUATOR);
	CHECK_EQ(bench.core.refusals, 4);
}

static void quiet_is_told_from_busy(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK(rig_interlock_is_quiet(&bench.core));
	CHECK_EQ(lid(&bench, 1, true), RIG_OK);
	CHECK(rig_interlock_is_quiet(&bench.core));
	CHECK_EQ(lid_at(&bench, 2, false, 11 * S), RIG_OK);
	CHECK(!rig_interlock_is_quiet(&bench.core));
}

/* --------------------------------------------------------------------------------- limits -- */

static enum rig_error left_of(struct bench *bench, uint32_t token, uint64_t duration_ns, bool force,
			      uint64_t *left_ns)
{
	struct rig_action action = {.boot_id = BENCH_BOOT,
				    .actuator = BUTTON,
				    .token = token,
				    .duration_ns = duration_ns,
				    .force = force,
				    .nonce = force ? BENCH_NONCE : 0u};
	enum rig_error error;

	rig_interlock_contact(&bench->core, &nobody, bench->now_ns, bench->now_ns);
	error = rig_interlock_press(&bench->core, &action, bench->now_ns);
	*left_ns = action.left_ns;
	return error;
}

static void presses_keep_the_release_time_between_them(struct check_tally *tally)
{
	struct bench bench;
	uint64_t left_ns;

	bench_start_limited(&bench);
	/* The start counts as a release: nobody knows what was before it. */
	CHECK_EQ(left_of(&bench, 1, MS, false, &left_ns), RIG_ERR_TOO_SOON);
	CHECK_EQ(left_ns, 100 * MS);
	bench_tick(&bench, 10 * S + 100 * MS);
	CHECK_EQ(left_of(&bench, 2, 100 * MS, false, &left_ns), RIG_OK);
	bench_tick(&bench, 10 * S + 200 * MS);
	CHECK(!bench.driven[BUTTON]);
	CHECK_EQ(left_of(&bench, 3, MS, false, &left_ns), RIG_ERR_TOO_SOON);
	CHECK_EQ(left_ns, 100 * MS);
	/* Neither does force help. */
	bench_tick(&bench, 10 * S + 300 * MS - 1);
	CHECK_EQ(left_of(&bench, 3, MS, true, &left_ns), RIG_ERR_TOO_SOON);
	CHECK_EQ(left_ns, 1);
	bench_tick(&bench, 10 * S + 300 * MS);
	CHECK_EQ(left_of(&bench, 3, MS, false, &left_ns), RIG_OK);
	CHECK_EQ(bench.core.refusals, 3);
}

static void
the_release_time_counts_from_the_release_and_not_from_its_plan(struct check_tally *tally)
{
	struct bench bench;
	uint64_t left_ns;

	bench_start_limited(&bench);
	bench_tick(&bench, 11 * S);
	CHECK_EQ(left_of(&bench, 1, 100 * MS, false, &left_ns), RIG_OK);
	bench_tick(&bench, 11 * S + 190 * MS);
	CHECK_EQ(left_of(&bench, 2, MS, false, &left_ns), RIG_ERR_TOO_SOON);
	CHECK_EQ(left_ns, 100 * MS);
	/* One that is released early has the same to wait. */
	bench_tick(&bench, 12 * S);
	CHECK_EQ(left_of(&bench, 3, 1 * S, false, &left_ns), RIG_OK);
	bench.now_ns += 50 * MS;
	rig_core_release(&bench.core);
	CHECK_EQ(left_of(&bench, 4, MS, false, &left_ns), RIG_ERR_TOO_SOON);
	CHECK_EQ(left_ns, 100 * MS);
}

static void a_press_ahead_has_to_keep_the_release_time_too(struct check_tally *tally)
{
	struct bench bench;

	bench_start_limited(&bench);
	CHECK_EQ(press_at(&bench, 1, 10 * S + 100 * MS - 1), RIG_ERR_TOO_SOON);
	CHECK_EQ(press_at(&bench, 1, 10 * S + 100 * MS), RIG_OK);
}

static void a_lid_rests_before_it_is_closed_again_and_opens_at_any_time(struct check_tally *tally)
{
	struct bench bench;

	bench_start_limited(&bench);
	bench_tick(&bench, 11 * S);
	CHECK_EQ(lid(&bench, 1, true), RIG_OK);
	CHECK_EQ(lid(&bench, 2, false), RIG_OK);
	CHECK(!bench.driven[LID]);
	CHECK_EQ(lid(&bench, 3, true), RIG_ERR_TOO_SOON);
	bench_tick(&bench, 11 * S + 100 * MS);
	CHECK_EQ(lid(&bench, 4, true), RIG_OK);
	CHECK(bench.driven[LID]);
}

/** Press for so long as soon as the board takes it, from now on; how long it was driven until. */
static uint64_t press_on_and_on(struct bench *bench, uint64_t duration_ns, uint64_t until_ns,
				bool force)
{
	uint64_t driven_ns = 0;
	uint32_t token = 1000;

	while (bench->now_ns < until_ns) {
		uint64_t left_ns;

		if (left_of(bench, token++, duration_ns, force, &left_ns) == RIG_OK) {
			driven_ns += duration_ns;
			left_ns = duration_ns;
		}
		bench_tick(bench, bench->now_ns + left_ns);
	}
	return driven_ns;
}

static void presses_back_to_back_are_no_hold(struct check_tally *tally)
{
	static const uint64_t durations_ns[] = {1 * S, 700 * MS, 150 * MS, 10 * MS};
	struct bench bench;

	for (size_t i = 0; i < sizeof(durations_ns) / sizeof(durations_ns[0]); i++) {
		uint64_t driven_ns;

		bench_start_limited(&bench);
		driven_ns = press_on_and_on(&bench, durations_ns[i], 60 * S, false);
		/* 2 s of any 5 s: 20 s of 50 s, and what the last one has beyond it. */
		CHECK(driven_ns <= 21 * S);
		/* It takes what it may: nearly the cap, or 10 ms of each 110 ms. */
		CHECK(driven_ns >= (durations_ns[i] >= 150 * MS ? 16 * S : 4500 * MS));
	}
}

static void the_time_left_of_a_window_is_exact(struct check_tally *tally)
{
	struct bench bench;
	uint64_t left_ns;

	bench_start_limited(&bench);
	bench_tick(&bench, 11 * S);
	CHECK_EQ(left_of(&bench, 1, 1 * S, false, &left_ns), RIG_OK);
	bench_tick(&bench, 12 * S);
	bench_tick(&bench, 12 * S + 100 * MS);
	CHECK_EQ(left_of(&bench, 2, 1 * S, false, &left_ns), RIG_OK);
	bench_tick(&bench, 13 * S + 100 * MS);
	bench_tick(&bench, 13 * S + 200 * MS);
	/* 11..12, 12.1..13.1 and 1 s from 13.2 on: 3 s in 9.2..14.2; 2 s in 12..17. */
	CHECK_EQ(left_of(&bench, 3, 1 * S, false, &left_ns), RIG_ERR_TOO_MUCH);
	CHECK_EQ(left_ns, 2800 * MS);
	CHECK_EQ(left_of(&bench, 3, 500 * MS, false, &left_ns), RIG_ERR_TOO_MUCH);
	/* 11.5..12, 12.1..13.1 and 16..16.5 */
	CHECK_EQ(left_ns, 2800 * MS);
	CHECK_EQ(left_of(&bench, 3, 1 * S, true, &left_ns), RIG_OK);
	bench_tick(&bench, 14 * S + 200 * MS);
	bench_tick(&bench, 16 * S - 1);
	CHECK_EQ(left_of(&bench, 4, 1 * S, false, &left_ns), RIG_ERR_TOO_MUCH);
	CHECK_EQ(left_ns, 1);
	bench_tick(&bench, 16 * S);
	/* A press named force_off is no part of it. */
	CHECK_EQ(left_of(&bench, 4, 1 * S, false, &left_ns), RIG_OK);
}

static void a_hold_ends_at_its_maximum_whoever_keeps_up_the_lease(struct check_tally *tally)
{
	struct bench bench;

	bench_start_limited(&bench);
	bench_tick(&bench, 11 * S);
	CHECK_EQ(lid(&bench, 1, true), RIG_OK);
	CHECK_EQ(rig_replay_find(&bench.core.actuators[LID].replay, 1)->end_ns, UINT64_MAX);
	for (uint64_t t_ns = 12 * S; t_ns < 71 * S; t_ns += S) {
		bench_tick(&bench, t_ns);
		/* One that is closed already is closed until then. */
		CHECK_EQ(lid(&bench, (uint32_t)(t_ns / S), true), RIG_OK);
		CHECK(bench.driven[LID]);
	}
	bench_tick(&bench, 71 * S);
	CHECK(!bench.driven[LID]);
	CHECK_EQ(bench.core.lease_expiries, 0);
}

static void an_opening_that_is_planned_does_not_make_a_hold_longer(struct check_tally *tally)
{
	struct bench bench;

	bench_start_limited(&bench);
	bench_tick(&bench, 11 * S);
	CHECK_EQ(lid(&bench, 1, true), RIG_OK);
	while (bench.now_ns < 70 * S) {
		bench_tick(&bench, bench.now_ns + S);
		rig_interlock_contact(&bench.core, &nobody, bench.now_ns, bench.now_ns);
	}
	CHECK_EQ(lid_at(&bench, 2, false, 72 * S), RIG_OK);
	bench_tick(&bench, 71 * S);
	CHECK(!bench.driven[LID]);
}

static void limits_that_no_press_can_keep_are_refused_at_the_start(struct check_tally *tally)
{
	struct rig_actuator_config actuator = {.name = "BUTTON", .max_press_ns = S, .window_ns = S};
	struct bench bench = {.now_ns = 0};
	struct rig_config config = bench_config(&bench);

	config.actuators = &actuator;
	config.actuator_count = 1;
	actuator.max_driven_ns = S - 1u;
	CHECK(bench_start_with(&bench, &config, 0) < 0);
	actuator.max_driven_ns = S + 1u;
	CHECK(bench_start_with(&bench, &config, 0) < 0);
	actuator.max_driven_ns = S;
	CHECK_EQ(bench_start_with(&bench, &config, 0), 0);
}

/* --------------------------------------------------------------------------------- tokens -- */

static void a_late_repeat_of_an_earlier_press_is_answered_too(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	for (uint32_t token = 1; token <= RIG_REPLAYS; token++) {
		CHECK_EQ(press(&bench, token, MS), RIG_OK);
		bench_tick(&bench, bench.now_ns + 100 * MS);
	}
	bench_forget(&bench);
	for (uint32_t token = 1; token <= RIG_REPLAYS; token++) {
		CHECK_EQ(press(&bench, token, MS), RIG_OK);
		CHECK_EQ(rig_replay_find(&bench.core.actuators[BUTTON].replay, token)->start_ns,
			 10 * S + (token - 1u) * 100 * MS);
	}
	CHECK_EQ(bench.drive_count, 0);
	/* The ninth takes the place of the first. */
	CHECK_EQ(press(&bench, RIG_REPLAYS + 1u, MS), RIG_OK);
	CHECK(rig_replay_find(&bench.core.actuators[BUTTON].replay, 1) == NULL);
	CHECK(rig_replay_find(&bench.core.actuators[BUTTON].replay, 2) != NULL);
}

/* ------------------------------------------------------------------------------------ hosts -- */

static const struct rig_host first = {.named = true, .number = 1};
static const struct rig_host second = {.named = true, .number = 2};

static enum rig_error lid_by(struct bench *bench, const struct rig_host *host, uint32_t token,
			     bool closed)
{
	struct rig_action action = {.boot_id = BENCH_BOOT,
				    .host = *host,
				    .actuator = LID,
				    .token = token,
				    .closed = closed};

	rig_interlock_contact(&bench->core, host, bench->now_ns, bench->now_ns);
	return rig_interlock_hold(&bench->core, &action, bench->now_ns);
}

static void another_host_does_not_keep_up_the_lease(struct check_tally *tally)
{
	struct bench bench;

	for (uint32_t named = 0; named < 2; named++) {
		bench_start(&bench);
		CHECK_EQ(lid_by(&bench, &first, 1, true), RIG_OK);
		bench_tick(&bench, 12 * S);
		rig_interlock_contact(&bench.core, named != 0u ? &second : &nobody, 12 * S, 12 * S);
		bench_tick(&bench, 13 * S);
		CHECK(!bench.driven[LID]);
		CHECK_EQ(bench.core.lease_expiries, 1);
	}
}

static void a_host_that_follows_on_another_s_lease_has_its_own(struct check_tally *tally)
{
	struct rig_action action = {.boot_id = BENCH_BOOT,
				    .host = second,
				    .actuator = BUTTON,
				    .token = 5,
				    .duration_ns = 10 * S,
				    .force = true,
				    .nonce = BENCH_NONCE};
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(lid_by(&bench, &first, 1, true), RIG_OK);
	/* Heard before the lease was over, handled behind it. */
	bench.now_ns = 13 * S + MS;
	rig_interlock_contact(&bench.core, &second, 13 * S - 1, bench.now_ns);
	CHECK(!bench.driven[LID]);
	CHECK_EQ(rig_interlock_press(&bench.core, &action, bench.now_ns), RIG_OK);
	bench_tick(&bench, 16 * S - 1);
	CHECK(!bench.driven[BUTTON]);
}

static void the_owner_keeps_it_up(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(lid_by(&bench, &first, 1, true), RIG_OK);
	bench_tick(&bench, 12 * S);
	rig_interlock_contact(&bench.core, &first, 12 * S, 12 * S);
	bench_tick(&bench, 13 * S);
	CHECK(bench.driven[LID]);
}

static void another_host_waits_until_all_is_over(struct check_tally *tally)
{
	struct rig_action action = {.boot_id = BENCH_BOOT,
				    .host = second,
				    .actuator = BUTTON,
				    .token = 5,
				    .duration_ns = MS};
	struct rig_loopback_plan plan = {.boot_id = BENCH_BOOT,
					 .host = second,
					 .wired = 1,
					 .token = 5,
					 .count = 2,
					 .gap_ns = MS};
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(lid_by(&bench, &first, 1, true), RIG_OK);
	CHECK_EQ(rig_interlock_press(&bench.core, &action, bench.now_ns), RIG_ERR_OTHER_HOST);
	CHECK_EQ(rig_interlock_loop(&bench.core, &plan, bench.now_ns), RIG_ERR_BUSY);
	CHECK_EQ(lid_by(&bench, &second, 2, false), RIG_ERR_OTHER_HOST);
	CHECK(bench.driven[LID]);
	/* Anybody may let go. */
	rig_core_release(&bench.core);
	CHECK_EQ(rig_interlock_press(&bench.core, &action, bench.now_ns), RIG_OK);
	CHECK_EQ(lid_by(&bench, &first, 3, true), RIG_ERR_OTHER_HOST);
	bench_tick(&bench, bench.now_ns + MS);
	CHECK_EQ(lid_by(&bench, &first, 3, true), RIG_OK);
}

/* ---------------------------------------------------------------------------------- sight -- */

static bool is_untouched(const struct bench *bench)
{
	return bench->drive_count == 0u && rig_interlock_is_idle(&bench->core) &&
	       rig_core_deadline(&bench->core) == UINT64_MAX && bench->leave_count == 0u;
}

static void what_drives_is_for_one_boot(struct check_tally *tally)
{
	struct rig_action action = {.boot_id = BENCH_BOOT + 1u, .token = 1, .duration_ns = MS};
	struct rig_loopback_plan plan = {
		.boot_id = BENCH_BOOT - 1u, .wired = 1, .token = 5, .count = 2, .gap_ns = MS};
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(rig_interlock_press(&bench.core, &action, bench.now_ns), RIG_ERR_OTHER_BOOT);
	action.force = true;
	action.nonce = BENCH_NONCE;
	CHECK_EQ(rig_interlock_press(&bench.core, &action, bench.now_ns), RIG_ERR_OTHER_BOOT);
	action.actuator = LID;
	action.closed = true;
	CHECK_EQ(rig_interlock_hold(&bench.core, &action, bench.now_ns), RIG_ERR_OTHER_BOOT);
	CHECK_EQ(rig_interlock_loop(&bench.core, &plan, bench.now_ns), RIG_ERR_OTHER_BOOT);
	CHECK_EQ(rig_interlock_leave(&bench.core, 0, BENCH_NONCE, bench.now_ns),
		 RIG_ERR_OTHER_BOOT);
	CHECK_EQ(rig_interlock_permit(&bench.core, 0, BENCH_NONCE, bench.now_ns),
		 RIG_ERR_OTHER_BOOT);
	CHECK_EQ(bench.core.refusals, 6);
	CHECK(is_untouched(&bench));
	CHECK(!rig_core_take_permit(&bench.core, bench.now_ns));
}

static void what_is_hard_to_undo_needs_the_nonce(struct check_tally *tally)
{
	static const uint64_t wrong[] = {0, BENCH_NONCE - 1u, BENCH_NONCE + 1u, UINT64_MAX,
					 BENCH_NONCE + (UINT64_C(1) << 32)};
	struct bench bench;

	bench_start(&bench);
	for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct rig_action action = {.boot_id = BENCH_BOOT,
					    .token = i,
					    .duration_ns = MS,
					    .force = true,
					    .nonce = wrong[i]};

		CHECK_EQ(rig_interlock_press(&bench.core, &action, bench.now_ns), RIG_ERR_NO_NONCE);
		CHECK_EQ(rig_interlock_leave(&bench.core, BENCH_BOOT, wrong[i], bench.now_ns),
			 RIG_ERR_NO_NONCE);
		CHECK_EQ(rig_interlock_permit(&bench.core, BENCH_BOOT, wrong[i], bench.now_ns),
			 RIG_ERR_NO_NONCE);
		CHECK_EQ(bench.core.refusals, 3u * (i + 1u));
		CHECK(is_untouched(&bench));
	}
	CHECK(!rig_core_take_permit(&bench.core, bench.now_ns));
}

static void a_refused_token_is_free_and_a_known_one_needs_the_nonce_again(struct check_tally *tally)
{
	struct rig_action action = {
		.boot_id = BENCH_BOOT, .token = 1, .duration_ns = 4 * S, .force = true};
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(rig_interlock_press(&bench.core, &action, bench.now_ns), RIG_ERR_NO_NONCE);
	action.nonce = BENCH_NONCE;
	CHECK_EQ(rig_interlock_press(&bench.core, &action, bench.now_ns), RIG_OK);
	CHECK(bench.driven[BUTTON]);
	action.nonce = 0;
	CHECK_EQ(rig_interlock_press(&bench.core, &action, bench.now_ns), RIG_ERR_NO_NONCE);
	CHECK(bench.driven[BUTTON]);
}

static void
a_permit_is_good_for_one_command_until_the_lease_would_be_over(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK(!rig_core_take_permit(&bench.core, bench.now_ns));
	CHECK_EQ(bench.core.refusals, 1);
	CHECK_EQ(rig_interlock_permit(&bench.core, BENCH_BOOT, BENCH_NONCE, 10 * S), RIG_OK);
	CHECK_EQ(rig_interlock_permit(&bench.core, BENCH_BOOT, BENCH_NONCE, 11 * S), RIG_OK);
	CHECK(rig_core_take_permit(&bench.core, 14 * S - 1u));
	CHECK(!rig_core_take_permit(&bench.core, 14 * S - 1u));
	CHECK_EQ(rig_interlock_permit(&bench.core, BENCH_BOOT, BENCH_NONCE, 11 * S), RIG_OK);
	CHECK(!rig_core_take_permit(&bench.core, 14 * S));
	/* A permit that came too late is over for good. */
	CHECK(!rig_core_take_permit(&bench.core, 13 * S));
	CHECK_EQ(bench.core.refusals, 4);
}

static void whoever_asks_without_the_nonce_leaves_a_permit_as_it_is(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(rig_interlock_permit(&bench.core, BENCH_BOOT, BENCH_NONCE, 10 * S), RIG_OK);
	CHECK_EQ(rig_interlock_permit(&bench.core, BENCH_BOOT, 0, 12 * S), RIG_ERR_NO_NONCE);
	CHECK(rig_core_take_permit(&bench.core, 13 * S - 1u));
}

static void run_sight_tests(struct check_tally *tally)
{
	RUN(tally, what_drives_is_for_one_boot);
	RUN(tally, what_is_hard_to_undo_needs_the_nonce);
	RUN(tally, a_refused_token_is_free_and_a_known_one_needs_the_nonce_again);
	RUN(tally, a_permit_is_good_for_one_command_until_the_lease_would_be_over);
	RUN(tally, whoever_asks_without_the_nonce_leaves_a_permit_as_it_is);
}

/* ------------------------------------------------------------------------------ bootloader -- */

static void a_board_leaves_when_it_said_and_drives_nothing_until_then(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(rig_interlock_leave(&bench.core, BENCH_BOOT, BENCH_NONCE, bench.now_ns), RIG_OK);
	CHECK_EQ(rig_core_deadline(&bench.core), bench.now_ns + RIG_LEAVE_AFTER_NS);
	CHECK_EQ(press(&bench, 1, MS), RIG_ERR_BUSY);
	bench_tick(&bench, bench.now_ns + RIG_LEAVE_AFTER_NS - 1u);
	CHECK_EQ(bench.leave_count, 0);
	bench_tick(&bench, bench.now_ns + 1u);
	CHECK_EQ(bench.leave_count, 1);
	CHECK_EQ(rig_core_deadline(&bench.core), UINT64_MAX);
}

static void a_board_that_was_asked_twice_leaves_once_and_as_soon(struct check_tally *tally)
{
	struct bench bench;
	uint64_t due_ns;

	bench_start(&bench);
	CHECK_EQ(rig_interlock_leave(&bench.core, BENCH_BOOT, BENCH_NONCE, bench.now_ns), RIG_OK);
	due_ns = rig_core_deadline(&bench.core);
	bench_tick(&bench, bench.now_ns + MS);
	CHECK_EQ(rig_interlock_leave(&bench.core, BENCH_BOOT, BENCH_NONCE, bench.now_ns), RIG_OK);
	CHECK_EQ(rig_core_deadline(&bench.core), due_ns);
	bench_tick(&bench, due_ns + S);
	CHECK_EQ(bench.leave_count, 1);
}

static void a_board_that_drives_or_is_about_to_stays(struct check_tally *tally)
{
	struct rig_action action = {
		.boot_id = BENCH_BOOT, .actuator = BUTTON, .token = 1, .duration_ns = 100 * MS};
	struct bench bench;

	bench_start(&bench);
	action.has_at = true;
	action.at_ns = bench.now_ns + S;
	rig_interlock_contact(&bench.core, &nobody, bench.now_ns, bench.now_ns);
	CHECK_EQ(rig_interlock_press(&bench.core, &action, bench.now_ns), RIG_OK);
	CHECK_EQ(rig_interlock_leave(&bench.core, BENCH_BOOT, BENCH_NONCE, bench.now_ns),
		 RIG_ERR_BUSY);
	bench_tick(&bench, action.at_ns);
	CHECK(bench.driven[BUTTON]);
	CHECK_EQ(rig_interlock_leave(&bench.core, BENCH_BOOT, BENCH_NONCE, bench.now_ns),
		 RIG_ERR_BUSY);
	bench_tick(&bench, bench.now_ns + 100 * MS);
	CHECK_EQ(rig_interlock_leave(&bench.core, BENCH_BOOT, BENCH_NONCE, bench.now_ns), RIG_OK);
}

static void run_bootloader_tests(struct check_tally *tally)
{
	RUN(tally, a_board_leaves_when_it_said_and_drives_nothing_until_then);
	RUN(tally, a_board_that_was_asked_twice_leaves_once_and_as_soon);
	RUN(tally, a_board_that_drives_or_is_about_to_stays);
}

static void run_limit_tests(struct check_tally *tally)
{
	RUN(tally, presses_keep_the_release_time_between_them);
	RUN(tally, the_release_time_counts_from_the_release_and_not_from_its_plan);
	RUN(tally, a_press_ahead_has_to_keep_the_release_time_too);
	RUN(tally, a_lid_rests_before_it_is_closed_again_and_opens_at_any_time);
	RUN(tally, presses_back_to_back_are_no_hold);
	RUN(tally, the_time_left_of_a_window_is_exact);
	RUN(tally, a_hold_ends_at_its_maximum_whoever_keeps_up_the_lease);
	RUN(tally, an_opening_that_is_planned_does_not_make_a_hold_longer);
	RUN(tally, limits_that_no_press_can_keep_are_refused_at_the_start);
	RUN(tally, a_late_repeat_of_an_earlier_press_is_answered_too);
	RUN(tally, another_host_does_not_keep_up_the_lease);
	RUN(tally, a_host_that_follows_on_another_s_lease_has_its_own);
	RUN(tally, the_owner_keeps_it_up);
	RUN(tally, another_host_waits_until_all_is_over);
}

static void run_lease_tests(struct check_tally *tally)
{
	RUN(tally, a_silent_host_loses_its_actuators);
	RUN(tally, a_host_that_is_heard_keeps_them);
	RUN(tally, a_request_that_came_in_time_saves_the_lease_though_handled_late);
	RUN(tally, a_request_that_came_too_late_does_not_save_the_lease);
	RUN(tally, a_stamp_of_the_future_does_not_stretch_the_lease);
	RUN(tally, a_lease_forgets_what_was_scheduled);
	RUN(tally, silence_with_nothing_driven_is_no_expiry);
	RUN(tally, a_press_that_ends_with_the_lease_is_no_expiry);
	RUN(tally, what_is_scheduled_dies_with_its_host);
	RUN(tally, a_host_that_asks_meanwhile_has_what_it_scheduled);
}

void test_interlock(struct check_tally *tally)
{
	RUN(tally, a_press_is_driven_at_once_and_released_in_time);
	RUN(tally, a_press_of_one_nanosecond_is_a_press);
	RUN(tally, a_late_tick_still_drives_and_then_releases);
	RUN(tally, late_events_are_done_in_the_order_of_their_times);
	RUN(tally, one_actuator_never_does_two_things);
	RUN(tally, a_repeated_token_is_answered_and_not_done_again);
	RUN(tally, the_token_of_a_refused_press_may_be_used_again);
	RUN(tally, tokens_are_an_actuator_s_own);
	RUN(tally, an_action_starts_neither_in_the_past_nor_beyond_the_lease);
	RUN(tally, a_lid_stays_closed_until_opened);
	RUN(tally, a_closed_lid_opens_when_scheduled);
	RUN(tally, release_lets_go_of_all_and_forgets_what_was_scheduled);
	RUN(tally, the_wrong_kind_of_actuator_is_refused);
	RUN(tally, quiet_is_told_from_busy);
	run_lease_tests(tally);
	run_limit_tests(tally);
	run_bootloader_tests(tally);
	run_sight_tests(tally);
}
