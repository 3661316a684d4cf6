/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The oscillator behind the board's clock. Where the hardware can be asked (STM32) its answer
 * counts, else the devicetree's word.
 */
#ifndef RIG_CLOCK_H
#define RIG_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/** @return clock source as the host reports it, such as "mco" or "hsi" */
const char *rig_clock_source(void);

/** @return whether its rate is stable enough to be calibrated; an RC oscillator's is not */
bool rig_clock_is_crystal(void);

/** @return half-width of its rate's error in parts per billion */
uint32_t rig_clock_tolerance_ppb(void);

#endif
