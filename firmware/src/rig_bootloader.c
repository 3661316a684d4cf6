/* SPDX-License-Identifier: Apache-2.0 */
/* The RP2040's, which shows up as the drive RPI-RP2 (RP2040 datasheet, section 2.8.3.1.5). */
#include "rig_bootloader.h"

#include <pico/bootrom.h>
#include <zephyr/devicetree.h>
#include <zephyr/drivers/watchdog.h>
#include <zephyr/irq.h>

FUNC_NORETURN void rig_bootloader_start(void)
{
	/* It would end the copy of an image after a second. */
	(void)wdt_disable(DEVICE_DT_GET(DT_ALIAS(watchdog0)));
	(void)irq_lock();
	/* No pin shows activity, and both of its interfaces are there: drive and PICOBOOT. */
	reset_usb_boot(0, 0);
}
