/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Board time: 64-bit nanoseconds from a free-running counter.
 *
 * rig_core.h includes this header. It is also read by cffi, so it keeps to plain structs and
 * prototypes.
 */
#ifndef RIG_TIME_H
#define RIG_TIME_H

#include <stdbool.h>
#include <stdint.h>

/** 64-bit nanoseconds from a free-running counter of 8 to 64 bits that wraps. */
struct rig_time {
	/** where it began */
	uint64_t first;
	/** the newest */
	uint64_t ticks;
	uint64_t mask;
	uint32_t hz;
	/** 0 where it is no whole number */
	uint32_t tick_ns;
};

/**
 * @param raw the counter at present, in its first lap since its zero
 * @retval 0
 * @retval -EINVAL bits not in 8..64, or hz 0
 */
int rig_time_init(struct rig_time *time, uint32_t bits, uint32_t hz, uint64_t raw);

/**
 * Unwrap a raw counter value and remember the newest.
 *
 * A value up to half a wrap behind the newest one is taken as older (an interrupt stamped before
 * a later read) and does not move it; one from before rig_time_init is taken for its first value.
 * Must be called at least once in half a wrap.
 *
 * @return 64-bit ticks since the counter's last zero before rig_time_init
 */
uint64_t rig_time_extend(struct rig_time *time, uint64_t raw);

/** @return nanoseconds for 64-bit ticks, rounded down, exact for 584 years. */
uint64_t rig_time_ns(const struct rig_time *time, uint64_t ticks);

#endif
