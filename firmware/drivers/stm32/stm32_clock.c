/* SPDX-License-Identifier: Apache-2.0 */
#include "stm32_clock.h"

#include <soc.h>
#include <stm32_ll_rcc.h>

static enum oscillator system_oscillator(uint32_t source)
{
	switch (source) {
	case LL_RCC_SYS_CLKSOURCE_STATUS_HSI:
		return OSCILLATOR_HSI;
	case LL_RCC_SYS_CLKSOURCE_STATUS_HSE:
		return OSCILLATOR_HSE;
#ifdef CONFIG_SOC_SERIES_STM32H7X
	case LL_RCC_SYS_CLKSOURCE_STATUS_CSI:
		return OSCILLATOR_CSI;
#endif
	default:
		return OSCILLATOR_UNKNOWN;
	}
}

#ifdef CONFIG_SOC_SERIES_STM32H7X
#define SYSTEM_IS_PLL LL_RCC_SYS_CLKSOURCE_STATUS_PLL1

static enum oscillator pll_oscillator(void)
{
	switch (LL_RCC_PLL_GetSource()) {
	case LL_RCC_PLLSOURCE_HSI:
		return OSCILLATOR_HSI;
	case LL_RCC_PLLSOURCE_CSI:
		return OSCILLATOR_CSI;
	case LL_RCC_PLLSOURCE_HSE:
		return OSCILLATOR_HSE;
	default:
		return OSCILLATOR_UNKNOWN;
	}
}
#else
#define SYSTEM_IS_PLL LL_RCC_SYS_CLKSOURCE_STATUS_PLL

static enum oscillator pll_oscillator(void)
{
	return LL_RCC_PLL_GetMainSource() == LL_RCC_PLLSOURCE_HSE ? OSCILLATOR_HSE : OSCILLATOR_HSI;
}
#endif

struct oscillator_state stm32_clock_state(void)
{
	uint32_t source = LL_RCC_GetSysClkSource();

	return (struct oscillator_state){
		.is_pll = source == SYSTEM_IS_PLL,
		.system = system_oscillator(source),
		.pll = pll_oscillator(),
		.is_hse_ready = LL_RCC_HSE_IsReady() != 0u,
		.is_hse_bypassed = (RCC->CR & RCC_CR_HSEBYP) != 0u,
	};
}
