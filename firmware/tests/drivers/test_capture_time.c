/* SPDX-License-Identifier: Apache-2.0 */
#include "capture_time.h"
#include "suites.h"

#define LAP 65536u

/** A capture of a timer that is offset ahead of the base, age before the base stood at now. */
static struct capture_reading reading_of(uint32_t bits, int32_t offset_ticks, uint32_t now,
					 uint32_t age)
{
	return (struct capture_reading){
		.bits = bits,
		.offset_ticks = offset_ticks,
		.captured = (now - age + (uint32_t)offset_ticks) & (UINT32_MAX >> (32u - bits)),
		.now = now,
		.served = now - age,
	};
}

static void a_16_bit_capture_is_placed_at_every_phase(struct check_tally *tally)
{
	static const int32_t offsets[] = {0, -1, 3, -20};
	static const uint32_t ages[] = {0, 1, 2, 9, 255, LAP / 2u - 1u, LAP / 2u, LAP - 100u};

	for (uint32_t phase = 0; phase < LAP; phase++) {
		/* The base wraps in the middle of it. */
		uint32_t now = phase - LAP / 2u;

		for (uint32_t i = 0; i < 4u * 8u; i++) {
			struct capture_reading reading =
				reading_of(16, offsets[i / 8u], now, ages[i % 8u]);
			uint32_t ticks;

			CHECK(capture_place(&reading, &ticks));
			CHECK_EQ(ticks, now - ages[i % 8u]);
		}
	}
}

static void a_32_bit_capture_is_placed_however_old(struct check_tally *tally)
{
	static const uint32_t ages[] = {0, 1, LAP, 100u * LAP, UINT32_MAX - 100u};

	for (uint32_t i = 0; i < 5u; i++) {
		struct capture_reading reading = reading_of(32, -2, 5, ages[i]);
		uint32_t ticks;

		CHECK(capture_place(&reading, &ticks));
		CHECK_EQ(ticks, 5u - ages[i]);
	}
}

static void a_capture_that_seems_ahead_is_not_taken_for_a_lap_old(struct check_tally *tally)
{
	for (uint32_t ahead = 1; ahead <= CAPTURE_SLACK_TICKS; ahead++) {
		struct capture_reading reading = reading_of(16, 0, 1000, 0);
		uint32_t ticks;

		reading.captured += ahead;
		CHECK(capture_place(&reading, &ticks));
		CHECK_EQ(ticks, 1000u + ahead);
	}
}

/** Every stamp that is given is right, and none is refused without need. */
static void a_capture_that_may_be_a_lap_old_is_refused(struct check_tally *tally)
{
	for (uint32_t held_up = 0; held_up < 3u * LAP; held_up += 7u) {
		for (uint32_t age = 0; age <= held_up; age += 4999u) {
			struct capture_reading reading = reading_of(16, -1, 9u * LAP, age);
			uint32_t ticks;

			reading.served = reading.now - held_up;
			if (capture_place(&reading, &ticks)) {
				CHECK_EQ(ticks, reading.now - age);
			} else {
				CHECK(age % LAP + LAP <= held_up + 2u * CAPTURE_SLACK_TICKS);
			}
		}
	}
}

/* ---------------------------------------------------------------------------------- offset -- */

/** Parts of a tick, so that two counters have a phase. */
#define PARTS 64

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/** Count of a counter that is offset_parts ahead, at a time; rounded down, wraps with its bits. */
static uint32_t count_at(uint32_t bits, int64_t parts, int64_t offset_parts)
{
	int64_t at = parts + offset_parts;
	int64_t ticks = at >= 0 ? at / PARTS : -((-at + PARTS - 1) / PARTS);

	return (uint32_t)ticks & (UINT32_MAX >> (32u - bits));
}

/** Readings whose three reads lie up to gap_parts apart. */
static struct capture_offset measured(uint32_t bits, int64_t offset_parts, uint32_t gap_parts,
				      uint32_t seed)
{
	struct capture_offset offset;
	int64_t now = (int64_t)seed * 1000;

	capture_offset_begin(&offset);
	for (uint32_t i = 0; i < 64u; i++) {
		uint32_t before = count_at(32, now, 0);
		uint32_t count;

		now += 1 + next_random(&seed) % gap_parts;
		count = count_at(bits, now, offset_parts);
		now += 1 + next_random(&seed) % gap_parts;
		capture_offset_narrow(&offset, bits, before, count, count_at(32, now, 0));
		now += next_random(&seed) % 1000u;
	}
	return offset;
}

static void an_offset_lies_in_the_interval_that_was_measured(struct check_tally *tally)
{
	for (int64_t parts = -5 * PARTS; parts <= 5 * PARTS; parts++) {
		for (uint32_t seed = 1; seed < 20u; seed++) {
			uint32_t bits = seed % 2u == 0u ? 16 : 32;
			struct capture_offset offset = measured(bits, parts, PARTS, seed);
			int32_t doubt_ticks = capture_offset_doubt_ticks(&offset);

			CHECK((int64_t)offset.above_ticks * PARTS < parts);
			CHECK((int64_t)offset.below_ticks * PARTS > parts);
			CHECK(doubt_ticks >= 1 && doubt_ticks <= 4);
		}
	}
}

/** What the offset's doubt does to a stamp, at every phase. */
static void a_stamp_is_off_by_no_more_than_the_doubt(struct check_tally *tally)
{
	for (int64_t parts = -3 * PARTS; parts <= 3 * PARTS; parts++) {
		struct capture_offset offset = measured(16, parts, PARTS, 5);
		int32_t ticks = capture_offset_ticks(&offset, false);
		int32_t doubt_ticks = capture_offset_doubt_ticks(&offset);

		for (int64_t at = 10 * PARTS; at < 12 * PARTS; at++) {
			int32_t stamp = (int32_t)count_at(32, at, parts) - ticks;
			int32_t error_ticks = stamp - (int32_t)count_at(32, at, 0);

			CHECK(error_ticks >= -doubt_ticks && error_ticks <= doubt_ticks);
			CHECK(2 * error_ticks <= doubt_ticks + 2 &&
			      -2 * error_ticks <= doubt_ticks + 2);
		}
	}
}

static void timers_that_one_signal_started_have_no_offset(struct check_tally *tally)
{
	struct capture_offset in_step = measured(32, 0, 2 * PARTS, 3);
	struct capture_offset apart = measured(16, -7 * PARTS, 2 * PARTS, 3);

	CHECK_EQ(capture_offset_ticks(&in_step, true), 0);
	/* The signal was not heard: the readings know better. */
	CHECK(capture_offset_ticks(&apart, true) <= -6);
	CHECK(capture_offset_ticks(&apart, true) >= -8);
}

static void readings_of_other_rates_contradict_each_other(struct check_tally *tally)
{
	struct capture_offset offset;

	capture_offset_begin(&offset);
	capture_offset_narrow(&offset, 16, 100, 100, 100);
	CHECK_EQ(capture_offset_doubt_ticks(&offset), 2);
	capture_offset_narrow(&offset, 16, 200, 300, 200);
	CHECK(capture_offset_doubt_ticks(&offset) <= 0);
}

static void drift_is_told_when_it_is_certain(struct check_tally *tally)
{
	for (int64_t parts = -4 * PARTS; parts <= 4 * PARTS; parts += 3) {
		struct capture_offset then = measured(16, 0, PARTS, 7);
		struct capture_offset now = measured(16, parts, PARTS, 11);
		int64_t drift_ticks = capture_offset_drift_ticks(&then, &now);

		/* Never more than there is, and of its sign. */
		CHECK(drift_ticks * parts >= 0);
		CHECK((drift_ticks < 0 ? -drift_ticks : drift_ticks) * PARTS <=
		      (parts < 0 ? -parts : parts) + PARTS);
	}
	{
		struct capture_offset then = measured(16, 0, PARTS, 7);
		struct capture_offset now = measured(16, 100 * PARTS, PARTS, 11);

		CHECK(capture_offset_drift_ticks(&then, &now) >= 96);
		CHECK(capture_offset_drift_ticks(&now, &then) <= -96);
	}
}

void test_capture_time(struct check_tally *tally)
{
	RUN(tally, a_16_bit_capture_is_placed_at_every_phase);
	RUN(tally, a_32_bit_capture_is_placed_however_old);
	RUN(tally, a_capture_that_seems_ahead_is_not_taken_for_a_lap_old);
	RUN(tally, a_capture_that_may_be_a_lap_old_is_refused);
	RUN(tally, an_offset_lies_in_the_interval_that_was_measured);
	RUN(tally, a_stamp_is_off_by_no_more_than_the_doubt);
	RUN(tally, timers_that_one_signal_started_have_no_offset);
	RUN(tally, readings_of_other_rates_contradict_each_other);
	RUN(tally, drift_is_told_when_it_is_certain);
}
