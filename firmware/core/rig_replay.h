/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The answers to the newest accepted requests, so that a repeat is answered and not done again,
 * also one that comes late, after others.
 *
 * rig_loopback.h includes this header. It is also read by cffi, so it keeps to plain structs,
 * prototypes and integer #defines.
 */
#ifndef RIG_REPLAY_H
#define RIG_REPLAY_H

#include <stdint.h>

/** Answers kept of each actuator, and of loop-backs; a host has one request under way at a time. */
#define RIG_REPLAYS 8

struct rig_answer {
	uint32_t token;
	uint64_t start_ns;
	/** UINT64_MAX: none */
	uint64_t end_ns;
};

struct rig_replay {
	struct rig_answer answers[RIG_REPLAYS];
	/** held, and where the next one goes */
	uint32_t count;
	uint32_t next;
};

/** @return the answer to the request of that token, NULL when none is held */
const struct rig_answer *rig_replay_find(const struct rig_replay *replay, uint32_t token);

/** Keep an answer; the oldest gives way. */
void rig_replay_keep(struct rig_replay *replay, const struct rig_answer *answer);

#endif
