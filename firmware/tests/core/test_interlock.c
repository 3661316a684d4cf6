/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"
#include "suites.h"

static enum rig_error press(struct bench *bench, uint32_t token, uint64_t duration_ns)
{
	rig_interlock_contact(&bench->core, bench->now_ns, bench->now_ns);
	return rig_interlock_press(&bench->core,
				   &(struct rig_action){.actuator = BUTTON,
							.token = token,
							.duration_ns = duration_ns},
				   bench->now_ns);
}

static enum rig_error press_at(struct bench *bench, uint32_t token, uint64_t at_ns)
{
	rig_interlock_contact(&bench->core, bench->now_ns, bench->now_ns);
	return rig_interlock_press(&bench->core,
				   &(struct rig_action){.actuator = BUTTON,
							.token = token,
							.duration_ns = 100 * MS,
							.has_at = true,
							.at_ns = at_ns},
				   bench->now_ns);
}

static enum rig_error lid(struct bench *bench, uint32_t token, bool closed)
{
	rig_interlock_contact(&bench->core, bench->now_ns, bench->now_ns);
	return rig_interlock_hold(
		&bench->core,
		&(struct rig_action){.actuator = LID, .token = token, .closed = closed},
		bench->now_ns);
}

static enum rig_error lid_at(struct bench *bench, uint32_t token, bool closed, uint64_t at_ns)
{
	rig_interlock_contact(&bench->core, bench->now_ns, bench->now_ns);
	return rig_interlock_hold(&bench->core,
				  &(struct rig_action){.actuator = LID,
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
	CHECK_EQ(lid_at(&bench, 1, true, 11 * S + 50 * MS), RIG_OK);
	CHECK_EQ(press_at(&bench, 1, 11 * S), RIG_OK);
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
	CHECK_EQ(bench.core.actuators[BUTTON].answer_start_ns, 10 * S);
	CHECK_EQ(bench.core.actuators[BUTTON].answer_end_ns, 10 * S + 100 * MS);
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
		rig_interlock_contact(&bench.core, t_ns, t_ns);
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
	rig_interlock_contact(&bench.core, 13 * S - 1, 14 * S);
	CHECK(bench.driven[LID]);
	CHECK_EQ(rig_core_deadline(&bench.core), 16 * S - 1);
}

static void a_request_that_came_too_late_does_not_save_the_lease(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(lid(&bench, 1, true), RIG_OK);
	rig_interlock_contact(&bench.core, 13 * S, 13 * S + 1);
	CHECK(!bench.driven[LID]);
	CHECK_EQ(bench.core.lease_expiries, 1);
}

static void a_stamp_of_the_future_does_not_stretch_the_lease(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	rig_interlock_contact(&bench.core, UINT64_MAX, 10 * S);
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
	bench_tick(&bench, 14 * S);
	CHECK(!bench.driven[BUTTON]);
	CHECK_EQ(bench.core.lease_expiries, 0);
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
	struct rig_action action = {.actuator = LID, .token = 1, .duration_ns = 1};

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
}
