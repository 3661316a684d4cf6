/* SPDX-License-Identifier: Apache-2.0 */
/* Board time: a counter that wraps, made 64 bits wide, and ticks made nanoseconds. */
#include "rig_time.h"

#include <errno.h>

#define NS_PER_S 1000000000u

int rig_time_init(struct rig_time *time, uint32_t bits, uint32_t hz, uint64_t raw)
{
	if (bits < 8u || bits > 64u || hz == 0u) {
		return -EINVAL;
	}
	*time = (struct rig_time){
		.first = raw & (UINT64_MAX >> (64u - bits)),
		.ticks = raw & (UINT64_MAX >> (64u - bits)),
		.mask = UINT64_MAX >> (64u - bits),
		.hz = hz,
		.tick_ns = NS_PER_S % hz == 0u ? NS_PER_S / hz : 0u,
	};
	return 0;
}

uint64_t rig_time_extend(struct rig_time *time, uint64_t raw)
{
	uint64_t ahead = (raw - time->ticks) & time->mask;
	uint64_t behind = (time->ticks - raw) & time->mask;

	/* What is older than the start is as old as that, or it would be a lap ahead. */
	if (ahead > time->mask >> 1) {
		return behind <= time->ticks - time->first ? time->ticks - behind : time->first;
	}
	time->ticks += ahead;
	return time->ticks;
}

uint64_t rig_time_ns(const struct rig_time *time, uint64_t ticks)
{
	uint64_t whole_s;
	uint64_t rest_ticks;

	/* For each edge, on CPUs that divide 64 bits in a microsecond or more. */
	if (time->tick_ns != 0u) {
		return ticks * time->tick_ns;
	}
	/* Split, as ticks * 10^9 overflows after minutes; the remainder's product fits 62 bits. */
	whole_s = ticks / time->hz;
	rest_ticks = ticks % time->hz;

	return whole_s * NS_PER_S + rest_ticks * NS_PER_S / time->hz;
}
