/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Endless DMA from a peripheral's FIFO into a ring in RAM, on the RP2040.
 *
 * Two DMA channels: one moves items, the other starts it again each time its count has run out, so
 * no software is needed however long it lasts. The reader compares dma_ring_written() with what it
 * has read; items are overwritten without a word when it is late by the whole ring.
 */
#ifndef DMA_RING_H
#define DMA_RING_H

#include <stdint.h>

/** dma_ring_written() counts modulo this; it is a multiple of every ring's length. */
#define DMA_RING_LAP UINT32_C(0x80000000)

struct dma_ring {
	uint8_t mover;
	uint8_t starter;
	/** what the starter writes into the mover's count */
	uint32_t lap;
};

struct dma_ring_config {
	/** the FIFO's register */
	const volatile void *from;
	/** the ring; aligned to its size */
	volatile void *ring;
	/** 2^size_bits bytes, 1 to 15 */
	uint8_t size_bits;
	/** 2^item_bits bytes an item, 0 to 2 */
	uint8_t item_bits;
	/** data request of the peripheral */
	uint8_t request;
};

/**
 * Take two DMA channels, for good.
 *
 * @retval 0
 * @retval -EBUSY there are none left
 */
int dma_ring_claim(struct dma_ring *ring);

/** Start anew, with the first item at the ring's beginning. */
void dma_ring_start(struct dma_ring *ring, const struct dma_ring_config *config);

/** Stop; what was moved stays. */
void dma_ring_stop(struct dma_ring *ring);

/** @return items moved since the start, modulo DMA_RING_LAP; all of them are in RAM */
uint32_t dma_ring_written(const struct dma_ring *ring);

/** @return items from one such number to a later one */
static inline uint32_t dma_ring_ahead(uint32_t from, uint32_t to)
{
	return (to - from) & (DMA_RING_LAP - 1u);
}

#endif
