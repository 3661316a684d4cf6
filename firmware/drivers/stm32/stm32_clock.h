/* SPDX-License-Identifier: Apache-2.0 */
/** What the clock control of an STM32 says at run time, whatever the devicetree says. */
#ifndef STM32_CLOCK_H
#define STM32_CLOCK_H

#include "oscillator.h"

/** @return what its registers say now */
struct oscillator_state stm32_clock_state(void);

#endif
