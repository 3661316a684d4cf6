/* SPDX-License-Identifier: Apache-2.0 */
/* The ring that keeps edges until the host has read them. */
#include "rig_internal.h"

void rig_edge_ring_init(struct rig_edge_ring *ring, struct rig_edge *slots, uint32_t capacity)
{
	ring->slots = slots;
	rig_numbering_init(&ring->numbers, capacity);
}

void rig_edge_ring_push(struct rig_edge_ring *ring, const struct rig_edge *edge)
{
	ring->slots[rig_numbering_claim(&ring->numbers)] = *edge;
}

uint32_t rig_edge_ring_oldest(const struct rig_edge_ring *ring)
{
	return ring->numbers.next - ring->numbers.held;
}

int rig_edge_ring_read(struct rig_edge_ring *ring, uint32_t cursor, struct rig_edge *out,
		       uint32_t max, uint32_t *first)
{
	uint32_t count;
	int rc = rig_numbering_seek(&ring->numbers, cursor, first, &count);

	if (rc != 0) {
		return rc;
	}
	count = count < max ? count : max;
	for (uint32_t i = 0; i < count; i++) {
		out[i] = ring->slots[rig_numbering_slot(&ring->numbers, *first + i)];
	}
	return (int)count;
}
