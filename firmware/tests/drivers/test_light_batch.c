/* SPDX-License-Identifier: Apache-2.0 */
#include "light_batch.h"
#include "suites.h"

static void a_batch_is_ready_until_its_half_is_written_anew(struct check_tally *tally)
{
	/* About 0, and where the counts wrap. */
	for (uint32_t taken = UINT32_MAX - 2u; taken != 3u; taken++) {
		CHECK_EQ(light_batch_next(taken, taken), LIGHT_BATCH_NONE);
		CHECK_EQ(light_batch_next(taken + 1u, taken), LIGHT_BATCH_READY);
		CHECK_EQ(light_batch_next(taken + 2u, taken), LIGHT_BATCH_LOST);
		CHECK_EQ(light_batch_next(taken + 9u, taken), LIGHT_BATCH_LOST);
	}
}

/** A writer that goes on by itself, and a reader that is late at times. */
static void a_batch_that_is_taken_is_never_a_mixture(struct check_tally *tally)
{
	for (uint32_t late = 0; late < 40u; late++) {
		uint32_t ring[2] = {0, 0};
		uint32_t finished = 0;
		uint32_t taken = 0;

		for (uint32_t step = 1; step < 400u; step++) {
			/* 10 steps a batch; its half is damaged from the first one on. */
			ring[finished % 2u] = finished * 10u + step % 10u;
			finished += step % 10u == 0u ? 1u : 0u;
			if (step % (late + 1u) != 0u) {
				continue;
			}
			if (light_batch_next(finished, taken) == LIGHT_BATCH_READY) {
				CHECK_EQ(ring[taken % 2u] / 10u, taken);
				taken++;
			} else if (light_batch_next(finished, taken) == LIGHT_BATCH_LOST) {
				CHECK(late >= 10u);
				break;
			}
		}
	}
}

static void the_first_sample_is_a_period_and_the_delay_after_the_start(struct check_tally *tally)
{
	/* nucleo_h743zi: 12 MHz ticks, 68 clocks of 30 MHz are 2.27 us. */
	CHECK_EQ(light_batch_first_ticks(1000, 1002, 12000000, 50000, 68, 30000000),
		 1001 + 240 + 27);
	/* nucleo_f767zi: 115 clocks of 27 MHz are 4.26 us. */
	CHECK_EQ(light_batch_first_ticks(1000, 1000, 12000000, 50000, 115, 27000000),
		 1000 + 240 + 51);
	/* nucleo_f446re: 115 clocks of 24 MHz are 4.79 us. */
	CHECK_EQ(light_batch_first_ticks(1000, 1000, 12000000, 50000, 115, 24000000),
		 1000 + 240 + 58);
	/* The counter wraps on the way. */
	CHECK_EQ(light_batch_first_ticks(UINT32_MAX, 1, 12000000, 50000, 0, 27000000), 240);
	/* A fast one: the product needs more than 32 bits. */
	CHECK_EQ(light_batch_first_ticks(0, 0, 480000000, 50000, 1000, 30000000), 9600 + 16000);
}

void test_light_batch(struct check_tally *tally)
{
	RUN(tally, a_batch_is_ready_until_its_half_is_written_anew);
	RUN(tally, a_batch_that_is_taken_is_never_a_mixture);
	RUN(tally, the_first_sample_is_a_period_and_the_delay_after_the_start);
}
