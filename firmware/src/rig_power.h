/* SPDX-License-Identifier: Apache-2.0 */
/** The power monitor in the DUT's supply: sampled all the time, at a steady pace. */
#ifndef RIG_POWER_H
#define RIG_POWER_H

#include "rig_engine.h"

#ifdef CONFIG_RIG_POWER
/** Start the thread that samples, after the engine; a monitor that does not answer has no samples.
 */
void rig_power_start(void);

/** @return what the engine is started with, NULL on a board without a monitor */
const struct rig_part *rig_power_part(void);
#else
static inline void rig_power_start(void)
{
}

static inline const struct rig_part *rig_power_part(void)
{
	return NULL;
}
#endif

#endif
