/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edges by timer capture: the hardware stamps both edges, so no software latency is in a stamp.
 *
 * The interrupt of a timer may be late: what it reads is the time at which the edge was. Only what
 * happens within that latency on the same channel is lost, and counted (capture_judge.h). A 16-bit
 * timer also interrupts at each lap, so that a capture that may be a lap old is known as such.
 */
#define DT_DRV_COMPAT resume_rig_stm32_capture_edges

#include "capture_judge.h"
#include "capture_time.h"
#include "capture_timers.h"
#include "edge_queue.h"

#include <resume_rig/edge_source.h>

#include <zephyr/device.h>
#include <zephyr/drivers/gpio.h>
#include <zephyr/drivers/pinctrl.h>
#include <zephyr/irq.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/util.h>

#define FIFO_EDGES CONFIG_RIG_EDGE_FIFO_EDGES
/** A channel whose line never rests is started all the same. */
#define START_TRIES 8u

BUILD_ASSERT(IS_POWER_OF_TWO(FIFO_EDGES), "the queue's indices wrap with a mask");

struct capture_channel {
	struct gpio_dt_spec pin;
	uint8_t timer;
	/** 0 to 3 for the timer's inputs 1 to 4 */
	uint8_t input;
};

/** 1 more than the index of a channel's timer where it is this one, else 0. */
#define INDEX_IF_SAME(node, prop, idx, channel)                                                    \
	+(DT_SAME_NODE(CAPTURE_TIMER_NODE(idx), DT_PHANDLE(channel, capture_timer)) ? (idx) + 1 : 0)

#define TIMER_OF(channel)                                                                          \
	(DT_FOREACH_PROP_ELEM_VARGS(CAPTURE_CHANNELS_NODE, capture_timers, INDEX_IF_SAME,          \
				    channel) -                                                     \
	 1)

#define CAPTURE_CHANNEL(node)                                                                      \
	{                                                                                          \
		.pin = GPIO_DT_SPEC_GET(node, gpios),                                              \
		.timer = TIMER_OF(node),                                                           \
		.input = DT_PROP(node, capture_input) - 1,                                         \
	},

static const struct capture_channel channels[] = {
	DT_FOREACH_CHILD_STATUS_OKAY(CAPTURE_CHANNELS_NODE, CAPTURE_CHANNEL)};

#define CHECK_CHANNEL(node)                                                                        \
	BUILD_ASSERT(TIMER_OF(node) >= 0, "capture-timer is not among capture-timers");            \
	BUILD_ASSERT((DT_GPIO_FLAGS(node, gpios) & ~GPIO_ACTIVE_LOW) == 0,                         \
		     "a captured pin is set up by pinctrl, its pull resistor too");

DT_FOREACH_CHILD_STATUS_OKAY(CAPTURE_CHANNELS_NODE, CHECK_CHANNEL)

#define CHECK_TIMER(node, prop, idx)                                                               \
	BUILD_ASSERT(DT_NUM_IRQS(CAPTURE_TIMER_NODE(idx)) == 1, "one interrupt is for everything");

DT_FOREACH_PROP_ELEM(CAPTURE_CHANNELS_NODE, capture_timers, CHECK_TIMER)

BUILD_ASSERT(ARRAY_SIZE(channels) <= 16, "an edge source has 16 lines at most");
BUILD_ASSERT(DT_NUM_INST_STATUS_OKAY(DT_DRV_COMPAT) == 1, "one timeline is for all lines");

PINCTRL_DT_DEFINE(CAPTURE_CHANNELS_NODE);

struct edge_source_stm32_data {
	struct edge_source_edge slots[FIFO_EDGES];
	struct edge_queue queue;
	/** timeline when a timer's interrupt last began to look */
	uint32_t served[CAPTURE_TIMER_COUNT];
	enum capture_level levels[ARRAY_SIZE(channels)];
	uint32_t short_pulses;
	uint32_t over_captures;
	uint32_t late_captures;
	/** not reported yet */
	uint32_t lost;
	edge_source_callback_t callback;
	void *user_data;
};

/* ------------------------------------------------------------------------------- registers -- */

static TIM_TypeDef *registers_of(const struct capture_channel *channel)
{
	return capture_timers_registers(channel->timer);
}

static uint32_t capture_flag(const struct capture_channel *channel)
{
	return TIM_SR_CC1IF << channel->input;
}

/** A flag is cleared by writing 0; those written 1 stay as they are. */
static void clear(TIM_TypeDef *registers, uint32_t flags)
{
	registers->SR = ~flags;
}

/** Reading the register clears the capture flag. */
static uint32_t take(void *context)
{
	const struct capture_channel *channel = context;

	return (&registers_of(channel)->CCR1)[channel->input];
}

static bool take_over(void *context)
{
	const struct capture_channel *channel = context;
	uint32_t flag = TIM_SR_CC1OF << channel->input;
	bool is_set = (registers_of(channel)->SR & flag) != 0u;

	if (is_set) {
		clear(registers_of(channel), flag);
	}
	return is_set;
}

static bool has_capture(void *context)
{
	const struct capture_channel *channel = context;

	return (registers_of(channel)->SR & capture_flag(channel)) != 0u;
}

/** Zephyr knows the polarity of pins that it configures; these are the timers'. */
static bool level(void *context)
{
	const struct capture_channel *channel = context;
	bool is_high = gpio_pin_get_raw(channel->pin.port, channel->pin.pin) > 0;

	return is_high != ((channel->pin.dt_flags & GPIO_ACTIVE_LOW) != 0u);
}

static struct capture_port port_of(const struct capture_channel *channel)
{
	return (struct capture_port){
		.take = take,
		.take_over = take_over,
		.has_capture = has_capture,
		.level = level,
		.context = (void *)channel,
	};
}

/* ------------------------------------------------------------------------------- interrupt -- */

static void serve_channel(struct edge_source_stm32_data *source, uint8_t number)
{
	const struct capture_channel *channel = &channels[number];
	const struct capture_port port = port_of(channel);
	struct capture_seen seen = capture_look(&port, source->levels[number]);
	const struct capture_reading reading = {
		.bits = capture_timers_bits(channel->timer),
		.offset_ticks = capture_timers_offset_ticks(channel->timer),
		.captured = seen.captured,
		.now = capture_timers_now(),
		.served = source->served[channel->timer],
	};
	uint32_t ticks;
	bool placed = capture_place(&reading, &ticks);
	struct capture_verdict verdict = capture_judge(&source->levels[number], &seen, placed);

	if (verdict.is_edge) {
		edge_queue_put(&source->queue, &(struct edge_source_edge){
						       .ticks = ticks,
						       .channel = number,
						       .level = verdict.level,
					       });
	}
	source->lost += verdict.lost;
	source->short_pulses += verdict.is_short ? 1u : 0u;
	source->over_captures += seen.over ? 1u : 0u;
	source->late_captures += placed ? 0u : 1u;
}

static void timer_interrupt(const void *parameter)
{
	uint32_t timer = POINTER_TO_UINT(parameter);
	const struct device *dev = DEVICE_DT_INST_GET(0);
	struct edge_source_stm32_data *source = dev->data;
	TIM_TypeDef *registers = capture_timers_registers(timer);
	unsigned int key = irq_lock();
	/* Captures that this look does not find are younger. */
	uint32_t began = capture_timers_now();
	uint32_t flags = registers->SR;
	bool captured = false;

	clear(registers, TIM_SR_UIF);
	for (uint8_t i = 0; i < ARRAY_SIZE(channels); i++) {
		if (channels[i].timer == timer && (flags & capture_flag(&channels[i])) != 0u) {
			serve_channel(source, i);
			captured = true;
		}
	}
	source->served[timer] = began;
	irq_unlock(key);
	if (captured) {
		source->callback(dev, source->user_data);
	}
}

#define CONNECT_TIMER(node, prop, idx)                                                             \
	IRQ_CONNECT(DT_IRQN(CAPTURE_TIMER_NODE(idx)), DT_IRQ(CAPTURE_TIMER_NODE(idx), priority),   \
		    timer_interrupt, UINT_TO_POINTER(idx), 0);                                     \
	irq_enable(DT_IRQN(CAPTURE_TIMER_NODE(idx)));

/* ------------------------------------------------------------------------------- interface -- */

static void edge_source_stm32_get_info(const struct device *dev, struct edge_source_info *info)
{
	*info = (struct edge_source_info){
		.name = "timer-capture",
		.hz = CONFIG_RIG_EDGE_CAPTURE_HZ,
		.bits = 32,
		.lines = ARRAY_SIZE(channels),
	};
}

static uint32_t edge_source_stm32_ticks(const struct device *dev)
{
	return capture_timers_now();
}

static int edge_source_stm32_init(const struct device *dev)
{
	struct edge_source_stm32_data *source = dev->data;
	int ret = pinctrl_apply_state(PINCTRL_DT_DEV_CONFIG_GET(CAPTURE_CHANNELS_NODE),
				      PINCTRL_STATE_DEFAULT);

	source->queue = (struct edge_queue){.slots = source->slots, .capacity = FIFO_EDGES};
	if (ret < 0) {
		return ret;
	}
	for (size_t i = 0; i < ARRAY_SIZE(channels); i++) {
		if (!gpio_is_ready_dt(&channels[i].pin)) {
			return -ENODEV;
		}
	}
	ret = capture_timers_start();
	if (ret < 0) {
		return ret;
	}
	DT_FOREACH_PROP_ELEM(CAPTURE_CHANNELS_NODE, capture_timers, CONNECT_TIMER)
	return 0;
}

static uint32_t edge_source_stm32_levels(const struct device *dev)
{
	uint32_t levels = 0;

	for (size_t i = 0; i < ARRAY_SIZE(channels); i++) {
		levels |= level((void *)&channels[i]) ? BIT(i) : 0u;
	}
	return levels;
}

/** Captures from here on are of edges after the level that is returned. */
static enum capture_level start_channel(const struct capture_channel *channel)
{
	const struct capture_port port = port_of(channel);
	TIM_TypeDef *registers = registers_of(channel);
	uint32_t ll_channel = TIM_CCER_CC1E << (4u * channel->input);
	struct capture_seen seen;

	LL_TIM_IC_Config(registers, ll_channel,
			 LL_TIM_ACTIVEINPUT_DIRECTTI | LL_TIM_ICPSC_DIV1 | LL_TIM_IC_FILTER_FDIV1 |
				 LL_TIM_IC_POLARITY_BOTHEDGE);
	LL_TIM_CC_EnableChannel(registers, ll_channel);
	for (uint32_t i = 0; i < START_TRIES; i++) {
		seen = capture_look(&port, CAPTURE_UNKNOWN);
		if (!seen.again) {
			break;
		}
	}
	registers->DIER |= TIM_DIER_CC1IE << channel->input;
	return seen.again ? CAPTURE_UNKNOWN : capture_level_of(seen.level);
}

static int edge_source_stm32_start(const struct device *dev, edge_source_callback_t callback,
				   void *user_data, uint32_t *levels)
{
	struct edge_source_stm32_data *source = dev->data;
	unsigned int key = irq_lock();

	source->callback = callback;
	source->user_data = user_data;
	edge_queue_clear(&source->queue);
	for (uint32_t i = 0; i < CAPTURE_TIMER_COUNT; i++) {
		source->served[i] = capture_timers_now();
		clear(capture_timers_registers(i), TIM_SR_UIF);
		if (capture_timers_bits(i) < 32u) {
			LL_TIM_EnableIT_UPDATE(capture_timers_registers(i));
		}
	}
	*levels = 0;
	for (size_t i = 0; i < ARRAY_SIZE(channels); i++) {
		source->levels[i] = start_channel(&channels[i]);
		*levels |= source->levels[i] == CAPTURE_HIGH ? BIT(i) : 0u;
	}
	irq_unlock(key);
	return 0;
}

static void edge_source_stm32_stop(const struct device *dev)
{
	for (uint32_t i = 0; i < CAPTURE_TIMER_COUNT; i++) {
		capture_timers_registers(i)->DIER = 0;
		capture_timers_registers(i)->CCER = 0;
	}
}

static bool edge_source_stm32_take(const struct device *dev, struct edge_source_edge *edge)
{
	struct edge_source_stm32_data *source = dev->data;
	unsigned int key = irq_lock();
	bool taken = edge_queue_take(&source->queue, edge);

	irq_unlock(key);
	return taken;
}

static uint32_t edge_source_stm32_take_lost(const struct device *dev)
{
	struct edge_source_stm32_data *source = dev->data;
	unsigned int key = irq_lock();
	uint32_t lost = edge_queue_take_lost(&source->queue) + source->lost;

	source->lost = 0;
	irq_unlock(key);
	return lost;
}

/** A count that stays 0 for as long as all edges could be told apart. */
static struct edge_source_check zero(const char *name, uint32_t count)
{
	return (struct edge_source_check){.name = name, .ok = count == 0u, .value = count};
}

static uint32_t edge_source_stm32_check(const struct device *dev, struct edge_source_check *checks,
					uint32_t max)
{
	const struct edge_source_stm32_data *source = dev->data;
	const struct edge_source_check counts[] = {
		zero("short_pulses_count", source->short_pulses),
		zero("over_captures_count", source->over_captures),
		zero("late_captures_count", source->late_captures),
	};
	uint32_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(counts) && count < max; i++) {
		checks[count++] = counts[i];
	}
	for (uint32_t i = 1; i < CAPTURE_TIMER_COUNT && count < max; i++) {
		int32_t drift_ticks = capture_timers_drift_ticks(i);

		checks[count++] = (struct edge_source_check){
			.name = capture_timers_drift_name(i),
			.ok = drift_ticks == 0,
			.value = drift_ticks,
		};
	}
	return count;
}

static const struct edge_source_driver_api edge_source_stm32_api = {
	.get_info = edge_source_stm32_get_info,
	.ticks = edge_source_stm32_ticks,
	.levels = edge_source_stm32_levels,
	.start = edge_source_stm32_start,
	.stop = edge_source_stm32_stop,
	.take = edge_source_stm32_take,
	.take_lost = edge_source_stm32_take_lost,
	.check = edge_source_stm32_check,
};

static struct edge_source_stm32_data edge_source_stm32_data;

DEVICE_DT_INST_DEFINE(0, edge_source_stm32_init, NULL, &edge_source_stm32_data, NULL, POST_KERNEL,
		      CONFIG_RIG_EDGE_SOURCE_INIT_PRIORITY, &edge_source_stm32_api);
