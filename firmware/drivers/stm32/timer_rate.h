/* SPDX-License-Identifier: Apache-2.0 */
/** Rates of an STM32's timers, exactly or not at all. Pure: no register is touched here. */
#ifndef TIMER_RATE_H
#define TIMER_RATE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Clock of a timer behind a bus divider: the bus's clock times its divisor, 2 at most, or 4 with
 * TIMPRE set (RM0433, TIMPRE of RCC_CFGR; RM0410, TIMPRE of RCC_DCKCFGR1).
 *
 * @param bus_hz      clock of the peripheral bus, PCLK
 * @param bus_divisor from HCLK to PCLK, 1 to 16
 * @param four        whether TIMPRE is set
 */
uint32_t timer_clock_hz(uint32_t bus_hz, uint32_t bus_divisor, bool four);

/**
 * Divisor that makes one rate of another, exactly.
 *
 * @param max     largest divisor that the hardware has
 * @param divisor set to 1 or more
 * @retval 0
 * @retval -EINVAL none does, or none as small as max
 */
int timer_divide(uint32_t clock_hz, uint32_t rate_hz, uint32_t max, uint32_t *divisor);

#endif
