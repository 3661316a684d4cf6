/* SPDX-License-Identifier: Apache-2.0 */
/** QEMU's clock counts instructions. */
#ifndef INSTRUCTIONS_H
#define INSTRUCTIONS_H

#include <stdint.h>
#include <zephyr/kernel.h>

#define NS_PER_INSTRUCTION (UINT64_C(1) << CONFIG_QEMU_ICOUNT_SHIFT)

static inline uint32_t instructions(uint64_t cycles)
{
	return (uint32_t)(k_cyc_to_ns_floor64(cycles) / NS_PER_INSTRUCTION);
}

#endif
