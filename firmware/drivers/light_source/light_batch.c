/* SPDX-License-Identifier: Apache-2.0 */
#include "light_batch.h"

enum light_batch light_batch_next(uint32_t finished, uint32_t taken)
{
	uint32_t waiting = finished - taken;

	if (waiting == 0u) {
		return LIGHT_BATCH_NONE;
	}
	return waiting == 1u ? LIGHT_BATCH_READY : LIGHT_BATCH_LOST;
}

/** count clocks of rate from_hz in those of to_hz, rounded to the nearest. */
static uint32_t converted(uint32_t count, uint32_t from_hz, uint32_t to_hz)
{
	return (uint32_t)(((uint64_t)count * to_hz + from_hz / 2u) / from_hz);
}

uint32_t light_batch_first_ticks(uint32_t before, uint32_t after, uint32_t hz, uint32_t period_hz,
				 uint32_t delay_cycles, uint32_t adc_hz)
{
	uint32_t started = before + (after - before) / 2u;

	return started + converted(1, period_hz, hz) + converted(delay_cycles, adc_hz, hz);
}
