/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One signal starts those that can hear it (capture-start-timer; inputs by the table of Linux's
 * stm32-timer-trigger): the prescalers of TIM2 and TIM5 then run in step, and TIM9 or
 * TIM15 on the other bus are behind by two of their clocks at most. TIM13 and TIM14 have no slave
 * mode; code starts them right after. What is between the counts is measured, for all of them.
 */
#include "capture_timers.h"

#include "capture_time.h"
#include "stm32_timer.h"
#include "timer_rate.h"

#include <errno.h>
#include <zephyr/irq.h>
#include <zephyr/logging/log.h>
#include <zephyr/sys/util.h>

LOG_MODULE_REGISTER(capture_timers, CONFIG_RIG_EDGE_SOURCE_LOG_LEVEL);

#define MAX_PRESCALER 65536u
/** Entry of capture-start-inputs for a timer without slave mode. */
#define NO_START_INPUT 255u
/** Readings that bound an offset, at different phases of the counters. */
#define OFFSET_READINGS 64u

struct capture_timer {
	struct stm32_timer timer;
	uint32_t bits;
	/** number of the internal trigger that starts it */
	uint32_t start_input;
	const char *drift_name;
};

#define CAPTURE_TIMER(node, prop, idx)                                                             \
	{                                                                                          \
		.timer = STM32_TIMER(CAPTURE_TIMER_NODE(idx)),                                     \
		.bits = IS_TIM_32B_COUNTER_INSTANCE(CAPTURE_TIMER_REGISTERS(idx)) ? 32 : 16,       \
		.start_input = DT_PROP_BY_IDX(node, capture_start_inputs, idx),                    \
		.drift_name = DT_PROP_BY_IDX(node, capture_timer_names, idx) "_drift_ticks",       \
	},

static const struct capture_timer timers[] = {
	DT_FOREACH_PROP_ELEM(CAPTURE_CHANNELS_NODE, capture_timers, CAPTURE_TIMER)};

static const struct stm32_timer starter =
	STM32_TIMER(DT_PHANDLE(CAPTURE_CHANNELS_NODE, capture_start_timer));

BUILD_ASSERT(IS_TIM_32B_COUNTER_INSTANCE(CAPTURE_TIMER_REGISTERS(0)), "the timeline has 32 bits");
BUILD_ASSERT(DT_PROP_LEN(CAPTURE_CHANNELS_NODE, capture_start_inputs) == CAPTURE_TIMER_COUNT &&
		     DT_PROP_LEN(CAPTURE_CHANNELS_NODE, capture_timer_names) == CAPTURE_TIMER_COUNT,
	     "capture-timers, their names and their start inputs go together");

static struct {
	/** as measured at start */
	struct capture_offset offsets[CAPTURE_TIMER_COUNT];
	int32_t offset_ticks[CAPTURE_TIMER_COUNT];
} state;

static bool is_started_together(const struct capture_timer *timer)
{
	return timer->start_input != NO_START_INPUT;
}

/** Prescale to the common rate; the counter stands at 0. */
static int prepare(const struct stm32_timer *timer, uint32_t bits)
{
	uint32_t clock_hz;
	uint32_t divisor;
	int ret = stm32_timer_take(timer, &clock_hz);

	if (ret < 0) {
		return ret;
	}
	ret = timer_divide(clock_hz, CONFIG_RIG_EDGE_CAPTURE_HZ, MAX_PRESCALER, &divisor);
	if (ret < 0) {
		LOG_ERR("Could not make %u Hz of a timer's %u Hz; a whole number up to %u divides",
			CONFIG_RIG_EDGE_CAPTURE_HZ, clock_hz, MAX_PRESCALER);
		return ret;
	}
	LL_TIM_SetPrescaler(timer->registers, divisor - 1u);
	LL_TIM_SetAutoReload(timer->registers, UINT32_MAX >> (32u - bits));
	/* The prescaler is taken over by an update, which is to leave no flag. */
	LL_TIM_SetUpdateSource(timer->registers, LL_TIM_UPDATESOURCE_COUNTER);
	LL_TIM_GenerateEvent_UPDATE(timer->registers);
	return 0;
}

static int prepare_all(void)
{
	int ret = prepare(&starter, 16);

	for (size_t i = 0; i < ARRAY_SIZE(timers) && ret == 0; i++) {
		ret = prepare(&timers[i].timer, timers[i].bits);
	}
	return ret;
}

static void start_all(void)
{
	unsigned int key;

	for (size_t i = 0; i < ARRAY_SIZE(timers); i++) {
		if (is_started_together(&timers[i])) {
			LL_TIM_SetTriggerInput(timers[i].timer.registers,
					       timers[i].start_input << TIM_SMCR_TS_Pos);
			LL_TIM_SetSlaveMode(timers[i].timer.registers, LL_TIM_SLAVEMODE_TRIGGER);
		}
	}
	LL_TIM_SetTriggerOutput(starter.registers, LL_TIM_TRGO_ENABLE);
	key = irq_lock();
	LL_TIM_EnableCounter(starter.registers);
	for (size_t i = 0; i < ARRAY_SIZE(timers); i++) {
		LL_TIM_EnableCounter(timers[i].timer.registers);
	}
	irq_unlock(key);
	LL_TIM_DisableCounter(starter.registers);
}

static struct capture_offset measure(uint32_t timer)
{
	struct capture_offset offset;

	capture_offset_begin(&offset);
	for (uint32_t i = 0; i < OFFSET_READINGS; i++) {
		unsigned int key = irq_lock();
		uint32_t before = capture_timers_now();
		uint32_t count = LL_TIM_GetCounter(timers[timer].timer.registers);
		uint32_t after = capture_timers_now();

		irq_unlock(key);
		capture_offset_narrow(&offset, timers[timer].bits, before, count, after);
	}
	return offset;
}

static int find_offset(uint32_t timer)
{
	struct capture_offset offset = measure(timer);
	int32_t doubt_ticks = capture_offset_doubt_ticks(&offset);
	int32_t ticks = capture_offset_ticks(&offset, is_started_together(&timers[timer]));

	LOG_DBG("%s: offset %d, known to %d ticks", timers[timer].drift_name, ticks, doubt_ticks);
	if (doubt_ticks < 1 || doubt_ticks > (int32_t)CAPTURE_SLACK_TICKS) {
		LOG_ERR("Could not tell how far a timer is from the first (%s): known to %d ticks; "
			"1 to %u are allowed",
			timers[timer].drift_name, doubt_ticks, CAPTURE_SLACK_TICKS);
		return -EIO;
	}
	state.offsets[timer] = offset;
	state.offset_ticks[timer] = ticks;
	return 0;
}

int capture_timers_start(void)
{
	int ret = prepare_all();

	if (ret < 0) {
		return ret;
	}
	start_all();
	for (uint32_t i = 1; i < ARRAY_SIZE(timers) && ret == 0; i++) {
		ret = find_offset(i);
	}
	return ret;
}

TIM_TypeDef *capture_timers_registers(uint32_t timer)
{
	return timers[timer].timer.registers;
}

uint32_t capture_timers_bits(uint32_t timer)
{
	return timers[timer].bits;
}

int32_t capture_timers_offset_ticks(uint32_t timer)
{
	return state.offset_ticks[timer];
}

int32_t capture_timers_drift_ticks(uint32_t timer)
{
	struct capture_offset now = measure(timer);

	return capture_offset_drift_ticks(&state.offsets[timer], &now);
}

const char *capture_timers_drift_name(uint32_t timer)
{
	return timers[timer].drift_name;
}
