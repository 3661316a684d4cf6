/* SPDX-License-Identifier: Apache-2.0 */
#include "capture_time.h"

/** Difference of two counts as a signed number of the counter's width. */
static int32_t ahead(uint32_t bits, uint32_t count, uint32_t base)
{
	uint32_t unused = 32u - bits;

	return (int32_t)((count - base) << unused) >> unused;
}

void capture_offset_begin(struct capture_offset *offset)
{
	*offset = (struct capture_offset){.above_ticks = INT32_MIN, .below_ticks = INT32_MAX};
}

void capture_offset_narrow(struct capture_offset *offset, uint32_t bits, uint32_t base_before,
			   uint32_t count, uint32_t base_after)
{
	/* With the timer at x and the base at y: count <= x < count + 1, and
	 * base_before <= y < base_after + 1.
	 */
	int32_t above = ahead(bits, count, base_after) - 1;
	int32_t below = ahead(bits, count, base_before) + 1;

	offset->above_ticks = above > offset->above_ticks ? above : offset->above_ticks;
	offset->below_ticks = below < offset->below_ticks ? below : offset->below_ticks;
}

int32_t capture_offset_ticks(const struct capture_offset *offset, bool together)
{
	int32_t doubt = capture_offset_doubt_ticks(offset);

	if (together && offset->above_ticks < 0 && offset->below_ticks > 0) {
		return 0;
	}
	/* Rounded down: (n, n + 1) is n, (n - 1, n + 1) is n. */
	return offset->above_ticks + doubt / 2;
}

int32_t capture_offset_doubt_ticks(const struct capture_offset *offset)
{
	return offset->below_ticks - offset->above_ticks;
}

int32_t capture_offset_drift_ticks(const struct capture_offset *then,
				   const struct capture_offset *now)
{
	if (now->above_ticks >= then->below_ticks) {
		return now->above_ticks - then->below_ticks + 1;
	}
	if (now->below_ticks <= then->above_ticks) {
		return now->below_ticks - then->above_ticks - 1;
	}
	return 0;
}

bool capture_place(const struct capture_reading *reading, uint32_t *ticks)
{
	uint32_t mask = UINT32_MAX >> (32u - reading->bits);
	/* Never below 0, though the capture may seem to be ahead. */
	uint32_t age = (reading->now + (uint32_t)reading->offset_ticks - reading->captured +
			CAPTURE_SLACK_TICKS) &
		       mask;

	*ticks = reading->now - age + CAPTURE_SLACK_TICKS;
	if (reading->bits == 32u) {
		return true;
	}
	return (uint64_t)age + mask + 1u >
	       (uint64_t)(reading->now - reading->served) + 2u * CAPTURE_SLACK_TICKS;
}
