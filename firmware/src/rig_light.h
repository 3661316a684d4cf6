/* SPDX-License-Identifier: Apache-2.0 */
/** The photodiode's samples, on their way from the light source to the engine. */
#ifndef RIG_LIGHT_H
#define RIG_LIGHT_H

#include <stdint.h>

/** Start the thread, once; rig_engine_start() must have returned 0. */
void rig_light_start(void);

/**
 * @param first_ns board time of sample 0
 * @param hz       samples in a second
 * @return board time of a sample, rounded down, however many came before it
 */
uint64_t rig_light_stamp_ns(uint64_t first_ns, uint64_t number, uint32_t hz);

#endif
