/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the light source to the engine, for as long as the host wants light recorded. A sample's
 * time is that of the first one and its number, never that of a wake-up.
 */
#include "rig_light.h"

#include "light_source.h"
#include "rig_engine.h"

#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>
#include <zephyr/sys/util.h>

LOG_MODULE_REGISTER(rig_light, CONFIG_RIG_LOG_LEVEL);

/** A source that brings nothing for so long is stuck. */
#define PATIENCE_MS 500
/** After one that does not start. */
#define PAUSE_MS 100

static K_THREAD_STACK_DEFINE(light_stack, CONFIG_RIG_LIGHT_STACK_SIZE_BYTES);

static struct {
	struct k_thread thread;
	bool has_failed;
} light;

uint64_t rig_light_stamp_ns(uint64_t first_ns, uint64_t number, uint32_t hz)
{
	return first_ns + number / hz * NSEC_PER_SEC + number % hz * NSEC_PER_SEC / hz;
}

/** One batch, in pieces, so that no lock is held for long; whether the host wants more. */
static bool hand_over(uint64_t first_ns, uint64_t number, const uint16_t *counts, uint32_t count)
{
	uint32_t hz = light_source_hz();
	bool wanted = true;

	for (uint32_t done = 0; done < count && wanted; done += CONFIG_RIG_LIGHT_SAMPLES_AT_ONCE) {
		uint32_t piece = MIN(count - done, CONFIG_RIG_LIGHT_SAMPLES_AT_ONCE);

		wanted = rig_engine_light(rig_light_stamp_ns(first_ns, number + done, hz),
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
	int ret = light_source_start(&first_ticks);

	if (ret < 0) {
		return ret;
	}
	first_ns = rig_engine_time_ns(first_ticks);
	while (wanted) {
		ret = light_source_take(&counts, K_MSEC(PATIENCE_MS));
		if (ret <= 0) {
			light_source_stop();
			return ret == 0 ? -ETIMEDOUT : ret;
		}
		wanted = hand_over(first_ns, number, counts, (uint32_t)ret);
		number += (uint32_t)ret;
	}
	light_source_stop();
	return 0;
}

static void run(void *unused1, void *unused2, void *unused3)
{
	while (true) {
		int ret;

		rig_engine_await_light();
		ret = record();
		if (ret == 0) {
			continue;
		}
		rig_engine_lose_light();
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
