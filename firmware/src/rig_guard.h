/* SPDX-License-Identifier: Apache-2.0 */
/** The guard loop: keeps outputs enabled for as long as the engine is seen to live. */
#ifndef RIG_GUARD_H
#define RIG_GUARD_H

#include <stdbool.h>

/**
 * Set the hardware watchdog going, where there is one.
 *
 * @retval 0 also where there is none
 * @retval -errno of the watchdog driver
 */
int rig_guard_start(void);

/**
 * The CPU may stand still for seconds from now on, or no more: the watchdog waits for as long as an
 * erase takes. Nothing may be driven meanwhile. From any thread.
 */
void rig_guard_expect_erase(bool expected);

/**
 * One turn: look after the engine, feed the watchdog, toggle the heartbeat, sleep.
 *
 * @retval 0
 * @retval -ETIMEDOUT the engine is dead; everything is released, and nothing is fed any more
 */
int rig_guard_turn(void);

/**
 * After a turn that failed: let the watchdog reset the board, or, where there is none, do so.
 *
 * Does not return.
 */
void rig_guard_give_up(void);

#endif
