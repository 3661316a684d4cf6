/* SPDX-License-Identifier: Apache-2.0 */
/* One configuration with one class: what the former stack makes of the devicetree by itself. */
#include "rig_usb.h"

#include <zephyr/device.h>
#include <zephyr/usb/usb_ch9.h>
#include <zephyr/usb/usbd.h>

/** The most that a bus gives a device that asks for it [mA]. */
#define MOST_MA 500
/** The class's name: cdc_acm_ and the instance (Zephyr's usbd_cdc_acm.c). */
#define PORT "cdc_acm_0"

USBD_DEVICE_DEFINE(usb, DEVICE_DT_GET(DT_NODELABEL(zephyr_udc0)), CONFIG_RIG_USB_VID,
		   CONFIG_RIG_USB_PID);
USBD_DESC_LANG_DEFINE(language);
USBD_DESC_MANUFACTURER_DEFINE(manufacturer, "resume-rig");
USBD_DESC_PRODUCT_DEFINE(product, "resume-rig");
USBD_DESC_SERIAL_NUMBER_DEFINE(serial_number);
/* In units of 2 mA. */
USBD_CONFIGURATION_DEFINE(configuration, 0, MOST_MA / 2);

static int describe(void)
{
	struct usbd_desc_node *const texts[] = {&language, &manufacturer, &product, &serial_number};
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(texts) && ret == 0; i++) {
		ret = usbd_add_descriptor(&usb, texts[i]);
	}
	return ret;
}

int rig_usb_start(void)
{
	int ret = describe();

	if (ret == 0) {
		ret = usbd_add_configuration(&usb, USBD_SPEED_FS, &configuration);
	}
	if (ret == 0) {
		ret = usbd_register_class(&usb, PORT, USBD_SPEED_FS, 1);
	}
	if (ret == 0) {
		/* Interfaces that belong together are told by their association. */
		ret = usbd_device_set_code_triple(&usb, USBD_SPEED_FS, USB_BCC_MISCELLANEOUS, 2, 1);
	}
	if (ret == 0) {
		ret = usbd_init(&usb);
	}
	return ret == 0 ? usbd_enable(&usb) : ret;
}
