/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"
#include "suites.h"

#include <errno.h>

static void a_width_outside_of_8_to_64_is_refused(struct check_tally *tally)
{
	struct rig_time time;

	CHECK_EQ(rig_time_init(&time, 7, 1000, 0), -EINVAL);
	CHECK_EQ(rig_time_init(&time, 65, 1000, 0), -EINVAL);
	CHECK_EQ(rig_time_init(&time, 8, 1000, 0), 0);
	CHECK_EQ(rig_time_init(&time, 64, 1000, 0), 0);
}

static void a_counter_without_a_rate_is_refused(struct check_tally *tally)
{
	struct rig_time time;

	CHECK_EQ(rig_time_init(&time, 32, 0, 0), -EINVAL);
}

static void time_goes_on_over_a_wrap_at_any_width(struct check_tally *tally)
{
	for (uint32_t bits = 8; bits < 64; bits++) {
		uint64_t lap = UINT64_C(1) << bits;
		struct rig_time time;

		CHECK_EQ(rig_time_init(&time, bits, 1000, 0), 0);
		CHECK_EQ(rig_time_extend(&time, lap / 2u - 1u), lap / 2u - 1u);
		CHECK_EQ(rig_time_extend(&time, lap - 2u), lap - 2u);
		CHECK_EQ(rig_time_extend(&time, 3), lap + 3u);
	}
}

static void a_counter_of_64_bits_is_taken_as_it_is(struct check_tally *tally)
{
	struct rig_time time;

	CHECK_EQ(rig_time_init(&time, 64, 1000, 0), 0);
	CHECK_EQ(rig_time_extend(&time, UINT64_MAX / 2u), UINT64_MAX / 2u);
	CHECK_EQ(rig_time_extend(&time, UINT64_MAX - 1u), UINT64_MAX - 1u);
}

static void a_late_stamp_is_older_and_moves_nothing(struct check_tally *tally)
{
	struct rig_time time;

	CHECK_EQ(rig_time_init(&time, 16, 1000, 0), 0);
	CHECK_EQ(rig_time_extend(&time, 0x7000), 0x7000);
	CHECK_EQ(rig_time_extend(&time, 0xe000), 0xe000);
	CHECK_EQ(rig_time_extend(&time, 0x0010), 0x10010);
	CHECK_EQ(rig_time_extend(&time, 0xfff0), 0xfff0);
	CHECK_EQ(rig_time_extend(&time, 0x0011), 0x10011);
}

static void half_a_lap_parts_older_from_newer(struct check_tally *tally)
{
	struct rig_time time;

	CHECK_EQ(rig_time_init(&time, 8, 1000, 0), 0);
	CHECK_EQ(rig_time_extend(&time, 127), 127);
	CHECK_EQ(rig_time_extend(&time, 254), 254);
	CHECK_EQ(rig_time_extend(&time, 126), 126);
	CHECK_EQ(rig_time_extend(&time, 125), 256 + 125);
}

static void a_stamp_from_before_the_start_is_the_start_s(struct check_tally *tally)
{
	struct rig_time time;

	/* Early in the first lap: the stamp is one of just before the counter's zero. */
	CHECK_EQ(rig_time_init(&time, 32, 1000, 0x10), 0);
	CHECK_EQ(rig_time_extend(&time, 0xfffffff0), 0x10);
	CHECK_EQ(rig_time_extend(&time, 0x0f), 0x10);
	CHECK_EQ(rig_time_extend(&time, 0x20), 0x20);
	CHECK_EQ(rig_time_extend(&time, 0x11), 0x11);
	CHECK_EQ(rig_time_extend(&time, 0xfffffff0), 0x10);
	CHECK_EQ(time.ticks, 0x20);
	/* Late in it. */
	CHECK_EQ(rig_time_init(&time, 32, 1000, 0xfffffff0), 0);
	CHECK_EQ(rig_time_extend(&time, 0xffffffe0), 0xfffffff0);
	CHECK_EQ(rig_time_extend(&time, 0x10), UINT64_C(0x100000010));
	CHECK_EQ(rig_time_extend(&time, 0xfffffff8), 0xfffffff8);
	CHECK_EQ(rig_time_extend(&time, 0xffffffe0), 0xfffffff0);
}

static void ticks_become_nanoseconds_exactly(struct check_tally *tally)
{
	struct rig_time time;

	CHECK_EQ(rig_time_init(&time, 64, 3, 0), 0);
	CHECK_EQ(rig_time_ns(&time, 0), 0);
	CHECK_EQ(rig_time_ns(&time, 1), 333333333);
	CHECK_EQ(rig_time_ns(&time, 2), 666666666);
	CHECK_EQ(rig_time_ns(&time, 3), 1000000000);
}

static void ticks_of_whole_nanoseconds_become_them_exactly(struct check_tally *tally)
{
	struct rig_time time;

	CHECK_EQ(rig_time_init(&time, 32, 25000000, 0), 0);
	CHECK_EQ(rig_time_ns(&time, 1), 40);
	CHECK_EQ(rig_time_ns(&time, UINT64_C(25000000) * 86400u + 3u), 86400 * S + 120);
}

static void nanoseconds_do_not_overflow_in_584_years(struct check_tally *tally)
{
	struct rig_time time;
	uint64_t most_s = UINT64_C(18446744073);

	CHECK_EQ(rig_time_init(&time, 64, 1000, 0), 0);
	CHECK_EQ(rig_time_ns(&time, most_s * 1000u + 999u), most_s * S + 999u * MS);
}

static void the_fastest_counter_s_remainder_does_not_overflow(struct check_tally *tally)
{
	struct rig_time time;

	CHECK_EQ(rig_time_init(&time, 64, UINT32_MAX, 0), 0);
	CHECK_EQ(rig_time_ns(&time, UINT32_MAX - 1u), 999999999);
	CHECK_EQ(rig_time_ns(&time, UINT64_MAX), UINT64_C(4294967297) * S);
}

void test_time(struct check_tally *tally)
{
	RUN(tally, a_width_outside_of_8_to_64_is_refused);
	RUN(tally, a_counter_without_a_rate_is_refused);
	RUN(tally, time_goes_on_over_a_wrap_at_any_width);
	RUN(tally, a_counter_of_64_bits_is_taken_as_it_is);
	RUN(tally, a_late_stamp_is_older_and_moves_nothing);
	RUN(tally, half_a_lap_parts_older_from_newer);
	RUN(tally, a_stamp_from_before_the_start_is_the_start_s);
	RUN(tally, ticks_become_nanoseconds_exactly);
	RUN(tally, ticks_of_whole_nanoseconds_become_them_exactly);
	RUN(tally, nanoseconds_do_not_overflow_in_584_years);
	RUN(tally, the_fastest_counter_s_remainder_does_not_overflow);
}
