/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Edges of lines with the raw counter at which they happened: a class of devices.
 *
 * The lines are the children of the device's node (bindings resume-rig,*-edges), numbered in their
 * order. One thread starts, reads and stops a source; ticks and info may be asked for by anybody.
 *
 *   const struct device *const edges = DEVICE_DT_GET(DT_NODELABEL(edges));
 */
#ifndef RESUME_RIG_EDGE_SOURCE_H
#define RESUME_RIG_EDGE_SOURCE_H

#include <resume_rig/edge.h>

#include <stdbool.h>
#include <stdint.h>
#include <zephyr/device.h>

/** What stays the same from the device's start on. */
struct edge_source_info {
	/** what stamps: "gpio-interrupt", "pio", "timer-capture" */
	const char *name;
	/** rate of the counter */
	uint32_t hz;
	/** width of the counter, 8 to 32 */
	uint8_t bits;
	/** lines, 16 at most */
	uint8_t lines;
};

/** One check of a source for a self-test; the name ends with its value's unit. */
struct edge_source_check {
	const char *name;
	bool ok;
	int64_t value;
};

/** Called in the interrupt after edges were queued; must be short and ISR-safe. */
typedef void (*edge_source_callback_t)(const struct device *dev, void *user_data);

/** For drivers; see the functions below. */
__subsystem struct edge_source_driver_api {
	void (*get_info)(const struct device *dev, struct edge_source_info *info);
	uint32_t (*ticks)(const struct device *dev);
	uint32_t (*levels)(const struct device *dev);
	int (*start)(const struct device *dev, edge_source_callback_t callback, void *user_data,
		     uint32_t *levels);
	void (*stop)(const struct device *dev);
	bool (*take)(const struct device *dev, struct edge_source_edge *edge);
	uint32_t (*take_lost)(const struct device *dev);
	uint32_t (*check)(const struct device *dev, struct edge_source_check *checks, uint32_t max);
};

/** Tell what the source is. The device must be ready. */
static inline void edge_source_get_info(const struct device *dev, struct edge_source_info *info)
{
	const struct edge_source_driver_api *api = dev->api;

	api->get_info(dev, info);
}

/** @return the counter, which runs from the device's start on; ISR-safe */
static inline uint32_t edge_source_ticks(const struct device *dev)
{
	const struct edge_source_driver_api *api = dev->api;

	return api->ticks(dev);
}

/** @return present level of each line, bit n for line n */
static inline uint32_t edge_source_levels(const struct device *dev)
{
	const struct edge_source_driver_api *api = dev->api;

	return api->levels(dev);
}

/**
 * Take edges from now on.
 *
 * @param levels set to the levels before the first edge, bit n for line n
 * @retval 0
 * @retval -errno of the driver that refused
 */
static inline int edge_source_start(const struct device *dev, edge_source_callback_t callback,
				    void *user_data, uint32_t *levels)
{
	const struct edge_source_driver_api *api = dev->api;

	return api->start(dev, callback, user_data, levels);
}

/** Take no more edges; what was taken can still be read. */
static inline void edge_source_stop(const struct device *dev)
{
	const struct edge_source_driver_api *api = dev->api;

	api->stop(dev);
}

/**
 * Take the oldest edge out of the queue. One reader only.
 *
 * @return false when there is none
 */
static inline bool edge_source_take(const struct device *dev, struct edge_source_edge *edge)
{
	const struct edge_source_driver_api *api = dev->api;

	return api->take(dev, edge);
}

/** @return edges that found the queue full since the last call, which forgets them */
static inline uint32_t edge_source_take_lost(const struct device *dev)
{
	const struct edge_source_driver_api *api = dev->api;

	return api->take_lost(dev);
}

/** @return checks filled in, at most max */
static inline uint32_t edge_source_check(const struct device *dev, struct edge_source_check *checks,
					 uint32_t max)
{
	const struct edge_source_driver_api *api = dev->api;

	return api->check(dev, checks, max);
}

#endif
