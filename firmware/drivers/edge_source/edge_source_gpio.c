/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edges by GPIO interrupt, for any board.
 *
 * The handler reads the counter before anything else, then the level, and puts both into a queue
 * that threads lock for one edge only: it waits for other interrupt handlers and short locks, never
 * for a reply that is being made.
 */
#include "edge_queue.h"
#include "edge_source.h"

#include <zephyr/device.h>
#include <zephyr/devicetree.h>
#include <zephyr/drivers/counter.h>
#include <zephyr/drivers/gpio.h>
#include <zephyr/irq.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/atomic.h>
#include <zephyr/sys/util.h>

#define CHANNELS_NODE DT_INST(0, resume_rig_channels)
#define RIG_NODE DT_INST(0, resume_rig_rig)
#define HAS_COUNTER DT_NODE_HAS_PROP(RIG_NODE, edge_counter)
#define CHANNEL_GPIO(node) GPIO_DT_SPEC_GET(node, gpios),

#define FIFO_EDGES CONFIG_RIG_EDGE_FIFO_EDGES

BUILD_ASSERT(IS_POWER_OF_TWO(FIFO_EDGES), "the queue's indices wrap with a mask");

static const struct gpio_dt_spec channels[] = {
	DT_FOREACH_CHILD_STATUS_OKAY(CHANNELS_NODE, CHANNEL_GPIO)};

BUILD_ASSERT(ARRAY_SIZE(channels) <= 16, "a rig has 16 channels at most");

/** What latency and jitter leave at least, but where time is simulated. */
#define LEAST_UNCERTAINTY_NS 4000
#define CLAIMS_LESS(node) +(DT_PROP(node, uncertainty_ns) < LEAST_UNCERTAINTY_NS)

BUILD_ASSERT(IS_ENABLED(CONFIG_BOARD_NATIVE_SIM) || IS_ENABLED(CONFIG_QEMU_TARGET) ||
		     0 DT_FOREACH_CHILD_STATUS_OKAY(CHANNELS_NODE, CLAIMS_LESS) == 0,
	     "uncertainty-ns of the channels is less than an interrupt's; 20000 is safe");

static struct {
	struct gpio_callback callbacks[ARRAY_SIZE(channels)];
	struct edge_source_edge slots[FIFO_EDGES];
	struct edge_queue queue;
	/** interrupts whose channel had its old level again: pulses too short to be resolved */
	atomic_t short_pulses;
	/** as the newest interrupts saw them; written by them only, once started */
	uint32_t levels;
	void (*wake)(void);
} source;

uint32_t edge_source_ticks(void)
{
#if HAS_COUNTER
	uint32_t ticks = 0;

	(void)counter_get_value(DEVICE_DT_GET(DT_PHANDLE(RIG_NODE, edge_counter)), &ticks);
	return ticks;
#else
	return k_cycle_get_32();
#endif
}

uint32_t edge_source_bits(void)
{
	return 32;
}

uint32_t edge_source_hz(void)
{
#if HAS_COUNTER
	return counter_get_frequency(DEVICE_DT_GET(DT_PHANDLE(RIG_NODE, edge_counter)));
#else
	return sys_clock_hw_cycles_per_sec();
#endif
}

static void channel_changed(const struct device *port, struct gpio_callback *callback,
			    gpio_port_pins_t pins)
{
	uint32_t ticks = edge_source_ticks();
	uint8_t channel = (uint8_t)(callback - source.callbacks);
	bool level = gpio_pin_get_dt(&channels[channel]) > 0;
	unsigned int key = irq_lock();

	/* Handlers of other ports may have a higher priority. */
	if (((source.levels >> channel) & 1u) == (level ? 1u : 0u)) {
		atomic_inc(&source.short_pulses);
	} else {
		source.levels ^= BIT(channel);
		edge_queue_put(&source.queue, &(struct edge_source_edge){
						      .ticks = ticks,
						      .channel = channel,
						      .level = level,
					      });
	}
	irq_unlock(key);
	source.wake();
}

static int init_counter(void)
{
#if HAS_COUNTER
	const struct device *counter = DEVICE_DT_GET(DT_PHANDLE(RIG_NODE, edge_counter));

	if (!device_is_ready(counter)) {
		return -ENODEV;
	}
	return counter_start(counter);
#else
	return 0;
#endif
}

int edge_source_init(void)
{
	int ret = init_counter();

	source.queue = (struct edge_queue){.slots = source.slots, .capacity = FIFO_EDGES};
	/* Some counters run from boot and say so. */
	if (ret < 0 && ret != -EALREADY) {
		return ret;
	}
	for (size_t i = 0; i < ARRAY_SIZE(channels); i++) {
		if (!gpio_is_ready_dt(&channels[i])) {
			return -ENODEV;
		}
		ret = gpio_pin_configure_dt(&channels[i], GPIO_INPUT);
		if (ret < 0) {
			return ret;
		}
	}
	return 0;
}

uint32_t edge_source_levels(void)
{
	uint32_t levels = 0;

	for (size_t i = 0; i < ARRAY_SIZE(channels); i++) {
		levels |= gpio_pin_get_dt(&channels[i]) > 0 ? BIT(i) : 0u;
	}
	return levels;
}

int edge_source_start(void (*wake)(void), uint32_t *levels)
{
	source.wake = wake;
	source.levels = edge_source_levels();
	*levels = source.levels;
	edge_queue_clear(&source.queue);
	for (size_t i = 0; i < ARRAY_SIZE(channels); i++) {
		int ret;

		gpio_init_callback(&source.callbacks[i], channel_changed, BIT(channels[i].pin));
		ret = gpio_add_callback_dt(&channels[i], &source.callbacks[i]);
		if (ret == 0) {
			ret = gpio_pin_interrupt_configure_dt(&channels[i], GPIO_INT_EDGE_BOTH);
		}
		if (ret < 0) {
			return ret;
		}
	}
	return 0;
}

void edge_source_stop(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(channels); i++) {
		(void)gpio_pin_interrupt_configure_dt(&channels[i], GPIO_INT_DISABLE);
		(void)gpio_remove_callback_dt(&channels[i], &source.callbacks[i]);
	}
}

bool edge_source_take(struct edge_source_edge *edge)
{
	unsigned int key = irq_lock();
	bool taken = edge_queue_take(&source.queue, edge);

	irq_unlock(key);
	return taken;
}

uint32_t edge_source_take_lost(void)
{
	unsigned int key = irq_lock();
	uint32_t lost = edge_queue_take_lost(&source.queue);

	irq_unlock(key);
	return lost;
}

const char *edge_source_name(void)
{
	return "gpio-interrupt";
}

uint32_t edge_source_check(struct edge_source_check *checks, uint32_t max)
{
	int64_t short_pulses = atomic_get(&source.short_pulses);

	if (max < 1u) {
		return 0;
	}
	checks[0] = (struct edge_source_check){
		.name = "short_pulses_count",
		.ok = short_pulses == 0,
		.value = short_pulses,
	};
	return 1;
}
