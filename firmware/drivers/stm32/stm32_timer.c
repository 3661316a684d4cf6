/* SPDX-License-Identifier: Apache-2.0 */
#include "stm32_timer.h"

#include "timer_rate.h"

#include <errno.h>
#include <stm32_ll_rcc.h>
#include <zephyr/device.h>
#include <zephyr/drivers/clock_control.h>

/** From HCLK to the bus, as the devicetree has set it. */
static uint32_t bus_divisor(uint32_t bus)
{
#ifdef CONFIG_SOC_SERIES_STM32H7X
	return bus == STM32_CLOCK_BUS_APB1 ? STM32_D2PPRE1 : STM32_D2PPRE2;
#else
	return bus == STM32_CLOCK_BUS_APB1 ? STM32_APB1_PRESCALER : STM32_APB2_PRESCALER;
#endif
}

/** TIMPRE; an STM32G4 has no such bit. */
static bool is_four_times(void)
{
#ifdef CONFIG_SOC_SERIES_STM32G4X
	return false;
#else
	return LL_RCC_GetTIMPrescaler() == LL_RCC_TIM_PRESCALER_FOUR_TIMES;
#endif
}

int stm32_timer_take(const struct stm32_timer *timer, uint32_t *clock_hz)
{
	const struct device *control = DEVICE_DT_GET(STM32_CLOCK_CONTROL_NODE);
	clock_control_subsys_t subsystem = (clock_control_subsys_t)&timer->clock;
	uint32_t bus_hz;
	int ret;

	if (!device_is_ready(control) || !device_is_ready(timer->reset.dev)) {
		return -ENODEV;
	}
	ret = clock_control_on(control, subsystem);
	if (ret < 0) {
		return ret;
	}
	ret = clock_control_get_rate(control, subsystem, &bus_hz);
	if (ret < 0) {
		return ret;
	}
	*clock_hz = timer_clock_hz(bus_hz, bus_divisor(timer->clock.bus), is_four_times());
	return reset_line_toggle_dt(&timer->reset);
}
