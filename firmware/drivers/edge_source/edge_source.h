/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Edges of the channels with the raw counter at which they happened.
 *
 * One back end is compiled in. Channels are those of the devicetree (resume-rig,channels), in its
 * order. There is one edge source; its state belongs to the back end.
 */
#ifndef EDGE_SOURCE_H
#define EDGE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

struct edge_source_edge {
	/** counter when it happened; wraps after edge_source_bits() */
	uint32_t ticks;
	uint8_t channel;
	/** electrical level on the wire from then on */
	bool level;
};

/** One check of the back end for the self-test; the name ends with its value's unit. */
struct edge_source_check {
	const char *name;
	bool ok;
	int64_t value;
};

/**
 * Make counter and inputs ready; edges do not count yet.
 *
 * @retval 0
 * @retval -ENODEV a device of the counter or of a channel is not ready
 * @retval -errno of the driver that refused
 */
int edge_source_init(void);

/**
 * Take edges from now on.
 *
 * @param wake called in the interrupt after each edge; must be ISR-safe and short
 * @param levels set to the levels before the first edge, bit n for channel n
 * @retval 0
 * @retval -errno of the GPIO driver that refused
 */
int edge_source_start(void (*wake)(void), uint32_t *levels);

/** Take no more edges; what was taken can still be read. */
void edge_source_stop(void);

/** @return present level of each channel, bit n for channel n */
uint32_t edge_source_levels(void);

/** @return the counter; ISR-safe */
uint32_t edge_source_ticks(void);

/** @return width of the counter in bits, 8 to 32 */
uint32_t edge_source_bits(void);

/** @return rate of the counter */
uint32_t edge_source_hz(void);

/**
 * Take the oldest edge out of the queue. One reader only.
 *
 * @return false when there is none
 */
bool edge_source_take(struct edge_source_edge *edge);

/** @return edges that found the queue full since the last call, which forgets them */
uint32_t edge_source_take_lost(void);

/** @return name of the back end as info tells it */
const char *edge_source_name(void);

/** @return checks filled in, at most max */
uint32_t edge_source_check(struct edge_source_check *checks, uint32_t max);

#endif
