/* SPDX-License-Identifier: Apache-2.0 */
/**
 * A photodiode's samples at one fixed rate, in batches, counted from the start: a class of devices.
 *
 * A sample's time is that of the first one plus its number times the rate's period; it is never
 * that of an interrupt. Times are ticks of the edge source that the device's node names. One thread
 * starts, reads and stops a source.
 */
#ifndef RESUME_RIG_LIGHT_SOURCE_H
#define RESUME_RIG_LIGHT_SOURCE_H

#include <stdint.h>
#include <zephyr/device.h>
#include <zephyr/kernel.h>

/** What stays the same from the device's start on. */
struct light_source_info {
	/** samples in a second, exactly */
	uint32_t hz;
	/** counts at the end of the converter's range, such as 4095 */
	uint16_t full_scale;
};

/** For drivers; see the functions below. */
__subsystem struct light_source_driver_api {
	void (*get_info)(const struct device *dev, struct light_source_info *info);
	int (*start)(const struct device *dev, uint32_t *first_ticks);
	void (*stop)(const struct device *dev);
	int (*take)(const struct device *dev, const uint16_t **counts, k_timeout_t timeout);
};

/** Tell what the source is. The device must be ready. */
static inline void light_source_get_info(const struct device *dev, struct light_source_info *info)
{
	const struct light_source_driver_api *api = dev->api;

	api->get_info(dev, info);
}

/**
 * Take samples from now on.
 *
 * @param first_ticks set to the edge source's ticks at the first sample
 * @retval 0
 * @retval -errno of the driver that refused
 */
static inline int light_source_start(const struct device *dev, uint32_t *first_ticks)
{
	const struct light_source_driver_api *api = dev->api;

	return api->start(dev, first_ticks);
}

/** Take no more samples. */
static inline void light_source_stop(const struct device *dev)
{
	const struct light_source_driver_api *api = dev->api;

	api->stop(dev);
}

/**
 * Wait for the next batch of samples. One reader only.
 *
 * @param counts set to the samples, which stay as they are until the next call
 * @return how many, 0 when none came in time, or -EOVERFLOW when samples were lost: the caller
 *         stops and starts anew
 */
static inline int light_source_take(const struct device *dev, const uint16_t **counts,
				    k_timeout_t timeout)
{
	const struct light_source_driver_api *api = dev->api;

	return api->take(dev, counts, timeout);
}

#endif
