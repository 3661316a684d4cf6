/* SPDX-License-Identifier: Apache-2.0 */
#include "pio_edges.h"

uint32_t pio_edges_levels(const struct pio_edges *edges, uint32_t inputs)
{
	uint32_t levels = 0;

	for (uint32_t i = 0; i < edges->count; i++) {
		bool high = ((inputs >> edges->channels[i].gpio) & 1u) != 0u;

		if (high != edges->channels[i].inverted) {
			levels |= UINT32_C(1) << i;
		}
	}
	return levels;
}

void pio_edges_begin(struct pio_edges *edges, uint32_t inputs)
{
	edges->levels = pio_edges_levels(edges, inputs);
	edges->new_levels = edges->levels;
}

void pio_edges_put(struct pio_edges *edges, const struct pio_record *record)
{
	edges->new_levels = pio_edges_levels(edges, record->inputs);
	edges->ticks = pio_edges_reverse(record->counter);
}

bool pio_edges_take(struct pio_edges *edges, struct edge_source_edge *edge)
{
	uint32_t changed = edges->levels ^ edges->new_levels;
	uint8_t channel = 0;

	if (changed == 0u) {
		return false;
	}
	while (((changed >> channel) & 1u) == 0u) {
		channel++;
	}
	edges->levels ^= UINT32_C(1) << channel;
	*edge = (struct edge_source_edge){
		.ticks = edges->ticks,
		.channel = channel,
		.level = ((edges->levels >> channel) & 1u) != 0u,
	};
	return true;
}
