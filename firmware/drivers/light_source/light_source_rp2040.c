/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The photodiode by the RP2040's ADC, which converts by itself, and DMA into a ring in RAM.
 *
 * The rate divides the ADC's clock by a whole number, so samples keep time with the crystal.
 * Zephyr's driver makes the converter ready; from then on its interrupt is off, and nobody else may
 * use it. A conversion that the ADC itself calls faulty (CS.ERR) is kept: it is noise, at its right
 * time.
 */
#define DT_DRV_COMPAT resume_rig_rp2040_adc_light

#include "dma_ring.h"

#include <resume_rig/edge_source.h>
#include <resume_rig/light_source.h>

#include <hardware/adc.h>
#include <hardware/regs/dreq.h>
#include <hardware/timer.h>
#include <zephyr/devicetree.h>
#include <zephyr/drivers/adc.h>
#include <zephyr/irq.h>
#include <zephyr/sys/util.h>

#define SAMPLES_HZ 50000u
#define PERIOD_US (USEC_PER_SEC / SAMPLES_HZ)
#define ADC_HZ DT_PROP(DT_NODELABEL(clk_adc), clock_frequency)
#define PERIOD_CYCLES (ADC_HZ / SAMPLES_HZ)

/** From a sample to its result. */
#define CONVERSION_CYCLES 96u
#define CONVERSION_US (CONVERSION_CYCLES / (ADC_HZ / USEC_PER_SEC))

BUILD_ASSERT(PERIOD_CYCLES *SAMPLES_HZ == ADC_HZ, "a sample period is whole cycles of the ADC");
BUILD_ASSERT(PERIOD_CYCLES > CONVERSION_CYCLES, "a sample period holds a conversion");
BUILD_ASSERT(CONVERSION_US *ADC_HZ == CONVERSION_CYCLES * USEC_PER_SEC);
BUILD_ASSERT(DT_SAME_NODE(DT_INST_IO_CHANNELS_CTLR(0), DT_NODELABEL(adc)));
BUILD_ASSERT(DT_NUM_INST_STATUS_OKAY(DT_DRV_COMPAT) == 1, "it has the converter to itself");

/** 5 ms; the reader may be late by seven of them. */
#define BATCH_SAMPLES 256u
#define RING_SAMPLES 2048u
#define RING_BYTES (RING_SAMPLES * sizeof(uint16_t))

BUILD_ASSERT(IS_POWER_OF_TWO(RING_SAMPLES), "DMA wraps at a power of two");
BUILD_ASSERT(RING_SAMPLES % BATCH_SAMPLES == 0, "a batch lies in one piece");

/** The first sample is there a period after the start; no longer than this is waited for it. */
#define FIRST_SAMPLE_US (3u * PERIOD_US)

static const struct adc_dt_spec photodiode = ADC_DT_SPEC_INST_GET(0);
static const struct device *const edges = DEVICE_DT_GET(DT_INST_PHANDLE(0, edge_source));

static uint16_t ring[RING_SAMPLES] __aligned(RING_BYTES);

struct light_source_rp2040_data {
	struct dma_ring dma;
	/** rate of the edges' counter, whole ticks a microsecond */
	uint32_t ticks_per_us;
	/** next sample to hand out, and the oldest that the reader may still look at */
	uint32_t tail;
	uint32_t oldest;
};

static int light_source_rp2040_init(const struct device *dev)
{
	struct light_source_rp2040_data *source = dev->data;
	struct edge_source_info info;
	int ret;

	if (!adc_is_ready_dt(&photodiode) || !device_is_ready(edges)) {
		return -ENODEV;
	}
	edge_source_get_info(edges, &info);
	source->ticks_per_us = info.hz / USEC_PER_SEC;
	ret = adc_channel_setup_dt(&photodiode);
	if (ret < 0) {
		return ret;
	}
	adc_irq_set_enabled(false);
	return dma_ring_claim(&source->dma);
}

static void light_source_rp2040_get_info(const struct device *dev, struct light_source_info *info)
{
	*info = (struct light_source_info){
		.hz = SAMPLES_HZ,
		.full_scale = (uint16_t)BIT_MASK(photodiode.resolution),
	};
}

/** One channel, whole samples into the FIFO, and what was there before forgotten. */
static void prepare(void)
{
	adc_set_round_robin(0);
	adc_select_input(photodiode.channel_id);
	adc_fifo_setup(true, true, 1, false, false);
	adc_fifo_drain();
	hw_set_bits(&adc_hw->fcs, ADC_FCS_OVER_BITS | ADC_FCS_UNDER_BITS);
	adc_hw->div = (PERIOD_CYCLES - 1u) << ADC_DIV_INT_LSB;
}

/** Start converting; false when no sample comes. */
static bool run(const struct light_source_rp2040_data *source, uint32_t *first_ticks)
{
	unsigned int key = irq_lock();
	uint32_t start_us = timer_hw->timerawl;

	adc_run(true);
	while (adc_fifo_is_empty() && timer_hw->timerawl - start_us < FIRST_SAMPLE_US) {
	}
	/* Seen when its conversion is over, and not from the divider, whose phase is not told. */
	*first_ticks = edge_source_ticks(edges) - source->ticks_per_us * CONVERSION_US;
	irq_unlock(key);
	return !adc_fifo_is_empty();
}

static void light_source_rp2040_stop(const struct device *dev)
{
	struct light_source_rp2040_data *source = dev->data;

	adc_run(false);
	dma_ring_stop(&source->dma);
}

static int light_source_rp2040_start(const struct device *dev, uint32_t *first_ticks)
{
	struct light_source_rp2040_data *source = dev->data;
	const struct dma_ring_config config = {
		.from = &adc_hw->fifo,
		.ring = ring,
		.size_bits = LOG2(RING_BYTES),
		.item_bits = LOG2(sizeof(ring[0])),
		.request = DREQ_ADC,
	};

	light_source_rp2040_stop(dev);
	prepare();
	if (!run(source, first_ticks)) {
		light_source_rp2040_stop(dev);
		return -EIO;
	}
	/* The FIFO holds the first sample, and has room for seven periods more. */
	dma_ring_start(&source->dma, &config);
	source->tail = 0;
	source->oldest = 0;
	return 0;
}

/** Samples that the FIFO had no room for, or that were overwritten before or while they were read.
 */
static bool has_lost(const struct light_source_rp2040_data *source, uint32_t written)
{
	return (adc_hw->fcs & ADC_FCS_OVER_BITS) != 0u ||
	       dma_ring_ahead(source->oldest, written) >= RING_SAMPLES;
}

/** Sleep until so many samples more are there, or until the end. */
static void await(uint32_t samples, k_timepoint_t end)
{
	k_timeout_t due = K_USEC(samples * PERIOD_US);
	k_timeout_t left = sys_timepoint_timeout(end);
	bool ends_first = !K_TIMEOUT_EQ(left, K_FOREVER) && left.ticks < due.ticks;

	k_sleep(ends_first ? left : due);
}

static int light_source_rp2040_take(const struct device *dev, const uint16_t **counts,
				    k_timeout_t timeout)
{
	struct light_source_rp2040_data *source = dev->data;
	k_timepoint_t end = sys_timepoint_calc(timeout);
	uint32_t written = dma_ring_written(&source->dma);

	/* What the reader had until now must have been whole to the last. */
	while (!has_lost(source, written)) {
		uint32_t held = dma_ring_ahead(source->tail, written);

		source->oldest = source->tail;
		if (held >= BATCH_SAMPLES) {
			*counts = &ring[source->tail & (RING_SAMPLES - 1u)];
			source->tail += BATCH_SAMPLES;
			return BATCH_SAMPLES;
		}
		if (sys_timepoint_expired(end)) {
			return 0;
		}
		await(BATCH_SAMPLES - held, end);
		written = dma_ring_written(&source->dma);
	}
	return -EOVERFLOW;
}

static const struct light_source_driver_api light_source_rp2040_api = {
	.get_info = light_source_rp2040_get_info,
	.start = light_source_rp2040_start,
	.stop = light_source_rp2040_stop,
	.take = light_source_rp2040_take,
};

static struct light_source_rp2040_data light_source_rp2040_data;

DEVICE_DT_INST_DEFINE(0, light_source_rp2040_init, NULL, &light_source_rp2040_data, NULL,
		      POST_KERNEL, CONFIG_RIG_LIGHT_SOURCE_INIT_PRIORITY, &light_source_rp2040_api);
