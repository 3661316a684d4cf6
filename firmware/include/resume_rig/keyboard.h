/* SPDX-License-Identifier: Apache-2.0 */
/** A keyboard with one key, which the board is to a DUT. */
#ifndef RESUME_RIG_KEYBOARD_H
#define RESUME_RIG_KEYBOARD_H

#include <stdbool.h>
#include <stdint.h>

#include <zephyr/device.h>

enum keyboard_bus { KEYBOARD_DETACHED, KEYBOARD_SUSPENDED, KEYBOARD_READY };

/** Counts are since boot. */
struct keyboard_status {
	enum keyboard_bus bus;
	/** the DUT armed remote wakeup */
	bool armed;
	uint32_t reports;
	uint32_t wakeups;
	uint32_t undelivered;
};

__subsystem struct keyboard_driver_api {
	void (*set)(const struct device *dev, bool down);
	void (*get_status)(const struct device *dev, struct keyboard_status *status);
};

/**
 * Hold the key down, or let it go: a report, or on a suspended bus the remote wakeup. The DUT has
 * it when the bus comes to it. ISR-safe.
 */
static inline void keyboard_set(const struct device *dev, bool down)
{
	const struct keyboard_driver_api *api = dev->api;

	api->set(dev, down);
}

/** Tell what the DUT makes of it. */
static inline void keyboard_get_status(const struct device *dev, struct keyboard_status *status)
{
	const struct keyboard_driver_api *api = dev->api;

	api->get_status(dev, status);
}

#endif
