/* SPDX-License-Identifier: Apache-2.0 */
/** The photodiode's samples, on their way from the light source to the engine. */
#ifndef RIG_LIGHT_H
#define RIG_LIGHT_H

#include "rig_core.h"

#include <stdint.h>

#ifdef CONFIG_RIG_LIGHT
/** Start the thread, once; rig_engine_start() must have returned 0. */
void rig_light_start(void);

/** Fill in what concerns light; light_source_init() must have returned 0. */
void rig_light_describe(struct rig_config *config);

/** Wake the thread where light is to be recorded. Only with the engine's lock. */
void rig_light_call(const struct rig_core *core, uint64_t now_ns);

/** @return checks of the light path filled in, at most max */
uint32_t rig_light_check(struct rig_check *checks, uint32_t max);
#else
static inline void rig_light_start(void)
{
}

static inline void rig_light_describe(struct rig_config *config)
{
}

static inline void rig_light_call(const struct rig_core *core, uint64_t now_ns)
{
}

static inline uint32_t rig_light_check(struct rig_check *checks, uint32_t max)
{
	return 0;
}
#endif

/**
 * @param first_ns board time of sample 0
 * @param hz       samples in a second
 * @return board time of a sample, rounded down, however many came before it
 */
uint64_t rig_light_stamp_ns(uint64_t first_ns, uint64_t number, uint32_t hz);

#endif
