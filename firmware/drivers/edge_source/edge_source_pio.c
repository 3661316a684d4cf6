/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edges by a PIO state machine of the RP2040.
 *
 * The machine (pio_program.h) samples all channels at clk_sys / 5 and counts its rounds; DMA takes
 * its records to a ring in RAM. Time stamps hold no software. The counter is made to agree with the
 * 1 MHz timer, which divides the same crystal: a microsecond has a whole number of ticks, so
 * the source's ticks are the timer times that, and the two never drift. It is behind the machine by
 * up to a microsecond; docs/explanation/edge-sources.md has the bounds.
 *
 * What the machine reads is all of the chip's inputs, so those that are no channels are switched
 * off at the pad. One of them serves as a mark: switched on and off by its override, it makes a
 * record, which tells the self-test what the machine's counter is.
 */
#define DT_DRV_COMPAT resume_rig_rp2040_pio_edges

#include "pio_edges.h"
#include "pio_machine.h"
#include "pio_program.h"

#include <resume_rig/edge_source.h>

#include <hardware/timer.h>
#include <zephyr/device.h>
#include <zephyr/devicetree.h>
#include <zephyr/drivers/clock_control.h>
#include <zephyr/drivers/gpio.h>
#include <zephyr/dt-bindings/clock/rpi_pico_clock.h>
#include <zephyr/irq.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>
#include <zephyr/sys/util.h>

LOG_MODULE_REGISTER(edge_source_pio, CONFIG_RIG_EDGE_SOURCE_LOG_LEVEL);

#define GPIO_NODE DT_NODELABEL(gpio0)
#define PIO_NODE DT_INST(0, raspberrypi_pico_pio)
#define SYS_HZ DT_PROP(DT_NODELABEL(clk_sys), clock_frequency)
#define TICKS_HZ (SYS_HZ / PIO_ROUND_CYCLES)
#define TICKS_PER_US (TICKS_HZ / USEC_PER_SEC)

BUILD_ASSERT(TICKS_PER_US * PIO_ROUND_CYCLES * USEC_PER_SEC == SYS_HZ,
	     "a microsecond has a whole number of samples, or the counter drifts from the timer");

#define RECORDS CONFIG_RIG_EDGE_FIFO_EDGES
#define RECORD_WORDS PIO_MACHINE_WORDS_PER_RECORD
#define RING_WORDS (RECORDS * RECORD_WORDS)
#define RING_BYTES (RING_WORDS * sizeof(uint32_t))

BUILD_ASSERT(IS_POWER_OF_TWO(RECORDS), "DMA wraps at a power of two");

/** Divides the supply for the ADC on a Pico: nothing uses it as a digital input. */
#define MARK_GPIO 29

/** From a mark to its record in RAM: far less than this. */
#define MARK_WAIT_US 20u

/** What counter and timer may differ by: the start, the mark and the timer's own step. */
#define MOST_OFFSET_NS 1000

#define CHANNEL_GPIO(node) GPIO_DT_SPEC_GET(node, gpios),
#define CHANNEL_BIT(node) | BIT(DT_GPIO_PIN(node, gpios))
#define CHANNEL(node)                                                                              \
	{                                                                                          \
		.gpio = DT_GPIO_PIN(node, gpios),                                                  \
		.inverted = (DT_GPIO_FLAGS(node, gpios) & GPIO_ACTIVE_LOW) != 0,                   \
	},
#define ON_OTHER_PORT(node) +!DT_SAME_NODE(DT_GPIO_CTLR(node, gpios), GPIO_NODE)

/** Bit n: GPIO n is a channel's. */
#define INPUTS (0u DT_INST_FOREACH_CHILD_STATUS_OKAY(0, CHANNEL_BIT))

BUILD_ASSERT(DT_NUM_INST_STATUS_OKAY(DT_DRV_COMPAT) == 1,
	     "one state machine reads all inputs of the chip");
BUILD_ASSERT(0 DT_INST_FOREACH_CHILD_STATUS_OKAY(0, ON_OTHER_PORT) == 0,
	     "the state machine samples gpio0");
BUILD_ASSERT((INPUTS & BIT(MARK_GPIO)) == 0u, "the self-test marks this input");

static const struct gpio_dt_spec inputs[] = {DT_INST_FOREACH_CHILD_STATUS_OKAY(0, CHANNEL_GPIO)};

static const struct pio_channel channels[] = {DT_INST_FOREACH_CHILD_STATUS_OKAY(0, CHANNEL)};

static volatile uint32_t ring[RING_WORDS] __aligned(RING_BYTES);

struct edge_source_pio_data {
	struct pio_machine machine;
	struct pio_edges edges;
	/** next word to read, as dma_ring_written() counts */
	uint32_t tail;
	uint32_t lost;
	/** times that the machine had to be started again */
	uint32_t stalls;
	edge_source_callback_t callback;
	void *user_data;
};

static uint32_t edge_source_pio_ticks(const struct device *dev)
{
	/* 2^32 us are a multiple of 2^32 ticks, so both wrap together. */
	return TICKS_PER_US * timer_hw->timerawl;
}

static void edge_source_pio_get_info(const struct device *dev, struct edge_source_info *info)
{
	*info = (struct edge_source_info){
		.name = "pio",
		.hz = TICKS_HZ,
		.bits = 32,
		.lines = ARRAY_SIZE(channels),
	};
}

static uint32_t edge_source_pio_levels(const struct device *dev)
{
	const struct edge_source_pio_data *source = dev->data;

	/* As of the newest record read, so that those still waiting go on from there. */
	return source->edges.levels;
}

/** The clock that the ticks are made of must be the one that runs. */
static int check_clock(void)
{
	const struct device *clocks = DEVICE_DT_GET(DT_NODELABEL(clocks));
	uint32_t hz = 0;
	int ret =
		clock_control_get_rate(clocks, (clock_control_subsys_t)RPI_PICO_CLKID_CLK_SYS, &hz);

	if (ret == 0 && hz != SYS_HZ) {
		ret = -ENOTSUP;
	}
	if (ret < 0) {
		LOG_ERR("Could not count with clk_sys: it runs at %u Hz, the image needs %u Hz (%d)",
			hz, (uint32_t)SYS_HZ, ret);
	}
	return ret;
}

/** Records have come; no more interrupts until the reader has found no more. */
static void changed(const void *parameter)
{
	const struct device *dev = parameter;
	struct edge_source_pio_data *source = dev->data;

	pio_machine_interrupt(&source->machine, false);
	source->callback(dev, source->user_data);
}

static int edge_source_pio_init(const struct device *dev)
{
	struct edge_source_pio_data *source = dev->data;
	int ret = check_clock();

	for (size_t i = 0; ret == 0 && i < ARRAY_SIZE(inputs); i++) {
		ret = gpio_is_ready_dt(&inputs[i]) ? gpio_pin_configure_dt(&inputs[i], GPIO_INPUT)
						   : -ENODEV;
	}
	if (ret < 0) {
		return ret;
	}
	ret = pio_machine_init(&source->machine, DEVICE_DT_GET(PIO_NODE));
	if (ret < 0) {
		return ret;
	}
	/* Zephyr's devicetree has no interrupts of the PIO. */
	IRQ_CONNECT(PIO0_IRQ_0, DT_IRQ(GPIO_NODE, priority), changed, DEVICE_DT_INST_GET(0), 0);
	irq_enable(PIO0_IRQ_0);
	return 0;
}

static void start_machine(struct edge_source_pio_data *source)
{
	pio_edges_begin(&source->edges, pio_machine_start(&source->machine, TICKS_PER_US));
	source->tail = 0;
}

static int edge_source_pio_start(const struct device *dev, edge_source_callback_t callback,
				 void *user_data, uint32_t *levels)
{
	struct edge_source_pio_data *source = dev->data;

	source->callback = callback;
	source->user_data = user_data;
	source->lost = 0;
	/* A debugger that halts the CPU would stop the timer, but not the machine. */
	timer_hw->dbgpause = 0;
	pio_machine_close_others(INPUTS);
	start_machine(source);
	*levels = source->edges.levels;
	pio_machine_interrupt(&source->machine, true);
	return 0;
}

static void edge_source_pio_stop(const struct device *dev)
{
	struct edge_source_pio_data *source = dev->data;

	pio_machine_stop(&source->machine);
}

static struct pio_record record_at(uint32_t word)
{
	return (struct pio_record){
		.counter = ring[word & (RING_WORDS - 1u)],
		.inputs = ring[(word + 1u) & (RING_WORDS - 1u)],
	};
}

static uint32_t words_held(const struct edge_source_pio_data *source)
{
	return dma_ring_ahead(source->tail, pio_machine_written(&source->machine));
}

/** Whether a record waits; when there is none, the next one interrupts. */
static bool has_record(struct edge_source_pio_data *source)
{
	if (words_held(source) >= RECORD_WORDS) {
		return true;
	}
	/* What comes from here on interrupts; what came before is seen now. */
	pio_machine_forget(&source->machine);
	if (words_held(source) >= RECORD_WORDS) {
		return true;
	}
	pio_machine_interrupt(&source->machine, true);
	return false;
}

/** Own up to all that waits, and go on with the newest record's levels. */
static void drop_all(struct edge_source_pio_data *source)
{
	uint32_t records = words_held(source) / RECORD_WORDS;
	struct pio_record newest;

	source->lost += records;
	source->tail += records * RECORD_WORDS;
	newest = record_at(source->tail - RECORD_WORDS);
	pio_edges_begin(&source->edges, newest.inputs);
}

/** It stood still for an unknown time: own up to what waits and to what it cannot have seen. */
static void recover(struct edge_source_pio_data *source)
{
	LOG_WRN("Lost edges: the state machine's queue was full; it is started again");
	source->lost += words_held(source) / RECORD_WORDS + 1u;
	source->stalls++;
	start_machine(source);
}

/** Read the next record; false when there is none, or when what waited had to be dropped. */
static bool read_record(const struct device *dev, struct pio_record *record)
{
	struct edge_source_pio_data *source = dev->data;
	bool overwritten;

	if (!pio_machine_has_stalled(&source->machine) && !has_record(source)) {
		return false;
	}
	*record = record_at(source->tail);
	/* Asked after reading: it may have been overwritten meanwhile, or be of after a stall. */
	overwritten = words_held(source) >= RING_WORDS;
	if (pio_machine_has_stalled(&source->machine)) {
		recover(source);
	} else if (overwritten) {
		drop_all(source);
	} else {
		source->tail += RECORD_WORDS;
		return true;
	}
	/* The reader takes over the levels first, then comes for what is newer. */
	source->callback(dev, source->user_data);
	return false;
}

static bool edge_source_pio_take(const struct device *dev, struct edge_source_edge *edge)
{
	struct edge_source_pio_data *source = dev->data;
	struct pio_record record;

	while (!pio_edges_take(&source->edges, edge)) {
		if (!read_record(dev, &record)) {
			return false;
		}
		pio_edges_put(&source->edges, &record);
	}
	return true;
}

static uint32_t edge_source_pio_take_lost(const struct device *dev)
{
	struct edge_source_pio_data *source = dev->data;
	uint32_t lost = source->lost;

	source->lost = 0;
	return lost;
}

/** Look for the mark's record among those that wait. */
static bool find_mark(const struct edge_source_pio_data *source, uint32_t *ticks)
{
	uint32_t held = MIN(words_held(source), RING_WORDS);

	for (uint32_t i = 0; i + RECORD_WORDS <= held; i += RECORD_WORDS) {
		struct pio_record record = record_at(source->tail + i);

		if ((record.inputs & BIT(MARK_GPIO)) != 0u) {
			*ticks = pio_edges_reverse(record.counter);
			return true;
		}
	}
	return false;
}

/** Make the machine record now, without an edge; its counter minus the timer's. */
static bool measure_offset(const struct edge_source_pio_data *source, int64_t *offset_ns)
{
	uint32_t at_us = pio_machine_mark(MARK_GPIO);
	uint32_t ticks;
	bool found;

	k_busy_wait(MARK_WAIT_US);
	found = find_mark(source, &ticks);
	pio_machine_unmark(MARK_GPIO);
	if (found) {
		*offset_ns = (int32_t)(ticks - TICKS_PER_US * at_us) *
			     (int64_t)(NSEC_PER_SEC / TICKS_HZ);
	}
	return found;
}

static uint32_t edge_source_pio_check(const struct device *dev, struct edge_source_check *checks,
				      uint32_t max)
{
	const struct edge_source_pio_data *source = dev->data;
	int64_t offset_ns = 0;
	bool found = measure_offset(source, &offset_ns);
	bool agrees = found && offset_ns >= -MOST_OFFSET_NS && offset_ns <= MOST_OFFSET_NS;
	const struct edge_source_check all[] = {
		{"marks_seen_count", found, found ? 1 : 0},
		{"counter_offset_ns", agrees, offset_ns},
		{"stalls_count", source->stalls == 0u, source->stalls},
	};
	uint32_t count = MIN(max, ARRAY_SIZE(all));

	for (uint32_t i = 0; i < count; i++) {
		checks[i] = all[i];
	}
	return count;
}

static const struct edge_source_driver_api edge_source_pio_api = {
	.get_info = edge_source_pio_get_info,
	.ticks = edge_source_pio_ticks,
	.levels = edge_source_pio_levels,
	.start = edge_source_pio_start,
	.stop = edge_source_pio_stop,
	.take = edge_source_pio_take,
	.take_lost = edge_source_pio_take_lost,
	.check = edge_source_pio_check,
};

static struct edge_source_pio_data edge_source_pio_data = {
	.machine = {.ring = ring, .ring_bits = LOG2(RING_BYTES)},
	.edges = {.channels = channels, .count = ARRAY_SIZE(channels)},
};

DEVICE_DT_INST_DEFINE(0, edge_source_pio_init, NULL, &edge_source_pio_data, NULL, POST_KERNEL,
		      CONFIG_RIG_EDGE_SOURCE_INIT_PRIORITY, &edge_source_pio_api);
