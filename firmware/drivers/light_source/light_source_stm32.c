/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The photodiode at 50 kS/s: a timer's update event triggers each conversion (TIM6's TRGO is an
 * external trigger of the ADC's regular group in RM0433 and RM0410, TIM3's in RM0390), and DMA
 * stores it in a ring of two halves. The timer runs from the clock behind the edges' stamps, so the
 * rate is exact to them.
 *
 * Zephyr's ADC driver brings the converter up, calibrates it and selects the channel by one
 * conversion of its own; then triggers and DMA are set here, and its interrupt is off. Its DMA
 * driver is not used: in 3.7, on a part without DMAMUX, it drops every interrupt of a circular
 * transfer after the first one.
 *
 * The buffer is memory that is not cached, in the RAM of the image: AXI SRAM (STM32H743), SRAM1
 * (STM32F767) and SRAM1 or SRAM2 (STM32F446, which has no cache for data), which these DMA
 * controllers reach; neither it nor a stack is put into DTCM.
 */
#define DT_DRV_COMPAT resume_rig_stm32_adc_light

#include "light_batch.h"
#include "stm32_timer.h"
#include "timer_rate.h"

#include <resume_rig/edge_source.h>
#include <resume_rig/light_source.h>

#include <errno.h>
#include <soc.h>
#include <stm32_ll_adc.h>
#include <stm32_ll_dma.h>
#include <stm32_ll_tim.h>
#include <string.h>
#include <zephyr/device.h>
#include <zephyr/devicetree/dma.h>
#include <zephyr/drivers/adc.h>
#include <zephyr/drivers/clock_control.h>
#include <zephyr/drivers/clock_control/stm32_clock_control.h>
#include <zephyr/irq.h>
#include <zephyr/kernel.h>
#include <zephyr/linker/section_tags.h>
#include <zephyr/sys/util.h>

#define RATE_HZ 50000u
/** 10.24 ms; the reader has as long again before it loses one. */
#define BATCH_SAMPLES 512u
#define MAX_TIMER_PERIOD 65536u
/** Sampling and conversion; 4.6 us on the slower board. */
#define CONVERSION_MAX_US 10
/** A thousand times that, so that no thread of higher priority makes a converter look broken. */
#define CONVERSION_PATIENCE_MS 10
/** From the trigger to the begin of sampling: 2 to 4 clocks of the converter (data sheets). */
#define TRIGGER_CYCLES 3u

#define LIGHT_NODE DT_DRV_INST(0)
#define ADC_NODE DT_IO_CHANNELS_CTLR(LIGHT_NODE)
#define ADC_CHANNEL DT_IO_CHANNELS_INPUT(LIGHT_NODE)
#define CHANNEL_NODE ADC_CHANNEL_DT_NODE(ADC_NODE, ADC_CHANNEL)
#define TIMER_NODE DT_PHANDLE(LIGHT_NODE, timer)
#define DMA_NODE DT_DMAS_CTLR_BY_IDX(ADC_NODE, 0)
#define DMA_SLOT DT_DMAS_CELL_BY_IDX(ADC_NODE, 0, slot)

#define ADC_REGISTERS ((ADC_TypeDef *)DT_REG_ADDR(ADC_NODE))
#define DMA_REGISTERS ((DMA_TypeDef *)DT_REG_ADDR(DMA_NODE))
#define LL_CHANNEL __LL_ADC_DECIMAL_NB_TO_CHANNEL(ADC_CHANNEL)

#ifdef CONFIG_SOC_SERIES_STM32F4X
#define TRIGGER_BASE TIM3_BASE
#define LL_TRIGGER LL_ADC_REG_TRIG_EXT_TIM3_TRGO
#else
#define TRIGGER_BASE TIM6_BASE
#define LL_TRIGGER LL_ADC_REG_TRIG_EXT_TIM6_TRGO
#endif

BUILD_ASSERT(DT_NUM_INST_STATUS_OKAY(DT_DRV_COMPAT) == 1, "it has the converter to itself");
BUILD_ASSERT(DT_REG_ADDR(TIMER_NODE) == TRIGGER_BASE, "the ADC is triggered by another timer");
BUILD_ASSERT(DT_DMAS_CELL_BY_IDX(ADC_NODE, 0, channel) == 0, "the flags are those of stream 0");
BUILD_ASSERT(DT_PROP(CHANNEL_NODE, zephyr_resolution) == 12, "full scale is 4095");
BUILD_ASSERT(ADC_ACQ_TIME_UNIT(DT_PROP(CHANNEL_NODE, zephyr_acquisition_time)) ==
		     ADC_ACQ_TIME_TICKS,
	     "the time of sampling is in clocks of the converter");

static const struct adc_dt_spec photodiode = ADC_DT_SPEC_GET(LIGHT_NODE);
static const struct device *const edges = DEVICE_DT_GET(DT_PHANDLE(LIGHT_NODE, edge_source));
static const struct stm32_timer trigger = STM32_TIMER(TIMER_NODE);
static const struct stm32_pclken dma_clock = {
	.bus = DT_CLOCKS_CELL(DMA_NODE, bus),
	.enr = DT_CLOCKS_CELL(DMA_NODE, bits),
};
static const struct stm32_pclken adc_clock = {
	.bus = DT_CLOCKS_CELL(ADC_NODE, bus),
	.enr = DT_CLOCKS_CELL(ADC_NODE, bits),
};

static __nocache uint16_t ring[2][BATCH_SAMPLES];

struct light_source_stm32_data {
	/** what the reader has; the ring's half is written anew meanwhile */
	uint16_t batch[BATCH_SAMPLES];
	struct k_sem ready;
	/** counted by the interrupt */
	volatile uint32_t finished;
	volatile bool has_failed;
	uint32_t taken;
	uint32_t adc_hz;
	uint32_t edges_hz;
	/** of the one conversion at a start, which may end behind it */
	struct k_poll_signal converted;
	uint16_t counts;
	bool is_stuck;
};

static void light_source_stm32_get_info(const struct device *dev, struct light_source_info *info)
{
	*info = (struct light_source_info){.hz = RATE_HZ, .full_scale = 4095};
}

/* ------------------------------------------------------------------------- two kinds of ADC -- */

#ifdef CONFIG_SOC_SERIES_STM32H7X
/** Its silicon of revision V and later halves the clock once more (RM0433, ADC clocks). */
static uint32_t adc_divisor(void)
{
	bool is_revision_y = (DBGMCU->IDCODE & 0xF0000000u) == 0x10000000u;

	return DT_PROP(ADC_NODE, st_adc_prescaler) * (is_revision_y ? 1u : 2u);
}

static void select_dma_request(void)
{
	LL_DMA_SetPeriphRequest(DMA_REGISTERS, LL_DMA_STREAM_0, DMA_SLOT);
}

/** Bias of the converter for its clock, which Zephyr leaves at that for 6.25 MHz (BOOST, RM0433).
 */
static uint32_t boost_mode(uint32_t adc_hz)
{
	if (adc_hz > 25000000u) {
		return LL_ADC_BOOST_MODE_50MHZ;
	}
	if (adc_hz > 20000000u) {
		return LL_ADC_BOOST_MODE_25MHZ;
	}
	if (adc_hz > 12500000u) {
		return LL_ADC_BOOST_MODE_20MHZ;
	}
	return adc_hz > 6250000u ? LL_ADC_BOOST_MODE_12MHZ5 : LL_ADC_BOOST_MODE_6MHZ25;
}

static void start_adc(uint32_t adc_hz)
{
	LL_ADC_DisableIT_EOC(ADC_REGISTERS);
	LL_ADC_SetBoostMode(ADC_REGISTERS, boost_mode(adc_hz));
	/* The code of 12 bits differs between revisions of the silicon; Zephyr has one of them. */
	LL_ADC_SetResolution(ADC_REGISTERS, LL_ADC_RESOLUTION_12B);
	LL_ADC_SetChannelPreselection(ADC_REGISTERS, LL_CHANNEL);
	LL_ADC_REG_SetTriggerSource(ADC_REGISTERS, LL_TRIGGER);
	LL_ADC_REG_SetTriggerEdge(ADC_REGISTERS, LL_ADC_REG_TRIG_EXT_RISING);
	LL_ADC_REG_SetDataTransferMode(ADC_REGISTERS, LL_ADC_REG_DMA_TRANSFER_UNLIMITED);
	LL_ADC_REG_SetOverrun(ADC_REGISTERS, LL_ADC_REG_OVR_DATA_PRESERVED);
	LL_ADC_ClearFlag_OVR(ADC_REGISTERS);
	LL_ADC_REG_StartConversion(ADC_REGISTERS);
}

static void stop_adc(void)
{
	if (LL_ADC_REG_IsConversionOngoing(ADC_REGISTERS) != 0u) {
		LL_ADC_REG_StopConversion(ADC_REGISTERS);
		while (LL_ADC_REG_IsConversionOngoing(ADC_REGISTERS) != 0u) {
		}
	}
	LL_ADC_REG_SetDataTransferMode(ADC_REGISTERS, LL_ADC_REG_DR_TRANSFER);
	LL_ADC_REG_SetTriggerSource(ADC_REGISTERS, LL_ADC_REG_TRIG_SOFTWARE);
}
#else
static uint32_t adc_divisor(void)
{
	return DT_PROP(ADC_NODE, st_adc_prescaler);
}

static void select_dma_request(void)
{
	LL_DMA_SetChannelSelection(DMA_REGISTERS, LL_DMA_STREAM_0, DMA_SLOT << DMA_SxCR_CHSEL_Pos);
}

static void start_adc(uint32_t adc_hz)
{
	LL_ADC_DisableIT_EOCS(ADC_REGISTERS);
	LL_ADC_REG_SetTriggerSource(ADC_REGISTERS, LL_TRIGGER);
	LL_ADC_REG_SetDMATransfer(ADC_REGISTERS, LL_ADC_REG_DMA_TRANSFER_UNLIMITED);
	LL_ADC_ClearFlag_OVR(ADC_REGISTERS);
	LL_ADC_REG_StartConversionExtTrig(ADC_REGISTERS, LL_ADC_REG_TRIG_EXT_RISING);
}

static void stop_adc(void)
{
	LL_ADC_REG_StopConversionExtTrig(ADC_REGISTERS);
	LL_ADC_REG_SetDMATransfer(ADC_REGISTERS, LL_ADC_REG_DMA_TRANSFER_NONE);
	LL_ADC_REG_SetTriggerSource(ADC_REGISTERS, LL_ADC_REG_TRIG_SOFTWARE);
}
#endif

/* ------------------------------------------------------------------------------------- DMA -- */

static void dma_interrupt(const void *parameter)
{
	const struct device *dev = parameter;
	struct light_source_stm32_data *light = dev->data;

	if (LL_DMA_IsActiveFlag_HT0(DMA_REGISTERS) != 0u) {
		LL_DMA_ClearFlag_HT0(DMA_REGISTERS);
		light->finished++;
	}
	if (LL_DMA_IsActiveFlag_TC0(DMA_REGISTERS) != 0u) {
		LL_DMA_ClearFlag_TC0(DMA_REGISTERS);
		light->finished++;
	}
	if (LL_DMA_IsActiveFlag_TE0(DMA_REGISTERS) != 0u) {
		LL_DMA_ClearFlag_TE0(DMA_REGISTERS);
		light->has_failed = true;
	}
	k_sem_give(&light->ready);
}

static void stop_dma(void)
{
	LL_DMA_DisableStream(DMA_REGISTERS, LL_DMA_STREAM_0);
	/* It ends a transfer that is under way first. */
	while (LL_DMA_IsEnabledStream(DMA_REGISTERS, LL_DMA_STREAM_0) != 0u) {
	}
	LL_DMA_ClearFlag_HT0(DMA_REGISTERS);
	LL_DMA_ClearFlag_TC0(DMA_REGISTERS);
	LL_DMA_ClearFlag_TE0(DMA_REGISTERS);
	LL_DMA_ClearFlag_DME0(DMA_REGISTERS);
	LL_DMA_ClearFlag_FE0(DMA_REGISTERS);
}

static void start_dma(void)
{
	LL_DMA_ConfigTransfer(DMA_REGISTERS, LL_DMA_STREAM_0,
			      LL_DMA_DIRECTION_PERIPH_TO_MEMORY | LL_DMA_MODE_CIRCULAR |
				      LL_DMA_PERIPH_NOINCREMENT | LL_DMA_MEMORY_INCREMENT |
				      LL_DMA_PDATAALIGN_HALFWORD | LL_DMA_MDATAALIGN_HALFWORD |
				      LL_DMA_PRIORITY_VERYHIGH);
	LL_DMA_DisableFifoMode(DMA_REGISTERS, LL_DMA_STREAM_0);
	LL_DMA_ConfigAddresses(DMA_REGISTERS, LL_DMA_STREAM_0,
			       LL_ADC_DMA_GetRegAddr(ADC_REGISTERS, LL_ADC_DMA_REG_REGULAR_DATA),
			       (uint32_t)ring, LL_DMA_DIRECTION_PERIPH_TO_MEMORY);
	LL_DMA_SetDataLength(DMA_REGISTERS, LL_DMA_STREAM_0, 2u * BATCH_SAMPLES);
	select_dma_request();
	LL_DMA_EnableIT_HT(DMA_REGISTERS, LL_DMA_STREAM_0);
	LL_DMA_EnableIT_TC(DMA_REGISTERS, LL_DMA_STREAM_0);
	LL_DMA_EnableIT_TE(DMA_REGISTERS, LL_DMA_STREAM_0);
	LL_DMA_EnableStream(DMA_REGISTERS, LL_DMA_STREAM_0);
}

/* ------------------------------------------------------------------------------- interface -- */

/**
 * One conversion by Zephyr's driver: it selects the channel, and shows that the converter works.
 * One that did not end is not begun again: the driver would wait for it, for ever.
 */
static int convert_once(struct light_source_stm32_data *light)
{
	struct adc_sequence sequence = {.buffer = &light->counts,
					.buffer_size = sizeof(light->counts)};
	struct k_poll_event ended = K_POLL_EVENT_INITIALIZER(
		K_POLL_TYPE_SIGNAL, K_POLL_MODE_NOTIFY_ONLY, &light->converted);
	int ret = light->is_stuck ? -EIO : adc_sequence_init_dt(&photodiode, &sequence);

	if (ret < 0) {
		return ret;
	}
	k_poll_signal_init(&light->converted);
	ret = adc_read_async(photodiode.dev, &sequence, &light->converted);
	if (ret < 0) {
		return ret;
	}
	if (k_poll(&ended, 1, K_MSEC(CONVERSION_PATIENCE_MS)) < 0) {
		light->is_stuck = true;
		return -ETIMEDOUT;
	}
	return light->converted.result;
}

static int init_trigger(void)
{
	uint32_t clock_hz;
	uint32_t period;
	int ret = stm32_timer_take(&trigger, &clock_hz);

	if (ret < 0) {
		return ret;
	}
	ret = timer_divide(clock_hz, RATE_HZ, MAX_TIMER_PERIOD, &period);
	if (ret < 0) {
		return ret;
	}
	LL_TIM_SetAutoReload(trigger.registers, period - 1u);
	LL_TIM_SetTriggerOutput(trigger.registers, LL_TIM_TRGO_UPDATE);
	return 0;
}

static int light_source_stm32_init(const struct device *dev)
{
	struct light_source_stm32_data *light = dev->data;
	struct edge_source_info info;
	const struct device *control = DEVICE_DT_GET(STM32_CLOCK_CONTROL_NODE);
	uint32_t bus_hz;
	int ret;

	if (!adc_is_ready_dt(&photodiode) || !device_is_ready(control) || !device_is_ready(edges)) {
		return -ENODEV;
	}
	ret = adc_channel_setup_dt(&photodiode);
	if (ret == 0) {
		ret = clock_control_on(control, (clock_control_subsys_t)&dma_clock);
	}
	if (ret == 0) {
		ret = clock_control_get_rate(control, (clock_control_subsys_t)&adc_clock, &bus_hz);
	}
	if (ret == 0) {
		ret = init_trigger();
	}
	if (ret < 0) {
		return ret;
	}
	edge_source_get_info(edges, &info);
	light->edges_hz = info.hz;
	light->adc_hz = bus_hz / adc_divisor();
	(void)k_sem_init(&light->ready, 0, 1);
	IRQ_CONNECT(DT_IRQN_BY_IDX(DMA_NODE, 0), DT_IRQ_BY_IDX(DMA_NODE, 0, priority),
		    dma_interrupt, DEVICE_DT_INST_GET(0), 0);
	irq_enable(DT_IRQN_BY_IDX(DMA_NODE, 0));
	return 0;
}

/** Start the trigger; the counter at the first sample. */
static uint32_t start_trigger(const struct light_source_stm32_data *light)
{
	uint32_t cycles =
		TRIGGER_CYCLES + ADC_ACQ_TIME_VALUE(DT_PROP(CHANNEL_NODE, zephyr_acquisition_time));
	unsigned int key = irq_lock();
	uint32_t before = edge_source_ticks(edges);
	uint32_t after;

	LL_TIM_EnableCounter(trigger.registers);
	after = edge_source_ticks(edges);
	irq_unlock(key);
	return light_batch_first_ticks(before, after, light->edges_hz, RATE_HZ, cycles,
				       light->adc_hz);
}

static int light_source_stm32_start(const struct device *dev, uint32_t *first_ticks)
{
	struct light_source_stm32_data *light = dev->data;
	int ret = convert_once(light);

	if (ret < 0) {
		return ret;
	}
	light->finished = 0;
	light->taken = 0;
	light->has_failed = false;
	k_sem_reset(&light->ready);
	start_dma();
	start_adc(light->adc_hz);
	LL_TIM_SetCounter(trigger.registers, 0);
	*first_ticks = start_trigger(light);
	/* Nobody is told of a time to come. */
	while ((int32_t)(edge_source_ticks(edges) - *first_ticks) < 0) {
	}
	return 0;
}

static void light_source_stm32_stop(const struct device *dev)
{
	LL_TIM_DisableCounter(trigger.registers);
	/* DMA takes a conversion that is under way, or its flag would answer the next start. */
	k_busy_wait(CONVERSION_MAX_US);
	stop_adc();
	stop_dma();
}

static bool has_lost(const struct light_source_stm32_data *light)
{
	/* The converter asks for no more transfers once it had to drop a sample. */
	return light->has_failed || LL_ADC_IsActiveFlag_OVR(ADC_REGISTERS) != 0u ||
	       light_batch_next(light->finished, light->taken) == LIGHT_BATCH_LOST;
}

static int light_source_stm32_take(const struct device *dev, const uint16_t **counts,
				   k_timeout_t timeout)
{
	struct light_source_stm32_data *light = dev->data;
	k_timepoint_t end = sys_timepoint_calc(timeout);
	int ret = 0;

	/* It may have been given for a batch that is taken already. */
	while (ret == 0 && light_batch_next(light->finished, light->taken) == LIGHT_BATCH_NONE) {
		ret = k_sem_take(&light->ready, sys_timepoint_timeout(end));
	}
	if (has_lost(light)) {
		return -EOVERFLOW;
	}
	if (light_batch_next(light->finished, light->taken) == LIGHT_BATCH_NONE) {
		return 0;
	}
	memcpy(light->batch, ring[light->taken % 2u], sizeof(light->batch));
	/* The half must not have been written to while it was copied. */
	if (has_lost(light)) {
		return -EOVERFLOW;
	}
	light->taken++;
	*counts = light->batch;
	return BATCH_SAMPLES;
}

static const struct light_source_driver_api light_source_stm32_api = {
	.get_info = light_source_stm32_get_info,
	.start = light_source_stm32_start,
	.stop = light_source_stm32_stop,
	.take = light_source_stm32_take,
};

static struct light_source_stm32_data light_source_stm32_data;

DEVICE_DT_INST_DEFINE(0, light_source_stm32_init, NULL, &light_source_stm32_data, NULL, POST_KERNEL,
		      CONFIG_RIG_LIGHT_SOURCE_INIT_PRIORITY, &light_source_stm32_api);
