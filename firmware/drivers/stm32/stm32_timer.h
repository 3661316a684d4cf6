/* SPDX-License-Identifier: Apache-2.0 */
/**
 * A timer of an STM32 that one of our back ends has to itself: no driver of Zephyr's may be enabled
 * on its node.
 */
#ifndef STM32_TIMER_H
#define STM32_TIMER_H

#include <stdint.h>
#include <stm32_ll_tim.h>
#include <zephyr/devicetree.h>
#include <zephyr/drivers/clock_control/stm32_clock_control.h>
#include <zephyr/drivers/reset.h>

struct stm32_timer {
	TIM_TypeDef *registers;
	struct stm32_pclken clock;
	struct reset_dt_spec reset;
};

/** Of a node that is compatible with st,stm32-timers. */
#define STM32_TIMER(node)                                                                          \
	{                                                                                          \
		.registers = (TIM_TypeDef *)DT_REG_ADDR(node),                                     \
		.clock = {.bus = DT_CLOCKS_CELL(node, bus), .enr = DT_CLOCKS_CELL(node, bits)},    \
		.reset = RESET_DT_SPEC_GET(node),                                                  \
	}

/**
 * Give a timer its clock, and put it into its state after reset.
 *
 * @param clock_hz set to the rate of the timer's clock, before its prescaler
 * @retval 0
 * @retval -ENODEV clock or reset controller is not ready
 * @retval -errno of the clock control that refused
 */
int stm32_timer_take(const struct stm32_timer *timer, uint32_t *clock_hz);

#endif
