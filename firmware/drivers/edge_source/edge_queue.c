/* SPDX-License-Identifier: Apache-2.0 */
#include "edge_queue.h"

static struct edge_source_edge *slot(struct edge_queue *queue, uint32_t index)
{
	return &queue->slots[index & (queue->capacity - 1u)];
}

static bool is_younger(uint32_t ticks, uint32_t than_ticks)
{
	return (int32_t)(ticks - than_ticks) > 0;
}

void edge_queue_put(struct edge_queue *queue, const struct edge_source_edge *edge)
{
	uint32_t at = queue->head;

	if (queue->head - queue->tail >= queue->capacity) {
		queue->lost++;
		return;
	}
	while (at != queue->tail && is_younger(slot(queue, at - 1u)->ticks, edge->ticks)) {
		*slot(queue, at) = *slot(queue, at - 1u);
		at--;
	}
	*slot(queue, at) = *edge;
	queue->head++;
}

bool edge_queue_take(struct edge_queue *queue, struct edge_source_edge *edge)
{
	if (queue->tail == queue->head) {
		return false;
	}
	*edge = *slot(queue, queue->tail);
	queue->tail++;
	return true;
}

void edge_queue_clear(struct edge_queue *queue)
{
	queue->tail = queue->head;
}

uint32_t edge_queue_take_lost(struct edge_queue *queue)
{
	uint32_t lost = queue->lost;

	queue->lost = 0;
	return lost;
}
