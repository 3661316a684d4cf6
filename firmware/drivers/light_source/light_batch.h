/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Batches that hardware writes into the two halves of one buffer in turn. Pure: who counts them and
 * who copies them is elsewhere.
 */
#ifndef LIGHT_BATCH_H
#define LIGHT_BATCH_H

#include <stdint.h>

enum light_batch {
	/** the one to take is still being written */
	LIGHT_BATCH_NONE,
	/** it is whole, and the other half is being written */
	LIGHT_BATCH_READY,
	/** its half is being written anew */
	LIGHT_BATCH_LOST,
};

/**
 * State of the batch to take next; it is asked for again after copying.
 *
 * @param finished batches that were written so far, modulo 2^32
 * @param taken    batches that were taken so far
 */
enum light_batch light_batch_next(uint32_t finished, uint32_t taken);

/**
 * Counter at the first sample.
 *
 * @param before       counter read before the trigger timer was started
 * @param after        counter read after that
 * @param hz           rate of the counter
 * @param period_hz    rate of the samples; the first one is a period after the start
 * @param delay_cycles from the trigger to the end of sampling, in clocks of the converter
 * @param adc_hz       rate of these clocks
 * @return rounded to the nearest tick; off by half of after - before, and by the delay's doubt
 */
uint32_t light_batch_first_ticks(uint32_t before, uint32_t after, uint32_t hz, uint32_t period_hz,
				 uint32_t delay_cycles, uint32_t adc_hz);

#endif
