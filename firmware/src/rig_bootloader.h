/* SPDX-License-Identifier: Apache-2.0 */
/** The bootloader in ROM that takes an image from a host (CONFIG_RIG_BOOTLOADER). */
#ifndef RIG_BOOTLOADER_H
#define RIG_BOOTLOADER_H

#include <zephyr/toolchain.h>

/** Start it; outputs have to be released before. For any thread. */
FUNC_NORETURN void rig_bootloader_start(void);

#endif
