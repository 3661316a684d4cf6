/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Captures of several timers on one timeline. Pure: no register is touched here.
 *
 * All timers count at one rate. One of them, 32 bits wide, is the base; a capture of any other is
 * moved to the base's count.
 */
#ifndef CAPTURE_TIME_H
#define CAPTURE_TIME_H

#include <stdbool.h>
#include <stdint.h>

/** A capture may seem so much younger than the base read after it: the offset's doubt. */
#define CAPTURE_SLACK_TICKS 8u

/**
 * How far a timer's count is ahead of the base's, as an open interval: the counters are real
 * numbers that are read rounded down, so each reading only bounds their distance.
 */
struct capture_offset {
	int32_t above_ticks;
	int32_t below_ticks;
};

/** Nothing is known yet. */
void capture_offset_begin(struct capture_offset *offset);

/**
 * Narrow an offset by one reading of a timer between two of the base.
 *
 * @param bits of the timer's counter, 16 or 32
 */
void capture_offset_narrow(struct capture_offset *offset, uint32_t bits, uint32_t base_before,
			   uint32_t count, uint32_t base_after);

/**
 * Whole ticks to take from the timer's counts.
 *
 * @param together one signal started both: their offset is 0, unless the readings say otherwise
 */
int32_t capture_offset_ticks(const struct capture_offset *offset, bool together);

/** @return width of the interval; 0 or less when the readings contradict each other */
int32_t capture_offset_doubt_ticks(const struct capture_offset *offset);

/** @return least change that leads from one offset to the other, 0 when they may be the same */
int32_t capture_offset_drift_ticks(const struct capture_offset *then,
				   const struct capture_offset *now);

/** A capture, and what is needed to place it. */
struct capture_reading {
	/** of the timer's counter, 16 or 32 */
	uint32_t bits;
	/** as capture_offset_ticks() has it */
	int32_t offset_ticks;
	/** what the timer held */
	uint32_t captured;
	/** the base, read after the capture was */
	uint32_t now;
	/** the base when the timer was last served; no capture that waits is older */
	uint32_t served;
};

/**
 * Place a capture on the base's timeline.
 *
 * @param ticks set to the base's count when it was captured
 * @return false when it may be one lap older: interrupts were held up for a lap of the timer
 */
bool capture_place(const struct capture_reading *reading, uint32_t *ticks);

#endif
