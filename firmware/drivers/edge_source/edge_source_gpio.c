/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edges by GPIO interrupt, for any board.
 *
 * The handler reads the counter before anything else, then the level, and puts both into a queue
 * that threads lock for one edge only: it waits for other interrupt handlers and short locks, never
 * for a reply that is being made.
 */
#define DT_DRV_COMPAT resume_rig_gpio_edges

#include "edge_queue.h"

#include <resume_rig/edge_source.h>

#include <zephyr/devicetree.h>
#include <zephyr/drivers/counter.h>
#include <zephyr/drivers/gpio.h>
#include <zephyr/irq.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/atomic.h>
#include <zephyr/sys/util.h>

#define FIFO_EDGES CONFIG_RIG_EDGE_FIFO_EDGES

BUILD_ASSERT(IS_POWER_OF_TWO(FIFO_EDGES), "the queue's indices wrap with a mask");

/** An image without such a counter need not ask, in the handler, whether there is one. */
#define HAS_COUNTER DT_ANY_INST_HAS_PROP_STATUS_OKAY(counter)

/** What latency and jitter leave at least, but where time is simulated. */
#define LEAST_UNCERTAINTY_NS 4000

/** The handler finds all that it needs for the time stamp here, by its first load. */
struct edge_source_gpio_line {
	struct gpio_callback callback;
	const struct device *counter;
	const struct device *source;
};

struct edge_source_gpio_config {
	const struct gpio_dt_spec *pins;
	uint8_t count;
	/** NULL: the system's cycle counter */
	const struct device *counter;
};

struct edge_source_gpio_data {
	struct edge_source_gpio_line *lines;
	struct edge_queue queue;
	/** interrupts whose line had its old level again: pulses too short to be resolved */
	atomic_t short_pulses;
	/** as the newest interrupts saw them; written by them only, once started */
	uint32_t levels;
	edge_source_callback_t callback;
	void *user_data;
};

static inline uint32_t read_counter(const struct device *counter)
{
	if (HAS_COUNTER && counter != NULL) {
		uint32_t ticks = 0;

		(void)counter_get_value(counter, &ticks);
		return ticks;
	}
	return k_cycle_get_32();
}

static void line_changed(const struct device *port, struct gpio_callback *callback,
			 gpio_port_pins_t pins)
{
	struct edge_source_gpio_line *line =
		CONTAINER_OF(callback, struct edge_source_gpio_line, callback);
	uint32_t ticks = read_counter(line->counter);
	const struct edge_source_gpio_config *config = line->source->config;
	struct edge_source_gpio_data *data = line->source->data;
	uint8_t number = (uint8_t)(line - data->lines);
	bool level = gpio_pin_get_dt(&config->pins[number]) > 0;
	unsigned int key = irq_lock();

	/* Handlers of other ports may have a higher priority. */
	if (((data->levels >> number) & 1u) == (level ? 1u : 0u)) {
		atomic_inc(&data->short_pulses);
	} else {
		data->levels ^= BIT(number);
		edge_queue_put(&data->queue, &(struct edge_source_edge){
						     .ticks = ticks,
						     .channel = number,
						     .level = level,
					     });
	}
	irq_unlock(key);
	data->callback(line->source, data->user_data);
}

static void edge_source_gpio_get_info(const struct device *dev, struct edge_source_info *info)
{
	const struct edge_source_gpio_config *config = dev->config;

	*info = (struct edge_source_info){
		.name = "gpio-interrupt",
		.hz = HAS_COUNTER && config->counter != NULL
			      ? counter_get_frequency(config->counter)
			      : sys_clock_hw_cycles_per_sec(),
		.bits = 32,
		.lines = config->count,
	};
}

static uint32_t edge_source_gpio_ticks(const struct device *dev)
{
	const struct edge_source_gpio_config *config = dev->config;

	return read_counter(config->counter);
}

static uint32_t edge_source_gpio_levels(const struct device *dev)
{
	const struct edge_source_gpio_config *config = dev->config;
	uint32_t levels = 0;

	for (size_t i = 0; i < config->count; i++) {
		levels |= gpio_pin_get_dt(&config->pins[i]) > 0 ? BIT(i) : 0u;
	}
	return levels;
}

static void edge_source_gpio_stop(const struct device *dev)
{
	const struct edge_source_gpio_config *config = dev->config;
	struct edge_source_gpio_data *data = dev->data;

	for (size_t i = 0; i < config->count; i++) {
		(void)gpio_pin_interrupt_configure_dt(&config->pins[i], GPIO_INT_DISABLE);
		(void)gpio_remove_callback_dt(&config->pins[i], &data->lines[i].callback);
	}
}

static int edge_source_gpio_start(const struct device *dev, edge_source_callback_t callback,
				  void *user_data, uint32_t *levels)
{
	const struct edge_source_gpio_config *config = dev->config;
	struct edge_source_gpio_data *data = dev->data;

	data->callback = callback;
	data->user_data = user_data;
	data->levels = edge_source_gpio_levels(dev);
	*levels = data->levels;
	edge_queue_clear(&data->queue);
	for (size_t i = 0; i < config->count; i++) {
		const struct gpio_dt_spec *pin = &config->pins[i];
		int ret;

		gpio_init_callback(&data->lines[i].callback, line_changed, BIT(pin->pin));
		ret = gpio_add_callback_dt(pin, &data->lines[i].callback);
		if (ret == 0) {
			ret = gpio_pin_interrupt_configure_dt(pin, GPIO_INT_EDGE_BOTH);
		}
		if (ret < 0) {
			edge_source_gpio_stop(dev);
			return ret;
		}
	}
	return 0;
}

static bool edge_source_gpio_take(const struct device *dev, struct edge_source_edge *edge)
{
	struct edge_source_gpio_data *data = dev->data;
	unsigned int key = irq_lock();
	bool taken = edge_queue_take(&data->queue, edge);

	irq_unlock(key);
	return taken;
}

static uint32_t edge_source_gpio_take_lost(const struct device *dev)
{
	struct edge_source_gpio_data *data = dev->data;
	unsigned int key = irq_lock();
	uint32_t lost = edge_queue_take_lost(&data->queue);

	irq_unlock(key);
	return lost;
}

static uint32_t edge_source_gpio_check(const struct device *dev, struct edge_source_check *checks,
				       uint32_t max)
{
	struct edge_source_gpio_data *data = dev->data;
	int64_t short_pulses = atomic_get(&data->short_pulses);

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

static int init_counter(const struct device *counter)
{
	int ret;

	if (!HAS_COUNTER || counter == NULL) {
		return 0;
	}
	if (!device_is_ready(counter)) {
		return -ENODEV;
	}
	ret = counter_start(counter);
	/* Some counters run from boot and say so. */
	return ret == -EALREADY ? 0 : ret;
}

static int edge_source_gpio_init(const struct device *dev)
{
	const struct edge_source_gpio_config *config = dev->config;
	struct edge_source_gpio_data *data = dev->data;
	int ret = init_counter(config->counter);

	for (size_t i = 0; i < config->count && ret == 0; i++) {
		data->lines[i].counter = config->counter;
		data->lines[i].source = dev;
		ret = gpio_is_ready_dt(&config->pins[i])
			      ? gpio_pin_configure_dt(&config->pins[i], GPIO_INPUT)
			      : -ENODEV;
	}
	return ret;
}

static const struct edge_source_driver_api edge_source_gpio_api = {
	.get_info = edge_source_gpio_get_info,
	.ticks = edge_source_gpio_ticks,
	.levels = edge_source_gpio_levels,
	.start = edge_source_gpio_start,
	.stop = edge_source_gpio_stop,
	.take = edge_source_gpio_take,
	.take_lost = edge_source_gpio_take_lost,
	.check = edge_source_gpio_check,
};

#define PIN(node) GPIO_DT_SPEC_GET(node, gpios),
#define CLAIMS_LESS(node) +(DT_PROP(node, uncertainty_ns) < LEAST_UNCERTAINTY_NS)

#define EDGE_SOURCE_GPIO(inst)                                                                     \
	static const struct gpio_dt_spec pins_##inst[] = {                                         \
		DT_INST_FOREACH_CHILD_STATUS_OKAY(inst, PIN)};                                     \
	static struct edge_source_gpio_line lines_##inst[ARRAY_SIZE(pins_##inst)];                 \
	static struct edge_source_edge slots_##inst[FIFO_EDGES];                                   \
	static const struct edge_source_gpio_config config_##inst = {                              \
		.pins = pins_##inst,                                                               \
		.count = ARRAY_SIZE(pins_##inst),                                                  \
		.counter = DEVICE_DT_GET_OR_NULL(DT_INST_PHANDLE(inst, counter)),                  \
	};                                                                                         \
	static struct edge_source_gpio_data data_##inst = {                                        \
		.lines = lines_##inst,                                                             \
		.queue = {.slots = slots_##inst, .capacity = FIFO_EDGES},                          \
	};                                                                                         \
	BUILD_ASSERT(ARRAY_SIZE(pins_##inst) <= 16, "an edge source has 16 lines at most");        \
	BUILD_ASSERT(IS_ENABLED(CONFIG_BOARD_NATIVE_SIM) || IS_ENABLED(CONFIG_QEMU_TARGET) ||      \
			     0 DT_INST_FOREACH_CHILD_STATUS_OKAY(inst, CLAIMS_LESS) == 0,          \
		     "uncertainty-ns of a line is less than an interrupt's; 20000 is safe");       \
	DEVICE_DT_INST_DEFINE(inst, edge_source_gpio_init, NULL, &data_##inst, &config_##inst,     \
			      POST_KERNEL, CONFIG_RIG_EDGE_SOURCE_INIT_PRIORITY,                   \
			      &edge_source_gpio_api);

DT_INST_FOREACH_STATUS_OKAY(EDGE_SOURCE_GPIO)
