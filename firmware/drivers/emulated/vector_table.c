/* SPDX-License-Identifier: Apache-2.0 */
/*
 * QEMU's mps2-an385 runs updated images in RAM above 0x20000000. CMSIS knows the Cortex-M3 of
 * Zephyr's board as revision 0 and cuts the vector table's address to 29 bits; it is set again
 * here, before anything can interrupt.
 */
#include <zephyr/init.h>
#include <zephyr/linker/linker-defs.h>

#include <cmsis_core.h>

static int set_vector_table(void)
{
	SCB->VTOR = (uint32_t)(uintptr_t)_vector_start;
	__DSB();
	return 0;
}

SYS_INIT(set_vector_table, EARLY, 0);
