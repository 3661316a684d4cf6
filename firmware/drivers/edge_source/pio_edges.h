/* SPDX-License-Identifier: Apache-2.0 */
/**
 * From records of the PIO state machine (pio_program.h) to edges.
 *
 * Pure: no Zephyr, no register. A record says what all inputs were from one tick on; several
 * channels may have changed in it, or none.
 */
#ifndef PIO_EDGES_H
#define PIO_EDGES_H

#include <stdbool.h>
#include <stdint.h>

#include <resume_rig/edge.h>

/** Two words as the state machine pushes them. */
struct pio_record {
	/** counts down */
	uint32_t counter;
	/** bit n: GPIO n */
	uint32_t inputs;
};

/** Which GPIO a channel is on. */
struct pio_channel {
	uint8_t gpio;
	/** the channel's level is the opposite of the GPIO's */
	bool inverted;
};

struct pio_edges {
	const struct pio_channel *channels;
	uint32_t count;
	/** bit n: channel n, as of the newest edge handed out */
	uint32_t levels;
	/** of the record that was put last */
	uint32_t new_levels;
	uint32_t ticks;
};

/** @return ticks that a counter counting down stands for, and the counter for ticks */
static inline uint32_t pio_edges_reverse(uint32_t counter)
{
	return ~counter;
}

/** @return level of each channel, bit n for channel n */
uint32_t pio_edges_levels(const struct pio_edges *edges, uint32_t inputs);

/** Begin anew: what was put and not taken is forgotten. */
void pio_edges_begin(struct pio_edges *edges, uint32_t inputs);

/** Put the next record; all edges of the one before must be taken. */
void pio_edges_put(struct pio_edges *edges, const struct pio_record *record);

/**
 * Take one edge, lower channels first.
 *
 * @return false when the record has no more
 */
bool pio_edges_take(struct pio_edges *edges, struct edge_source_edge *edge);

#endif
