/* SPDX-License-Identifier: Apache-2.0 */
/* Which simulated time belongs to which of the host. outside_clock.c makes one follow the other. */
#define _GNU_SOURCE
#include "outside_host.h"

#include <time.h>

#define NS_PER_US UINT64_C(1000)
#define NS_PER_S UINT64_C(1000000000)

/** The host's time at the simulated time 0. */
static uint64_t start_ns;

uint64_t outside_time_now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

void outside_time_start(void)
{
	start_ns = outside_time_now_ns();
}

uint64_t outside_time_host_ns(uint64_t simulated_us)
{
	return start_ns + simulated_us * NS_PER_US;
}

uint64_t outside_time_simulated_us(uint64_t host_ns)
{
	return host_ns < start_ns ? 0 : (host_ns - start_ns) / NS_PER_US;
}
