/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Loop-back: an output is driven again and again, and the edges that this makes at the channels
 * wired to it are compared with the time at which it was driven.
 *
 * rig_core.h includes this header; struct rig_core holds and feeds the loop-back. It is also read
 * by cffi, so it keeps to plain structs, enums, prototypes and integer #defines.
 */
#ifndef RIG_LOOPBACK_H
#define RIG_LOOPBACK_H

#include "rig_calibration.h"
#include "rig_replay.h"

#include <stdbool.h>
#include <stdint.h>

#define RIG_LOOPBACK_CHANGES_MIN 2
#define RIG_LOOPBACK_CHANGES_MAX 10000
#define RIG_LOOPBACK_CHANGES 200
#define RIG_LOOPBACK_GAP_MIN_NS 100000
#define RIG_LOOPBACK_GAP_MAX_NS 100000000
#define RIG_LOOPBACK_GAP_NS 1000000

/** Mean, spread and extremes of values of 32 bits; exact, as sums are of 128 bits. */
struct rig_moments {
	uint32_t count;
	int32_t min;
	int32_t max;
	/** the first value; sums are of differences from it */
	int32_t origin;
	int64_t sum;
	uint64_t squares_low;
	uint64_t squares_high;
};

/** One more value; at most 2^30 of them. O(1). */
void rig_moments_add(struct rig_moments *moments, int32_t value);

/** @return the mean, rounded to the nearest, halves up; 0 of no values */
int32_t rig_moments_mean(const struct rig_moments *moments);

/** @return the standard deviation (of count - 1), rounded up; 0 of fewer than 2 values */
uint32_t rig_moments_sd(const struct rig_moments *moments);

/** @return the largest deviation from the rounded mean */
uint32_t rig_moments_deviation(const struct rig_moments *moments);

/** fixtures/wire/rig.cddl is normative. */
enum rig_loopback_state {
	/** none since boot */
	RIG_LOOPBACK_NONE = 0,
	RIG_LOOPBACK_RUNNING = 1,
	/** all changes were driven, and the last one's edges had their time */
	RIG_LOOPBACK_DONE = 2,
	/** released, the lease ran out, or neither edge of a pulse came back at a wired channel */
	RIG_LOOPBACK_STOPPED = 3,
};

struct rig_loopback_channel {
	/** level with the output released */
	bool idle_level;
	/** an edge of the newest change is still to come: [0] released, [1] driven */
	bool awaited[2];
	uint32_t missed;
	uint32_t extra;
	/** of the edges seen [ns] */
	struct rig_moments latency;
};

struct rig_loopback {
	enum rig_loopback_state state;
	uint32_t actuator;
	/** bit n: channel n is wired to the output */
	uint32_t wired;
	/** changes to be driven, even, and those driven so far */
	uint32_t count;
	uint32_t done;
	/** mean time between two */
	uint64_t gap_ns;
	/** board time of the next change, or of the end */
	uint64_t next_ns;
	/** spreads the gaps */
	uint32_t random;
	/** by how much the first gap of a pair was longer than the mean; the second is shorter */
	int64_t longer_ns;
	/** clock as read before the newest change: [0] released, [1] driven */
	uint64_t changed_ns[2];
	/** longest time between reading the clock before and after driving the pin */
	uint32_t held_ns;
	/** edges of any channel that the shell lost meanwhile */
	uint32_t lost;
	/** of this and earlier ones */
	struct rig_replay replay;
	struct rig_loopback_channel channels[RIG_MAX_CHANNELS];
};

#endif
