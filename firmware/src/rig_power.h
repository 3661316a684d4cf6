/* SPDX-License-Identifier: Apache-2.0 */
/** The power monitor in the DUT's supply: sampled all the time, at a steady pace. */
#ifndef RIG_POWER_H
#define RIG_POWER_H

#include "rig_core.h"

/** Fill in the ring and what the devicetree says of the monitor. */
void rig_power_describe(struct rig_config *config);

/** Start the thread that samples, after the engine; a monitor that does not answer has no samples.
 */
void rig_power_start(void);

#endif
