/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What a board has learned of itself: the latency of its channels, the rate of its clock.
 *
 * rig_core.h includes this header; the core holds one calibration and hands it to the shell to be
 * stored. It is also read by cffi, so it keeps to plain structs, prototypes and integer #defines.
 */
#ifndef RIG_CALIBRATION_H
#define RIG_CALIBRATION_H

#include <stdbool.h>
#include <stdint.h>

#define RIG_MAX_CHANNELS 16

/** Greatest rate error that a clock can be calibrated for. */
#define RIG_CLOCK_PPB_MAX 1000000

/** From driving an output to the stamp of the edge, as a loop-back measured it. */
struct rig_latency {
	uint8_t channel;
	int32_t mean_ns;
	/** standard deviation */
	uint32_t sd_ns;
	/** largest deviation from the mean */
	uint32_t dev_ns;
	/** edges measured */
	uint32_t count;
};

/** All 0: nothing is known. */
struct rig_calibration {
	bool has_clock;
	/** measured rate error */
	int32_t clock_ppb;
	/** by how much any of the latencies may be too great: longest time about driving the pin */
	uint32_t held_ns;
	/** at most one of each channel */
	uint8_t latency_count;
	struct rig_latency latencies[RIG_MAX_CHANNELS];
};

#endif
