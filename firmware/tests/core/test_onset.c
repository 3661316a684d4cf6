/* SPDX-License-Identifier: Apache-2.0 */
/* Light onset on small panels; the panels of the light table are played by the host's tests. */
#include "recording.h"
#include "suites.h"

static void a_step_is_timed_between_its_samples(struct check_tally *tally)
{
	struct recording *recording = recording_start();
	const struct rig_onset_result *result = &recording->result;
	uint64_t dark_ns;

	recording_hold(recording, BLACK, 150);
	dark_ns = recording->t_ns - SAMPLE_NS;
	recording_hold(recording, WHITE, 1500);
	CHECK_EQ(recording_look_now(recording), RIG_ONSET_OK);
	CHECK_EQ(result->base_q8, BLACK * 256u);
	CHECK_EQ(result->level_q8, WHITE * 256u);
	CHECK_EQ(result->peak, WHITE);
	CHECK_EQ(result->pwm_mhz, 0);
	CHECK_EQ(result->pwm_uncertainty_ns, 0);
	CHECK_EQ(result->resolution_ns, SAMPLE_NS);
	/* A tenth of the way from the last dark sample to the first lit one. */
	CHECK(is_near(result->first_ns, dark_ns + SAMPLE_NS / 10u, 2));
	/* The mean of ten samples is half when five of them are lit: centred, at the step. */
	CHECK(is_near(result->half_ns, dark_ns + SAMPLE_NS / 2u, 2));
	CHECK(is_near(result->ninety_ns, dark_ns + SAMPLE_NS / 2u + 4u * SAMPLE_NS, 2));
}

static void a_ramp_is_timed_at_its_middle(struct check_tally *tally)
{
	struct recording *recording = recording_start();
	uint64_t start_ns;

	recording_hold(recording, BLACK, 150);
	start_ns = recording->t_ns - SAMPLE_NS;
	recording_rise(recording, 20);
	recording_hold(recording, WHITE, 1500);
	CHECK_EQ(recording_look_now(recording), RIG_ONSET_OK);
	CHECK(is_near(recording->result.first_ns, start_ns + 2 * MS, 2000));
	CHECK(is_near(recording->result.half_ns, start_ns + 10 * MS, 2000));
	CHECK(is_near(recording->result.ninety_ns, start_ns + 18 * MS, 2000));
}

static void frequency_and_duty_are_found(struct check_tally *tally)
{
	static const struct {
		uint32_t lit;
		uint32_t period;
		uint32_t mhz;
		uint32_t ppm;
	} cases[] = {{1, 2, 5000000, 500000}, {1, 10, 1000000, 100000}, {40, 45, 222222, 888888}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct recording *recording = recording_start();
		uint64_t period_ns = cases[i].period * SAMPLE_NS;

		recording_hold(recording, BLACK, 150);
		recording_pulse(recording, cases[i].lit, cases[i].period, 1500);
		CHECK_EQ(recording_look_now(recording), RIG_ONSET_OK);
		CHECK_EQ(recording->result.pwm_mhz, cases[i].mhz);
		CHECK_EQ(recording->result.duty_ppm, cases[i].ppm);
		/* (1 - D) T / sqrt(12), 1 / sqrt(12) = 0.288675 */
		CHECK_EQ(recording->result.pwm_uncertainty_ns / 10u,
			 (1000000u - cases[i].ppm) * period_ns / 1000000u * 288675u / 10000000u);
	}
}

static void a_recording_tells_how_far_it_is(struct check_tally *tally)
{
	struct recording *recording = recording_start();

	recording->light = (struct rig_light){.slots = NULL};
	CHECK_EQ(recording_look(recording, 0), RIG_ONSET_IDLE);
	recording = recording_start();
	recording_hold(recording, BLACK, 99);
	CHECK_EQ(recording_look_now(recording), RIG_ONSET_DARK);
	CHECK_EQ(recording_look(recording, 9 * S), RIG_ONSET_NO_BASELINE);
	recording_hold(recording, BLACK, 50);
	CHECK_EQ(recording_look_now(recording), RIG_ONSET_DARK);
	CHECK_EQ(recording_look(recording, 9 * S), RIG_ONSET_NO_LIGHT);
	recording_hold(recording, WHITE, 1000);
	CHECK_EQ(recording_look_now(recording), RIG_ONSET_RISING);
	CHECK_EQ(recording->result.first_ns, RIG_ONSET_NEVER);
	CHECK_EQ(recording_look(recording, 9 * S), RIG_ONSET_NOT_SETTLED);
	CHECK(is_near(recording->result.first_ns, 5149 * MS, SAMPLE_NS));
	CHECK_EQ(recording->result.half_ns, RIG_ONSET_NEVER);
	recording_hold(recording, WHITE, 500);
	CHECK_EQ(recording_look_now(recording), RIG_ONSET_OK);
}

static void what_follows_a_measurement_does_not_change_it(struct check_tally *tally)
{
	struct recording *recording = recording_start();
	struct rig_onset_result before;

	recording_hold(recording, BLACK, 150);
	recording_rise(recording, 10);
	recording_hold(recording, WHITE, 1500);
	CHECK_EQ(recording_look_now(recording), RIG_ONSET_OK);
	before = recording->result;
	recording_hold(recording, 4095, 500);
	rig_light_arm(&recording->light, recording->t_ns, 11 * S);
	recording_hold(recording, BLACK, 500);
	recording->t_ns += 5 * SAMPLE_NS;
	recording_hold(recording, BLACK, 10);
	CHECK_EQ(recording_look(recording, 12 * S), RIG_ONSET_OK);
	CHECK_EQ(recording->result.half_ns, before.half_ns);
	CHECK_EQ(recording->result.level_q8, before.level_q8);
	rig_light_arm(&recording->light, 12 * S, 13 * S);
	CHECK_EQ(recording_look(recording, 12 * S), RIG_ONSET_DARK);
}

static void one_or_two_samples_are_no_light(struct check_tally *tally)
{
	struct recording *recording = recording_start();

	recording_hold(recording, BLACK, 150);
	recording_put(recording, 4095);
	recording_put(recording, 4095);
	recording_hold(recording, BLACK, 100);
	CHECK_EQ(recording_look(recording, 9 * S), RIG_ONSET_NO_LIGHT);
	CHECK_EQ(recording->result.peak, BLACK);
	recording_hold(recording, WHITE, 1500);
	CHECK_EQ(recording_look_now(recording), RIG_ONSET_OK);
	CHECK(is_near(recording->result.first_ns, 5250 * MS, MS));
}

static void a_level_that_moves_is_unstable_until_it_stays(struct check_tally *tally)
{
	struct recording *recording = recording_start();

	recording_hold(recording, BLACK, 150);
	recording_hold(recording, WHITE, 700);
	recording_hold(recording, WHITE / 2, 710);
	CHECK_EQ(recording_look_now(recording), RIG_ONSET_RISING);
	CHECK_EQ(recording_look(recording, 9 * S), RIG_ONSET_UNSTABLE);
	CHECK(recording->result.first_ns != RIG_ONSET_NEVER);
	CHECK_EQ(recording->result.half_ns, RIG_ONSET_NEVER);
	recording_hold(recording, WHITE / 2, 1500);
	CHECK_EQ(recording_look_now(recording), RIG_ONSET_OK);
	CHECK_EQ(recording->result.level_q8, WHITE / 2 * 256u);
}

static void a_ripple_without_a_period_is_unstable(struct check_tally *tally)
{
	struct recording *recording = recording_start();
	uint32_t random = 1;

	recording_hold(recording, BLACK, 150);
	for (uint32_t i = 0; i < 15000; i++) {
		random = random * 1664525u + 1013904223u;
		recording_put(recording, random >> 31 == 0u ? WHITE : BLACK);
	}
	CHECK_EQ(recording_look(recording, 9 * S), RIG_ONSET_UNSTABLE);
}

static void light_that_goes_again_has_not_settled(struct check_tally *tally)
{
	struct recording *recording = recording_start();

	recording_hold(recording, BLACK, 150);
	recording_hold(recording, WHITE, 300);
	recording_hold(recording, BLACK, 2000);
	CHECK_EQ(recording_look(recording, 9 * S), RIG_ONSET_NOT_SETTLED);
}

static void the_end_of_the_range_is_told(struct check_tally *tally)
{
	struct recording *recording = recording_start();

	recording_hold(recording, BLACK, 150);
	recording_hold(recording, 4095, 1500);
	CHECK_EQ(recording_look_now(recording), RIG_ONSET_SATURATED);
	CHECK(is_near(recording->result.first_ns, 5150 * MS, SAMPLE_NS));
	CHECK_EQ(recording->result.half_ns, RIG_ONSET_NEVER);
}

static void light_in_the_baseline_is_no_baseline(struct check_tally *tally)
{
	for (uint32_t ms = 1; ms < 100; ms++) {
		struct recording *recording = recording_start();

		recording_hold(recording, BLACK, ms);
		recording_hold(recording, WHITE, 110);
		CHECK_EQ(recording_look_now(recording), RIG_ONSET_NO_BASELINE);
	}
}

static void samples_that_are_missing_or_late_are_told(struct check_tally *tally)
{
	static const int64_t shifts_ns[] = {SAMPLE_NS, SAMPLE_NS * 3 / 4,
					    -(int64_t)SAMPLE_NS / 2 - 1};

	for (size_t i = 0; i < sizeof(shifts_ns) / sizeof(shifts_ns[0]); i++) {
		struct recording *recording = recording_start();

		recording_hold(recording, BLACK, 150);
		recording->t_ns += SAMPLE_NS / 3u;
		recording_hold(recording, BLACK, 10);
		CHECK_EQ(recording_look_now(recording), RIG_ONSET_DARK);
		recording->t_ns += (uint64_t)shifts_ns[i];
		recording_hold(recording, BLACK, 1);
		CHECK_EQ(recording_look_now(recording), RIG_ONSET_LOST);
	}
}

static void a_fade_that_outlasts_the_ring_is_timed_by_blocks(struct check_tally *tally)
{
	struct recording *recording = recording_start_with(SLOTS / 4, BLOCKS);
	const struct rig_onset_result *result = &recording->result;

	recording_hold(recording, BLACK, 150);
	recording_rise(recording, 300);
	recording_hold(recording, WHITE, 1700);
	CHECK_EQ(recording_look_now(recording), RIG_ONSET_OK);
	CHECK_EQ(result->resolution_ns, MS);
	CHECK(is_near(result->first_ns, 5180 * MS, MS / 5u));
	CHECK(is_near(result->half_ns, 5300 * MS, MS / 5u));
	CHECK(is_near(result->ninety_ns, 5420 * MS, MS / 5u));
}

static void a_fade_that_nothing_holds_any_more_is_lost(struct check_tally *tally)
{
	struct recording *recording = recording_start_with(SLOTS / 4, 100);

	recording_hold(recording, BLACK, 150);
	recording_rise(recording, 300);
	recording_hold(recording, WHITE, 1700);
	CHECK_EQ(recording_look_now(recording), RIG_ONSET_LOST);
	CHECK_EQ(recording->result.half_ns, RIG_ONSET_NEVER);
}

static void a_glow_before_the_light_is_timed_by_blocks(struct check_tally *tally)
{
	struct recording *recording = recording_start();

	recording_hold(recording, BLACK, 150);
	recording_hold(recording, BLACK + 20, 250);
	recording_hold(recording, WHITE, 1560);
	CHECK_EQ(recording_look_now(recording), RIG_ONSET_OK);
	CHECK_EQ(recording->result.resolution_ns, MS);
	CHECK(is_near(recording->result.first_ns, 5400 * MS, MS));
	CHECK(is_near(recording->result.half_ns, 5400 * MS, MS));
}

void test_onset(struct check_tally *tally)
{
	RUN(tally, a_step_is_timed_between_its_samples);
	RUN(tally, a_ramp_is_timed_at_its_middle);
	RUN(tally, frequency_and_duty_are_found);
	RUN(tally, a_recording_tells_how_far_it_is);
	RUN(tally, what_follows_a_measurement_does_not_change_it);
	RUN(tally, one_or_two_samples_are_no_light);
	RUN(tally, a_level_that_moves_is_unstable_until_it_stays);
	RUN(tally, a_ripple_without_a_period_is_unstable);
	RUN(tally, light_that_goes_again_has_not_settled);
	RUN(tally, the_end_of_the_range_is_told);
	RUN(tally, light_in_the_baseline_is_no_baseline);
	RUN(tally, samples_that_are_missing_or_late_are_told);
	RUN(tally, a_fade_that_outlasts_the_ring_is_timed_by_blocks);
	RUN(tally, a_fade_that_nothing_holds_any_more_is_lost);
	RUN(tally, a_glow_before_the_light_is_timed_by_blocks);
}
