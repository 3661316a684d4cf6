/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the light source to the engine, for as long as the host wants light recorded. A sample's
 * time is that of the first one and its number, never that of a wake-up.
 */
#include "rig_light.h"

#include "rig_devices.h"
#include "rig_engine.h"

#include <resume_rig/edge_source.h>
#include <resume_rig/light_source.h>

#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>
#include <zephyr/sys/util.h>

LOG_MODULE_REGISTER(rig_light, CONFIG_RIG_LOG_LEVEL);

/** A source that brings nothing for so long is stuck. */
#define PATIENCE_MS 500
/** After one that does not start. */
#define PAUSE_MS 100

static K_THREAD_STACK_DEFINE(light_stack, CONFIG_RIG_LIGHT_STACK_SIZE_BYTES);

/** Samples may hold up the end of a press by as much. */
#define HOLD_NS NSEC_PER_MSEC

/** Given while light is to be recorded. */
static K_SEM_DEFINE(wanted_now, 0, 1);

static struct {
	struct k_thread thread;
	struct rig_light_block blocks[CONFIG_RIG_LIGHT_RING_BLOCKS];
	uint16_t onset[CONFIG_RIG_ONSET_SAMPLES];
	uint32_t hz;
	bool has_failed;
	/** longest time for which samples took the lock */
	uint32_t hold_ticks;
} light;

static void describe(struct rig_config *config)
{
	struct light_source_info info;

	light_source_get_info(RIG_PHOTODIODE, &info);
	light.hz = info.hz;
	config->light_slots = light.blocks;
	config->light_capacity = ARRAY_SIZE(light.blocks);
	config->onset = (struct rig_onset_config){
		.slots = light.onset,
		.capacity = ARRAY_SIZE(light.onset),
		.rate_hz = info.hz,
		.full_scale = info.full_scale,
	};
}

static bool wants_light(const struct rig_core *core, uint64_t t_ns)
{
	return t_ns < core->light.armed_until_ns;
}

/** Wake the thread where light is to be recorded. Only with the engine's lock. */
static void call(const struct rig_core *core, uint64_t now_ns)
{
	if (wants_light(core, now_ns)) {
		k_sem_give(&wanted_now);
	}
}

static uint32_t check(struct rig_check *checks, uint32_t max)
{
	struct edge_source_info info;
	uint64_t hold_ns;

	if (max < 1u) {
		return 0;
	}
	edge_source_get_info(RIG_EDGES, &info);
	hold_ns = light.hold_ticks * (uint64_t)NSEC_PER_SEC / info.hz;
	checks[0] = (struct rig_check){
		.name = "light_hold_ns",
		.ok = hold_ns <= HOLD_NS,
		.value = (int64_t)hold_ns,
	};
	return 1;
}

const struct rig_part *rig_light_part(void)
{
	static const struct rig_part part = {.describe = describe, .asked = call, .check = check};

	return &part;
}

uint64_t rig_light_stamp_ns(uint64_t first_ns, uint64_t number, uint32_t hz)
{
	return first_ns + number / hz * NSEC_PER_SEC + number % hz * NSEC_PER_SEC / hz;
}

/** Wait until the host wants light recorded. */
static void await_call(void)
{
	bool wanted = false;

	while (!wanted) {
		const struct rig_core *core;

		(void)k_sem_take(&wanted_now, K_FOREVER);
		/* In two statements: the time is read with the lock held. */
		core = rig_engine_lock();
		wanted = wants_light(core, rig_engine_time_ns(edge_source_ticks(RIG_EDGES)));
		rig_engine_unlock();
	}
}

static uint64_t time_ns(uint32_t ticks)
{
	uint64_t t_ns;

	(void)rig_engine_lock();
	t_ns = rig_engine_time_ns(ticks);
	rig_engine_unlock();
	return t_ns;
}

/** Samples were lost; recording may go on at once. */
static void own_up(void)
{
	struct rig_core *core = rig_engine_lock();

	rig_core_lose_light(core, 1);
	call(core, rig_engine_time_ns(edge_source_ticks(RIG_EDGES)));
	rig_engine_unlock();
}

/** How long the lock is held is measured. */
static bool record_piece(uint64_t t_ns, const uint16_t *counts, uint32_t count)
{
	struct rig_core *core = rig_engine_lock();
	uint32_t before = edge_source_ticks(RIG_EDGES);
	uint32_t taken;
	bool wanted;

	rig_light_samples(&core->light, t_ns, counts, count);
	wanted = wants_light(core, t_ns);
	taken = edge_source_ticks(RIG_EDGES) - before;
	light.hold_ticks = MAX(light.hold_ticks, taken);
	rig_engine_unlock();
	return wanted;
}

/** One batch, in pieces, so that no lock is held for long; whether the host wants more. */
static bool hand_over(uint64_t first_ns, uint64_t number, const uint16_t *counts, uint32_t count)
{
	bool wanted = true;

	for (uint32_t done = 0; done < count && wanted; done += CONFIG_RIG_LIGHT_SAMPLES_AT_ONCE) {
		uint32_t piece = MIN(count - done, CONFIG_RIG_LIGHT_SAMPLES_AT_ONCE);

		wanted = record_piece(rig_light_stamp_ns(first_ns, number + done, light.hz),
				      &counts[done], piece);
	}
	return wanted;
}

/** 0 when the host wants no more. */
static int record(void)
{
	const uint16_t *counts;
	uint32_t first_ticks;
	uint64_t first_ns;
	uint64_t number = 0;
	bool wanted = true;
	int ret = light_source_start(RIG_PHOTODIODE, &first_ticks);

	if (ret < 0) {
		return ret;
	}
	first_ns = time_ns(first_ticks);
	while (wanted) {
		ret = light_source_take(RIG_PHOTODIODE, &counts, K_MSEC(PATIENCE_MS));
		if (ret <= 0) {
			light_source_stop(RIG_PHOTODIODE);
			return ret == 0 ? -ETIMEDOUT : ret;
		}
		wanted = hand_over(first_ns, number, counts, (uint32_t)ret);
		number += (uint32_t)ret;
	}
	light_source_stop(RIG_PHOTODIODE);
	return 0;
}

static void run(void *unused1, void *unused2, void *unused3)
{
	while (true) {
		int ret;

		await_call();
		ret = record();
		if (ret == 0) {
			continue;
		}
		own_up();
		if (ret != -EOVERFLOW) {
			if (!light.has_failed) {
				LOG_ERR("Could not sample the photodiode (%d)", ret);
			}
			light.has_failed = true;
			k_sleep(K_MSEC(PAUSE_MS));
		}
	}
}

void rig_light_start(void)
{
	(void)k_thread_create(&light.thread, light_stack, K_THREAD_STACK_SIZEOF(light_stack), run,
			      NULL, NULL, NULL, CONFIG_RIG_LIGHT_PRIORITY, 0, K_NO_WAIT);
	(void)k_thread_name_set(&light.thread, "rig_light");
}
