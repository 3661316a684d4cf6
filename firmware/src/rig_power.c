/* SPDX-License-Identifier: Apache-2.0 */
#include "rig_power.h"

#include "rig_devices.h"

#include <resume_rig/edge_source.h>

#include <zephyr/devicetree.h>
#include <zephyr/drivers/sensor.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>

LOG_MODULE_REGISTER(rig_power, CONFIG_RIG_LOG_LEVEL);

#define MONITOR_NODE DT_PHANDLE(RIG_NODE, power_monitor)
#define PERIOD_US (DT_PROP(RIG_NODE, power_period_ms) * USEC_PER_MSEC)
/** It converts one input after the other, so many times, and then has an average. */
#define WINDOW_US                                                                                  \
	(DT_PROP(MONITOR_NODE, avg_count) * (DT_PROP(MONITOR_NODE, vbus_conversion_time_us) +      \
					     DT_PROP(MONITOR_NODE, vshunt_conversion_time_us)))

BUILD_ASSERT(WINDOW_US <= PERIOD_US, "a sample is the average of no more than its period");

static K_THREAD_STACK_DEFINE(power_stack, CONFIG_RIG_POWER_STACK_SIZE_BYTES);

static struct {
	struct k_thread thread;
	struct rig_power_sample samples[CONFIG_RIG_POWER_RING_SAMPLES];
	bool has_failed;
} power;

static const struct device *const monitor = DEVICE_DT_GET(MONITOR_NODE);

/** Fill in the ring and what the devicetree says of the monitor. */
static void describe(struct rig_config *config)
{
	config->power = (struct rig_power_config){
		.slots = power.samples,
		.capacity = ARRAY_SIZE(power.samples),
		.period_ns = PERIOD_US * (uint64_t)NSEC_PER_USEC,
		.window_ns = WINDOW_US * (uint64_t)NSEC_PER_USEC,
		.shunt_uohm = DT_PROP(MONITOR_NODE, rshunt_micro_ohms),
		.shunt_tolerance_ppm = DT_PROP(RIG_NODE, shunt_tolerance_ppm),
	};
}

static int read(struct rig_power_sample *sample)
{
	struct sensor_value voltage;
	struct sensor_value current;
	int ret = sensor_sample_fetch(monitor);

	if (ret == 0) {
		ret = sensor_channel_get(monitor, SENSOR_CHAN_VOLTAGE, &voltage);
	}
	if (ret == 0) {
		ret = sensor_channel_get(monitor, SENSOR_CHAN_CURRENT, &current);
	}
	if (ret == 0) {
		sample->bus_uv = (int32_t)sensor_value_to_micro(&voltage);
		sample->current_ua = (int32_t)sensor_value_to_micro(&current);
	}
	return ret;
}

/** One sample, stamped before the bus takes its time; one that fails leaves a hole. */
static void take(void)
{
	uint32_t ticks = edge_source_ticks(RIG_EDGES);
	struct rig_power_sample sample;
	int ret = read(&sample);

	if (ret < 0 && !power.has_failed) {
		LOG_ERR("Could not read the power monitor (%d)", ret);
	}
	power.has_failed = ret < 0;
	if (ret == 0) {
		struct rig_core *core = rig_engine_lock();

		sample.t_ns = rig_engine_time_ns(ticks);
		rig_core_power(core, &sample);
		rig_engine_unlock();
	}
}

static void sample_for_ever(void *a, void *b, void *c)
{
	int64_t due_ticks = k_uptime_ticks();

	while (true) {
		due_ticks += k_us_to_ticks_ceil64(PERIOD_US);
		k_sleep(K_TIMEOUT_ABS_TICKS(due_ticks));
		take();
	}
}

const struct rig_part *rig_power_part(void)
{
	static const struct rig_part part = {.describe = describe};

	return &part;
}

void rig_power_start(void)
{
	if (!device_is_ready(monitor)) {
		LOG_ERR("Could not start the power monitor %s", monitor->name);
		return;
	}
	(void)k_thread_create(&power.thread, power_stack, K_THREAD_STACK_SIZEOF(power_stack),
			      sample_for_ever, NULL, NULL, NULL, CONFIG_RIG_POWER_PRIORITY, 0,
			      K_NO_WAIT);
	(void)k_thread_name_set(&power.thread, "power");
}
