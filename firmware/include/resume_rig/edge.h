/* SPDX-License-Identifier: Apache-2.0 */
/** An edge as a source stamps it; free of Zephyr, for what is pure in the drivers. */
#ifndef RESUME_RIG_EDGE_H
#define RESUME_RIG_EDGE_H

#include <stdbool.h>
#include <stdint.h>

struct edge_source_edge {
	/** counter when it happened; wraps after the source's bits */
	uint32_t ticks;
	/** number of the line: its place among the source's children in the devicetree */
	uint8_t channel;
	/** electrical level on the wire from then on */
	bool level;
};

#endif
