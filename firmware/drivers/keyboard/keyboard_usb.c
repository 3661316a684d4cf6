/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A boot keyboard (HID 1.11, appendix B.1) with one key, on the legacy device stack.
 *
 * A press wakes a suspended bus whose host armed that (USB 2.0, 7.1.7.7 and 9.4.5): the controller
 * signals resume, and the report follows when the host is back, if the key is still down.
 */
#define DT_DRV_COMPAT resume_rig_usb_keyboard

#include <resume_rig/keyboard.h>

#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>
#include <zephyr/sys/atomic.h>
#include <zephyr/usb/class/usb_hid.h>
#include <zephyr/usb/usb_device.h>

LOG_MODULE_REGISTER(keyboard_usb, CONFIG_RIG_KEYBOARD_LOG_LEVEL);

#define FIRST_MODIFIER 0xe0
#define REPORT_BYTES 8

BUILD_ASSERT(DT_NUM_INST_STATUS_OKAY(DT_DRV_COMPAT) == 1, "a board is one keyboard");
BUILD_ASSERT(!IS_ENABLED(CONFIG_USB_DEVICE_INITIALIZE_AT_BOOT),
	     "the keyboard starts USB itself, to hear of suspends");

struct keyboard_usb_config {
	uint8_t usage;
};

struct keyboard_usb_data {
	const struct device *hid;
	struct k_work work;
	atomic_t down;
	atomic_t bus;
	/** a report is with the controller and was not taken yet */
	atomic_t sending;
	/** of the report that was sent last */
	bool shown;
	bool was_down;
	uint32_t reports;
	uint32_t wakeups;
	uint32_t undelivered;
};

static const uint8_t report_descriptor[] = HID_KEYBOARD_REPORT_DESC();
static struct keyboard_usb_data keyboard;
static const struct keyboard_usb_config config = {.usage = DT_INST_PROP(0, usage)};

static void send(bool down)
{
	uint8_t report[REPORT_BYTES] = {0};
	int ret;

	if (down && config.usage >= FIRST_MODIFIER) {
		report[0] = BIT(config.usage - FIRST_MODIFIER);
	} else if (down) {
		report[2] = config.usage;
	}
	(void)atomic_set(&keyboard.sending, 1);
	ret = hid_int_ep_write(keyboard.hid, report, sizeof(report), NULL);
	if (ret < 0) {
		(void)atomic_set(&keyboard.sending, 0);
		LOG_WRN("Could not send a report (%d)", ret);
		return;
	}
	keyboard.shown = down;
}

static void wake(void)
{
	int ret = usb_wakeup_request();

	if (ret < 0) {
		keyboard.undelivered++;
		LOG_WRN("Could not wake the DUT (%d)", ret);
		return;
	}
	keyboard.wakeups++;
}

/** What the key did, or the bus: bring the DUT up to date. */
static void update(struct k_work *work)
{
	bool down = atomic_get(&keyboard.down) != 0;
	bool pressed = down && !keyboard.was_down;

	keyboard.was_down = down;
	switch ((enum keyboard_bus)atomic_get(&keyboard.bus)) {
	case KEYBOARD_READY:
		if (down != keyboard.shown && atomic_get(&keyboard.sending) == 0) {
			send(down);
		}
		break;
	case KEYBOARD_SUSPENDED:
		if (pressed) {
			wake();
		}
		break;
	case KEYBOARD_DETACHED:
		keyboard.undelivered += pressed ? 1u : 0u;
		break;
	}
}

static void report_taken(const struct device *hid)
{
	(void)atomic_set(&keyboard.sending, 0);
	keyboard.reports += keyboard.shown ? 1u : 0u;
	(void)k_work_submit(&keyboard.work);
}

static void bus_changed(enum usb_dc_status_code status, const uint8_t *param)
{
	atomic_val_t bus = atomic_get(&keyboard.bus);

	if (status == USB_DC_CONFIGURED) {
		bus = KEYBOARD_READY;
	} else if (status == USB_DC_SUSPEND && bus == KEYBOARD_READY) {
		bus = KEYBOARD_SUSPENDED;
	} else if (status == USB_DC_RESUME && bus == KEYBOARD_SUSPENDED) {
		bus = KEYBOARD_READY;
	} else if (status == USB_DC_RESET || status == USB_DC_DISCONNECTED) {
		/* A report that nobody takes any more; the key of a new host is up. */
		bus = KEYBOARD_DETACHED;
		(void)atomic_set(&keyboard.sending, 0);
		keyboard.shown = false;
	} else {
		return;
	}
	(void)atomic_set(&keyboard.bus, bus);
	(void)k_work_submit(&keyboard.work);
}

static void keyboard_usb_set(const struct device *dev, bool down)
{
	(void)atomic_set(&keyboard.down, down ? 1 : 0);
	(void)k_work_submit(&keyboard.work);
}

static void keyboard_usb_get_status(const struct device *dev, struct keyboard_status *status)
{
	*status = (struct keyboard_status){
		.bus = (enum keyboard_bus)atomic_get(&keyboard.bus),
		.armed = usb_get_remote_wakeup_status(),
		.reports = keyboard.reports,
		.wakeups = keyboard.wakeups,
		.undelivered = keyboard.undelivered,
	};
}

static int keyboard_usb_init(const struct device *dev)
{
	static const struct hid_ops ops = {.int_in_ready = report_taken};
	int ret;

	k_work_init(&keyboard.work, update);
	keyboard.hid = device_get_binding("HID_0");
	if (keyboard.hid == NULL) {
		LOG_ERR("Could not find the HID class");
		return -ENODEV;
	}
	usb_hid_register_device(keyboard.hid, report_descriptor, sizeof(report_descriptor), &ops);
	ret = usb_hid_set_proto_code(keyboard.hid, HID_BOOT_IFACE_CODE_KEYBOARD);
	if (ret == 0) {
		ret = usb_hid_init(keyboard.hid);
	}
	if (ret == 0) {
		ret = usb_enable(bus_changed);
	}
	if (ret < 0) {
		LOG_ERR("Could not start the keyboard (%d)", ret);
	}
	return ret;
}

static const struct keyboard_driver_api api = {
	.set = keyboard_usb_set,
	.get_status = keyboard_usb_get_status,
};

/* Where CONFIG_USB_DEVICE_INITIALIZE_AT_BOOT would start USB: behind every class. */
DEVICE_DT_INST_DEFINE(0, keyboard_usb_init, NULL, &keyboard, &config, POST_KERNEL,
		      CONFIG_APPLICATION_INIT_PRIORITY, &api);
