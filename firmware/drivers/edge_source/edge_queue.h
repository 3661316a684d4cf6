/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Edges between the interrupts of a back end and the engine, in the order in which they happened.
 *
 * The caller owns every byte, and keeps interrupts away during each call.
 */
#ifndef EDGE_QUEUE_H
#define EDGE_QUEUE_H

#include <resume_rig/edge.h>

struct edge_queue {
	struct edge_source_edge *slots;
	/** a power of two */
	uint32_t capacity;
	/** next to write, next to read; not masked */
	uint32_t head;
	uint32_t tail;
	uint32_t lost;
};

/**
 * Put an edge in; one that finds no place is counted as lost.
 *
 * Interrupts of one burst need not come in the order of their stamps: an edge goes before those
 * that are younger. Stamps have 32 bits; all in the queue lie within half a wrap.
 */
void edge_queue_put(struct edge_queue *queue, const struct edge_source_edge *edge);

/**
 * Take the oldest edge out.
 *
 * @return false when there is none
 */
bool edge_queue_take(struct edge_queue *queue, struct edge_source_edge *edge);

/** Forget all that is queued. */
void edge_queue_clear(struct edge_queue *queue);

/** @return edges lost since the last call, which forgets them */
uint32_t edge_queue_take_lost(struct edge_queue *queue);

#endif
