/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The photodiode of native_sim, sampled as a converter with DMA does it: every few milliseconds
 * comes a batch, and each of its samples is the voltage that there was at the sample's own time.
 *
 * A thread that converts once in 20 us takes more than a core of the host; this takes the changes
 * of the voltage, which are few, and fills the samples in between.
 */
#define DT_DRV_COMPAT resume_rig_outside_light

#include "outside.h"
#include "outside_light.h"

#include <resume_rig/edge_source.h>
#include <resume_rig/light_source.h>

#include <zephyr/devicetree.h>
#include <zephyr/sys/util.h>

#define PERIOD_US DT_INST_PROP(0, period_us)
#define HZ (USEC_PER_SEC / PERIOD_US)
#define BATCH_MS 2u
#define BATCH_SAMPLES (HZ * BATCH_MS / MSEC_PER_SEC)
/** Changes of the voltage between two batches that are taken. */
#define CHANGES 1024u

#define ADC_NODE DT_INST_IO_CHANNELS_CTLR(0)
#define FULL_SCALE_MV DT_PROP(ADC_NODE, ref_internal_mv)
#define FULL_SCALE 4095u

BUILD_ASSERT(DT_NUM_INST_STATUS_OKAY(DT_DRV_COMPAT) == 1, "there is one voltage outside");
BUILD_ASSERT(USEC_PER_SEC % PERIOD_US == 0, "a second has whole samples");

struct change {
	uint32_t ticks;
	uint16_t counts;
};

struct light_source_outside_data {
	struct k_timer period;
	struct change changes[CHANGES];
	/** next to write, next to read; not masked */
	uint32_t head;
	uint32_t tail;
	/** the voltage that is there, and the one of the last sample */
	uint16_t now;
	uint16_t last;
	uint16_t counts[BATCH_SAMPLES];
	/** edge source's counter at the next sample */
	uint32_t next_ticks;
	/** of that counter, from sample to sample */
	uint32_t step_ticks;
	bool lost;
};

static struct light_source_outside_data light_source_outside_data;
static const struct device *const edges = DEVICE_DT_GET(DT_INST_PHANDLE(0, edge_source));

BUILD_ASSERT(IS_POWER_OF_TWO(CHANGES), "the queue's indices wrap");

static void light_source_outside_get_info(const struct device *dev, struct light_source_info *info)
{
	*info = (struct light_source_info){.hz = HZ, .full_scale = FULL_SCALE};
}

static uint16_t counts_of(uint32_t voltage_mv)
{
	return (uint16_t)MIN(voltage_mv * FULL_SCALE / FULL_SCALE_MV, FULL_SCALE);
}

void outside_light_changed(uint16_t voltage_mv)
{
	struct light_source_outside_data *source = &light_source_outside_data;

	source->now = counts_of(voltage_mv);
	if (source->head - source->tail == CHANGES) {
		source->lost = true;
		return;
	}
	source->changes[source->head++ % CHANGES] =
		(struct change){.ticks = edge_source_ticks(edges), .counts = source->now};
}

static int light_source_outside_init(const struct device *dev)
{
	struct light_source_outside_data *source = dev->data;
	struct edge_source_info info;

	if (!device_is_ready(edges)) {
		return -ENODEV;
	}
	edge_source_get_info(edges, &info);
	source->now = counts_of(outside_light_mv());
	source->step_ticks = info.hz / HZ;
	k_timer_init(&source->period, NULL, NULL);
	/* A sample's period is whole ticks of the counter. */
	return info.hz % HZ == 0u ? 0 : -EINVAL;
}

static int light_source_outside_start(const struct device *dev, uint32_t *first_ticks)
{
	struct light_source_outside_data *source = dev->data;
	unsigned int key = irq_lock();

	source->tail = source->head;
	source->last = source->now;
	source->lost = false;
	source->next_ticks = edge_source_ticks(edges);
	irq_unlock(key);
	*first_ticks = source->next_ticks;
	k_timer_start(&source->period, K_MSEC(BATCH_MS), K_MSEC(BATCH_MS));
	return 0;
}

static void light_source_outside_stop(const struct device *dev)
{
	struct light_source_outside_data *source = dev->data;

	k_timer_stop(&source->period);
}

/** A change at the very time of a sample is in it. */
static uint16_t sample_at(struct light_source_outside_data *source, uint32_t ticks)
{
	while (source->tail != source->head &&
	       (int32_t)(source->changes[source->tail % CHANGES].ticks - ticks) <= 0) {
		source->last = source->changes[source->tail++ % CHANGES].counts;
	}
	return source->last;
}

static int light_source_outside_take(const struct device *dev, const uint16_t **counts,
				     k_timeout_t timeout)
{
	struct light_source_outside_data *source = dev->data;
	unsigned int key;

	/* The timer always comes. */
	if (k_timer_status_sync(&source->period) > 1u) {
		return -EOVERFLOW;
	}
	key = irq_lock();
	for (uint32_t i = 0; i < BATCH_SAMPLES; i++) {
		source->counts[i] = sample_at(source, source->next_ticks);
		source->next_ticks += source->step_ticks;
	}
	irq_unlock(key);
	*counts = source->counts;
	return source->lost ? -EOVERFLOW : (int)BATCH_SAMPLES;
}

static const struct light_source_driver_api light_source_outside_api = {
	.get_info = light_source_outside_get_info,
	.start = light_source_outside_start,
	.stop = light_source_outside_stop,
	.take = light_source_outside_take,
};

DEVICE_DT_INST_DEFINE(0, light_source_outside_init, NULL, &light_source_outside_data, NULL,
		      POST_KERNEL, CONFIG_RIG_LIGHT_SOURCE_INIT_PRIORITY,
		      &light_source_outside_api);
