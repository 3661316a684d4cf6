/* SPDX-License-Identifier: Apache-2.0 */
/** The photodiode's samples, on their way from the light source to the engine. */
#ifndef RIG_LIGHT_H
#define RIG_LIGHT_H

#include "rig_engine.h"

#include <stdint.h>

#ifdef CONFIG_RIG_LIGHT
/** Start the thread, once; rig_engine_start() must have returned 0. */
void rig_light_start(void);

/**
 * @return what the engine is started with, NULL on a board without a photodiode;
 *         the light source must be ready
 */
const struct rig_part *rig_light_part(void);
#else
static inline void rig_light_start(void)
{
}

static inline const struct rig_part *rig_light_part(void)
{
	return NULL;
}
#endif

/**
 * @param first_ns board time of sample 0
 * @param hz       samples in a second
 * @return board time of a sample, rounded down, however many came before it
 */
uint64_t rig_light_stamp_ns(uint64_t first_ns, uint64_t number, uint32_t hz);

#endif
