/* SPDX-License-Identifier: Apache-2.0 */
/**
 * A state machine of the RP2040's PIO that runs the change detector (pio_program.h), and the ring
 * in RAM that its records are moved to.
 *
 * Registers only: what the records mean is pio_edges.h, what becomes of them edge_source_pio.c.
 */
#ifndef PIO_MACHINE_H
#define PIO_MACHINE_H

#include <hardware/pio.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zephyr/device.h>

#include "dma_ring.h"

#define PIO_MACHINE_WORDS_PER_RECORD 2u

struct pio_machine {
	PIO pio;
	size_t index;
	/** where the program is in the PIO's memory */
	uint32_t offset;
	struct dma_ring dma;
	/** ring of 2^ring_bits bytes, aligned to its size; the caller sets both */
	volatile uint32_t *ring;
	uint8_t ring_bits;
};

/**
 * Take a state machine and load its program.
 *
 * @retval 0
 * @retval -ENODEV the PIO is not ready
 * @retval -ENOMEM no room for the program
 * @retval -EBUSY no state machine or no DMA channel is left
 */
int pio_machine_init(struct pio_machine *machine, const struct device *pio);

/** Switch off each input that the mask (bit n: GPIO n) has not, so that no change of it is seen. */
void pio_machine_close_others(uint32_t inputs);

/**
 * Start anew, with an empty ring. The counter then is ticks_per_us times the 1 MHz timer.
 *
 * @return the inputs before the first sample; what changes meanwhile is a record of that sample
 */
uint32_t pio_machine_start(struct pio_machine *machine, uint32_t ticks_per_us);

/** Sample no more; the ring stays. */
void pio_machine_stop(const struct pio_machine *machine);

/** @return words moved to the ring since the start, as dma_ring_written() counts */
static inline uint32_t pio_machine_written(const struct pio_machine *machine)
{
	return dma_ring_written(&machine->dma);
}

/** @return whether it stood still as nobody took its words: from then on its counter is late */
bool pio_machine_has_stalled(const struct pio_machine *machine);

/** Interrupt, or do not, while records have come since the last pio_machine_forget(). */
void pio_machine_interrupt(const struct pio_machine *machine, bool on);

/** Forget that records have come. */
void pio_machine_forget(const struct pio_machine *machine);

/**
 * Make the machine see an input high, by override at the pad, when a microsecond begins.
 *
 * @return that microsecond of the 1 MHz timer
 */
uint32_t pio_machine_mark(uint32_t gpio);

/** Make it see the input as it is again. */
void pio_machine_unmark(uint32_t gpio);

#endif
