/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zephyr's DMA API of 3.7 has neither rings nor chains for this chip, so the hal is used, and
 * Zephyr's DMA driver must stay out of the image: it does not claim the channels that it uses.
 */
#include "dma_ring.h"

#include <errno.h>
#include <hardware/dma.h>
#include <zephyr/sys/util.h>

BUILD_ASSERT(!IS_ENABLED(CONFIG_DMA), "Zephyr's DMA driver does not claim its channels");

int dma_ring_claim(struct dma_ring *ring)
{
	int mover = dma_claim_unused_channel(false);
	int starter = dma_claim_unused_channel(false);

	if (mover < 0 || starter < 0) {
		return -EBUSY;
	}
	ring->mover = (uint8_t)mover;
	ring->starter = (uint8_t)starter;
	ring->lap = DMA_RING_LAP;
	return 0;
}

void dma_ring_start(struct dma_ring *ring, const struct dma_ring_config *config)
{
	dma_channel_config mover = dma_channel_get_default_config(ring->mover);
	dma_channel_config starter = dma_channel_get_default_config(ring->starter);

	dma_ring_stop(ring);
	channel_config_set_read_increment(&starter, false);
	channel_config_set_write_increment(&starter, false);
	channel_config_set_transfer_data_size(&starter, DMA_SIZE_32);
	dma_channel_configure(ring->starter, &starter,
			      &dma_hw->ch[ring->mover].al1_transfer_count_trig, &ring->lap, 1,
			      false);
	channel_config_set_read_increment(&mover, false);
	channel_config_set_write_increment(&mover, true);
	channel_config_set_transfer_data_size(&mover,
					      (enum dma_channel_transfer_size)config->item_bits);
	channel_config_set_ring(&mover, true, config->size_bits);
	channel_config_set_dreq(&mover, config->request);
	channel_config_set_high_priority(&mover, true);
	channel_config_set_chain_to(&mover, ring->starter);
	dma_channel_configure(ring->mover, &mover, config->ring, config->from, ring->lap, true);
}

void dma_ring_stop(struct dma_ring *ring)
{
	/* Not enabled, it cannot start the other one while it is aborted; a bus error is forgotten.
	 */
	dma_hw->ch[ring->mover].al1_ctrl =
		DMA_CH0_CTRL_TRIG_READ_ERROR_BITS | DMA_CH0_CTRL_TRIG_WRITE_ERROR_BITS;
	dma_channel_abort(ring->starter);
	dma_channel_abort(ring->mover);
	/* Requests that it has not followed belong to a FIFO that is emptied meanwhile. */
	dma_debug_hw->ch[ring->mover].ctrdeq = 0;
}

uint32_t dma_ring_written(const struct dma_ring *ring)
{
	/* The count goes down when an item has been written. */
	return (DMA_RING_LAP - dma_hw->ch[ring->mover].transfer_count) & (DMA_RING_LAP - 1u);
}
