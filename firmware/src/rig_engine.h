/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The core, running: one lock around it, one thread that feeds it with edges and ends what is due.
 *
 * Interrupts never wait for the lock; they leave their edges in the edge source's queue.
 */
#ifndef RIG_ENGINE_H
#define RIG_ENGINE_H

#include "rig_core.h"
#include "rig_identity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Parts that one board can have: the photodiode and the power monitor. */
#define RIG_PARTS_MAX 2u

/** A part that works on the same core, such as the photodiode; each function with the lock. */
struct rig_part {
	/** Fill in what the core is to know of it; before the start, without the lock. */
	void (*describe)(struct rig_config *config);
	/** A request was answered, which may have asked for something of it; NULL: it never is. */
	void (*asked)(const struct rig_core *core, uint64_t now_ns);
	/** NULL: it has none. @return checks filled in, at most max */
	uint32_t (*check)(struct rig_check *checks, uint32_t max);
};

/**
 * Start the core and the thread; rig_board_init() must have returned 0.
 *
 * @param parts each outlives the engine; NULL: a part that this board lacks
 * @param count of parts
 * @retval 0
 * @retval -EINVAL more than RIG_PARTS_MAX parts, or the core refused the board's description
 * @retval -errno of the edge source
 */
int rig_engine_start(const struct rig_identity *identity, const struct rig_part *const *parts,
		     size_t count);

/** End the thread, take no more edges and let go of everything; then it can be started again. */
void rig_engine_stop(void);

/** Answer one request of the rig group; as rig_core_request(), from any thread. */
int rig_engine_request(uint32_t command, bool write, const uint8_t *in, size_t in_len, uint8_t *out,
		       size_t out_cap, size_t *out_len);

/** Let go of every actuator; from any thread. */
void rig_engine_release(void);

/** As rig_core_take_permit(); from any thread. */
bool rig_engine_take_permit(void);

/**
 * Note how this boot fares in the memory that a reset leaves alone; from any thread.
 *
 * Waits for the lock no longer than the guard does.
 */
void rig_engine_note(void);

/**
 * Take the engine's lock, for a bounded time: presses end late by as much. Not for interrupts.
 *
 * @return the core, until rig_engine_unlock()
 */
struct rig_core *rig_engine_lock(void);

void rig_engine_unlock(void);

/**
 * Only with the lock.
 *
 * @return board time at a value that the edge source's counter had within half its wrap
 */
uint64_t rig_engine_time_ns(uint32_t ticks);

/**
 * Look whether the engine lives; from any thread but its own.
 *
 * @param patience_ms how long its lock may be taken, and how late it may be with what is due
 * @param active set to whether an actuator is driven, or will be
 * @retval 0
 * @retval -ETIMEDOUT it needs longer
 */
int rig_engine_check(uint32_t patience_ms, bool *active);

#endif
