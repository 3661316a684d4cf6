/* SPDX-License-Identifier: Apache-2.0 */
/** The port on the USB device stack of later Zephyr (CONFIG_RIG_USB_NEXT). */
#ifndef RIG_USB_H
#define RIG_USB_H

/**
 * Show the CDC ACM port to the host; once, in main().
 *
 * @retval 0
 * @retval -errno of the stack
 */
int rig_usb_start(void);

#endif
