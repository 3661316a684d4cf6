/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One conversion a period, each with a time stamp of its own, so that a late wake-up moves a
 * sample's stamp with it. A thread cannot do the 50 kS/s that fast PWM asks for; that needs a
 * back end with DMA.
 */
#include "rig_light.h"

#include "edge_source.h"
#include "rig_engine.h"

#include <zephyr/devicetree.h>
#include <zephyr/drivers/adc.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>

LOG_MODULE_REGISTER(rig_light, CONFIG_RIG_LOG_LEVEL);

BUILD_ASSERT(USEC_PER_SEC / CONFIG_SYS_CLOCK_TICKS_PER_SEC <= CONFIG_RIG_LIGHT_SAMPLE_PERIOD_US,
	     "the sample period is at least one system tick");

static const struct adc_dt_spec photodiode = ADC_DT_SPEC_GET(DT_INST(0, resume_rig_rig));

static K_THREAD_STACK_DEFINE(light_stack, CONFIG_RIG_LIGHT_STACK_SIZE_BYTES);

static struct {
	struct k_thread thread;
	struct k_timer period;
	uint32_t failures;
} light;

/** One sample; false when the host wants no more. */
static bool sample(void)
{
	uint16_t counts = 0;
	struct adc_sequence sequence = {.buffer = &counts, .buffer_size = sizeof(counts)};
	uint32_t ticks = edge_source_ticks();
	int ret = adc_sequence_init_dt(&photodiode, &sequence);

	if (ret == 0) {
		ret = adc_read_dt(&photodiode, &sequence);
	}
	if (ret < 0 && light.failures++ == 0u) {
		LOG_ERR("Could not sample the photodiode (%d)", ret);
	}
	return ret == 0 && rig_engine_light(ticks, counts);
}

static void run(void *unused1, void *unused2, void *unused3)
{
	while (true) {
		rig_engine_await_light();
		k_timer_start(&light.period, K_NO_WAIT, K_USEC(CONFIG_RIG_LIGHT_SAMPLE_PERIOD_US));
		do {
			(void)k_timer_status_sync(&light.period);
		} while (sample());
		k_timer_stop(&light.period);
	}
}

int rig_light_start(void)
{
	int ret;

	if (!adc_is_ready_dt(&photodiode)) {
		return -ENODEV;
	}
	ret = adc_channel_setup_dt(&photodiode);
	if (ret < 0) {
		return ret;
	}
	k_timer_init(&light.period, NULL, NULL);
	(void)k_thread_create(&light.thread, light_stack, K_THREAD_STACK_SIZEOF(light_stack), run,
			      NULL, NULL, NULL, CONFIG_RIG_LIGHT_PRIORITY, 0, K_NO_WAIT);
	(void)k_thread_name_set(&light.thread, "rig_light");
	return 0;
}
