/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The timers that capture edges: capture-timers of the devicetree, in its order. They count at one
 * rate (CONFIG_RIG_EDGE_CAPTURE_HZ); the first is the timeline.
 */
#ifndef CAPTURE_TIMERS_H
#define CAPTURE_TIMERS_H

#include <stdint.h>
#include <stm32_ll_tim.h>
#include <zephyr/devicetree.h>

#define CAPTURE_CHANNELS_NODE DT_INST(0, resume_rig_stm32_capture_edges)
#define CAPTURE_TIMER_COUNT DT_PROP_LEN(CAPTURE_CHANNELS_NODE, capture_timers)
#define CAPTURE_TIMER_NODE(idx) DT_PHANDLE_BY_IDX(CAPTURE_CHANNELS_NODE, capture_timers, idx)
#define CAPTURE_TIMER_REGISTERS(idx) ((TIM_TypeDef *)DT_REG_ADDR(CAPTURE_TIMER_NODE(idx)))

/**
 * Start all timers, and find out how far their counts lie apart.
 *
 * @retval 0
 * @retval -ENODEV clock or reset controller is not ready
 * @retval -EINVAL a timer's clock is no multiple of the rate
 * @retval -EIO the counts do not go together
 * @retval -errno of the clock control that refused
 */
int capture_timers_start(void);

/** @return registers of a timer */
TIM_TypeDef *capture_timers_registers(uint32_t timer);

/** @return width of its counter in bits, 16 or 32 */
uint32_t capture_timers_bits(uint32_t timer);

/** @return its count less that of the timeline */
int32_t capture_timers_offset_ticks(uint32_t timer);

/**
 * Measure that again.
 *
 * @return by how much it changed at least, 0 when it may be the same
 */
int32_t capture_timers_drift_ticks(uint32_t timer);

/** @return name of that change in the self-test */
const char *capture_timers_drift_name(uint32_t timer);

/** @return count of the timeline; ISR-safe */
static inline uint32_t capture_timers_now(void)
{
	return LL_TIM_GetCounter(CAPTURE_TIMER_REGISTERS(0));
}

#endif
