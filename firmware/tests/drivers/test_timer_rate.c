/* SPDX-License-Identifier: Apache-2.0 */
#include "suites.h"
#include "timer_rate.h"

#include <errno.h>

#define MHZ 1000000u

/** The clocks that Zephyr's board files set. */
static void the_clocks_of_the_boards(struct check_tally *tally)
{
	/* nucleo_h743zi: HCLK 240 MHz, both buses at half of it. */
	CHECK_EQ(timer_clock_hz(120 * MHZ, 2, false), 240 * MHZ);
	/* nucleo_f767zi: HCLK 216 MHz, APB1 at a quarter, APB2 at half of it. */
	CHECK_EQ(timer_clock_hz(54 * MHZ, 4, false), 108 * MHZ);
	CHECK_EQ(timer_clock_hz(108 * MHZ, 2, false), 216 * MHZ);
	/* nucleo_f446re: HCLK 96 MHz, APB1 at half of it. */
	CHECK_EQ(timer_clock_hz(48 * MHZ, 2, false), 96 * MHZ);
}

static void a_timer_is_never_faster_than_the_core_bus(struct check_tally *tally)
{
	static const uint32_t divisors[] = {1, 2, 4, 8, 16};

	for (uint32_t i = 0; i < 5u; i++) {
		uint32_t bus_hz = 160 * MHZ / divisors[i];
		uint32_t twice_hz = timer_clock_hz(bus_hz, divisors[i], false);
		uint32_t four_hz = timer_clock_hz(bus_hz, divisors[i], true);

		CHECK_EQ(twice_hz, divisors[i] <= 2u ? 160 * MHZ : 2u * bus_hz);
		CHECK_EQ(four_hz, divisors[i] <= 4u ? 160 * MHZ : 4u * bus_hz);
	}
}

static void a_rate_that_divides_is_made_exactly(struct check_tally *tally)
{
	uint32_t divisor = 0;

	CHECK_EQ(timer_divide(240 * MHZ, 12 * MHZ, 65536, &divisor), 0);
	CHECK_EQ(divisor, 20);
	CHECK_EQ(timer_divide(216 * MHZ, 12 * MHZ, 65536, &divisor), 0);
	CHECK_EQ(divisor, 18);
	CHECK_EQ(timer_divide(96 * MHZ, 12 * MHZ, 65536, &divisor), 0);
	CHECK_EQ(divisor, 8);
	CHECK_EQ(timer_divide(12 * MHZ, 12 * MHZ, 65536, &divisor), 0);
	CHECK_EQ(divisor, 1);
	CHECK_EQ(timer_divide(65536, 1, 65536, &divisor), 0);
	CHECK_EQ(divisor, 65536);
}

static void another_rate_is_refused(struct check_tally *tally)
{
	uint32_t divisor = 77;

	CHECK_EQ(timer_divide(108 * MHZ, 24 * MHZ, 65536, &divisor), -EINVAL);
	CHECK_EQ(timer_divide(108 * MHZ, 108 * MHZ + 1u, 65536, &divisor), -EINVAL);
	CHECK_EQ(timer_divide(108 * MHZ, 216 * MHZ, 65536, &divisor), -EINVAL);
	CHECK_EQ(timer_divide(108 * MHZ, 0, 65536, &divisor), -EINVAL);
	CHECK_EQ(timer_divide(0, 12 * MHZ, 65536, &divisor), -EINVAL);
	CHECK_EQ(timer_divide(65537, 1, 65536, &divisor), -EINVAL);
	CHECK_EQ(divisor, 77);
}

void test_timer_rate(struct check_tally *tally)
{
	RUN(tally, the_clocks_of_the_boards);
	RUN(tally, a_timer_is_never_faster_than_the_core_bus);
	RUN(tally, a_rate_that_divides_is_made_exactly);
	RUN(tally, another_rate_is_refused);
}
