/* SPDX-License-Identifier: Apache-2.0 */
#include "rig_clock.h"

#include "rig_devices.h"

#ifdef CONFIG_RIG_STM32
#include "stm32_clock.h"
#endif

#include <stddef.h>
#include <string.h>
#include <zephyr/devicetree.h>
#include <zephyr/sys/util.h>

/** RC oscillators of the STM32F767 between -10 and 85 deg C (data sheet, HSI); others are better.
 */
#define RC_TOLERANCE_PPB 40000000u

const char *rig_clock_source(void)
{
	const char *stated = DT_PROP(RIG_NODE, clock_source);

#ifdef CONFIG_RIG_STM32
	const struct oscillator_state state = stm32_clock_state();

	return oscillator_word(&state, stated);
#else
	return stated;
#endif
}

bool rig_clock_is_crystal(void)
{
	static const char *const crystals[] = {"xtal", "mco", "tcxo", "host"};
	const char *source = rig_clock_source();

	for (size_t i = 0; i < ARRAY_SIZE(crystals); i++) {
		if (strcmp(source, crystals[i]) == 0) {
			return true;
		}
	}
	return false;
}

uint32_t rig_clock_tolerance_ppb(void)
{
	uint32_t stated_ppb = DT_PROP(RIG_NODE, clock_tolerance_ppb);

	/* What the devicetree states holds for the clock that it states. */
	if (strcmp(rig_clock_source(), DT_PROP(RIG_NODE, clock_source)) == 0) {
		return stated_ppb;
	}
	return rig_clock_is_crystal() ? stated_ppb : MAX(stated_ppb, RC_TOLERANCE_PPB);
}
