/* SPDX-License-Identifier: Apache-2.0 */
#include "timer_rate.h"

#include <errno.h>

uint32_t timer_clock_hz(uint32_t bus_hz, uint32_t bus_divisor, bool four)
{
	uint32_t most = four ? 4u : 2u;

	return bus_hz * (bus_divisor < most ? bus_divisor : most);
}

int timer_divide(uint32_t clock_hz, uint32_t rate_hz, uint32_t max, uint32_t *divisor)
{
	if (rate_hz == 0u || clock_hz < rate_hz || clock_hz % rate_hz != 0u ||
	    clock_hz / rate_hz > max) {
		return -EINVAL;
	}
	*divisor = clock_hz / rate_hz;
	return 0;
}
