/* SPDX-License-Identifier: Apache-2.0 */
/** SMP group 64, and what the OS group's reset does to the outputs. */
#ifndef RIG_MGMT_H
#define RIG_MGMT_H

/** Answer requests from now on; rig_engine_start() must have returned 0. */
void rig_mgmt_start(void);

/** Answer no more. */
void rig_mgmt_stop(void);

#endif
