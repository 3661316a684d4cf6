/* SPDX-License-Identifier: Apache-2.0 */
/** A recording of light without a board: its samples come one after the other, at the rate. */
#ifndef RIG_TEST_RECORDING_H
#define RIG_TEST_RECORDING_H

#include "bench.h"

#define RATE 10000u
#define SLOTS 2000u
#define BLOCKS 2000u
#define BLACK 40u
#define WHITE 2040u
#define SAMPLE_NS (S / RATE)

struct recording {
	struct rig_light light;
	struct rig_onset_result result;
	uint64_t t_ns;
	uint16_t slots[SLOTS];
	struct rig_light_block blocks[BLOCKS];
};

/** The one recording there is, begun at 5 s; it ends at 9 s. */
struct recording *recording_start_with(uint32_t slots, uint32_t blocks);

/** All of SLOTS and BLOCKS. */
struct recording *recording_start(void);

void recording_put(struct recording *recording, uint32_t counts);
void recording_hold(struct recording *recording, uint32_t counts, uint32_t ms);

/** Linear from black to white. */
void recording_rise(struct recording *recording, uint32_t ms);

/** Periods that begin with their light part; in samples. */
void recording_pulse(struct recording *recording, uint32_t lit, uint32_t period, uint32_t ms);

/** The onset as of a time, in recording->result. */
enum rig_onset_state recording_look(struct recording *recording, uint64_t now_ns);
enum rig_onset_state recording_look_now(struct recording *recording);

/** Whether two times are no further apart than a bound. */
static inline bool is_near(uint64_t found_ns, uint64_t expected_ns, uint64_t bound_ns)
{
	return found_ns + bound_ns - expected_ns <= 2u * bound_ns;
}

#endif
