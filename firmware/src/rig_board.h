/* SPDX-License-Identifier: Apache-2.0 */
/** What the devicetree says of this board: channels, actuators, clock. */
#ifndef RIG_BOARD_H
#define RIG_BOARD_H

#include "rig_core.h"

/**
 * Configure every output, released, and look whether edge and light source started.
 *
 * @retval 0
 * @retval -ENODEV a GPIO controller, the keyboard, the edge source or the light source is not ready
 * @retval -errno of the driver that refused
 */
int rig_board_init(void);

/** Fill in what is known of the board; rings, callbacks and identity are left as they are. */
void rig_board_describe(struct rig_config *config);

/** Drive (true) or release one actuator, unless all were released for good; ISR-safe. */
void rig_board_drive(uint32_t actuator, bool driven);

/**
 * Release every actuator, and drive none until rig_board_init(); the heartbeat stops where it
 * stands. For any context, a fault's too.
 */
void rig_board_release_all(void);

/** Put the heartbeat output on the other level; nothing where there is none. */
void rig_board_toggle_heartbeat(void);

/** @return whether the board has a heartbeat output */
bool rig_board_has_heartbeat(void);

#endif
