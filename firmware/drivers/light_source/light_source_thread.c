/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One conversion a period by a thread, for any board whose ADC has a driver.
 *
 * A timer counts the periods. The thread takes one sample for each; a wake-up that is late by less
 * than a period costs nothing but the sample's own jitter, as its stamp is that of its number. One
 * that is later has missed a sample, and then nobody can say any more which is which.
 */
#include "light_source.h"

#include "edge_source.h"

#include <zephyr/devicetree.h>
#include <zephyr/drivers/adc.h>
#include <zephyr/logging/log.h>
#include <zephyr/sys/atomic.h>
#include <zephyr/sys/util.h>

LOG_MODULE_REGISTER(light_source, CONFIG_RIG_LOG_LEVEL);

#define PERIOD_US CONFIG_RIG_LIGHT_SAMPLE_PERIOD_US
#define HZ (USEC_PER_SEC / PERIOD_US)
/** A batch is 4 ms, and the reader may be late by three of them. */
#define BATCH_SAMPLES (HZ / 250u)
#define BATCHES 4u

BUILD_ASSERT(IS_POWER_OF_TWO(BATCHES), "their number wraps");
BUILD_ASSERT(USEC_PER_SEC % PERIOD_US == 0, "a second has whole samples");
BUILD_ASSERT((uint64_t)PERIOD_US *CONFIG_SYS_CLOCK_TICKS_PER_SEC % USEC_PER_SEC == 0,
	     "a sample period is whole system ticks");

static const struct adc_dt_spec photodiode = ADC_DT_SPEC_GET(DT_INST(0, resume_rig_rig));

static K_THREAD_STACK_DEFINE(source_stack, CONFIG_RIG_LIGHT_SOURCE_STACK_SIZE_BYTES);

static struct {
	struct k_thread thread;
	struct k_timer period;
	/** given to begin; by the thread, when its first sample is there; when it has stopped */
	struct k_sem go;
	struct k_sem begun;
	struct k_sem ended;
	/** given for each whole batch, and at the end of it all */
	struct k_sem ready;
	uint16_t counts[BATCHES][BATCH_SAMPLES];
	/** batches written whole, and given back by the reader */
	atomic_t written;
	atomic_t read;
	uint32_t first_ticks;
	/** why no more samples come: -EOVERFLOW, or the ADC's error */
	int error;
	bool wanted;
	bool holds_batch;
} source;

uint32_t light_source_hz(void)
{
	return HZ;
}

uint16_t light_source_full_scale(void)
{
	return (uint16_t)BIT_MASK(photodiode.resolution);
}

static int convert(uint16_t *counts)
{
	struct adc_sequence sequence = {.buffer = counts, .buffer_size = sizeof(*counts)};
	int ret = adc_sequence_init_dt(&photodiode, &sequence);

	return ret < 0 ? ret : adc_read_dt(&photodiode, &sequence);
}

/** The first sample; the reader waits for it. */
static int begin(void)
{
	k_timer_start(&source.period, K_USEC(PERIOD_US), K_USEC(PERIOD_US));
	(void)k_timer_status_sync(&source.period);
	source.first_ticks = edge_source_ticks();
	source.error = convert(&source.counts[0][0]);
	k_sem_give(&source.begun);
	return source.error;
}

static int take_next(uint32_t batch, uint32_t place)
{
	bool missed = k_timer_status_sync(&source.period) > 1u;

	if (missed || batch - (uint32_t)atomic_get(&source.read) >= BATCHES) {
		return -EOVERFLOW;
	}
	return convert(&source.counts[batch % BATCHES][place]);
}

/** Samples until nobody wants more, or until one is missed. */
static int take_samples(void)
{
	uint32_t batch = 0;
	uint32_t place = 0;
	int ret = begin();

	while (source.wanted && ret == 0) {
		if (++place == BATCH_SAMPLES) {
			place = 0;
			batch++;
			atomic_inc(&source.written);
			k_sem_give(&source.ready);
		}
		ret = take_next(batch, place);
	}
	k_timer_stop(&source.period);
	return ret;
}

static void run(void *unused1, void *unused2, void *unused3)
{
	while (true) {
		(void)k_sem_take(&source.go, K_FOREVER);
		source.error = take_samples();
		k_sem_give(&source.ready);
		k_sem_give(&source.ended);
	}
}

int light_source_init(void)
{
	static bool has_thread;
	int ret;

	if (!adc_is_ready_dt(&photodiode)) {
		return -ENODEV;
	}
	ret = adc_channel_setup_dt(&photodiode);
	if (ret < 0 || has_thread) {
		return ret;
	}
	has_thread = true;
	k_timer_init(&source.period, NULL, NULL);
	(void)k_sem_init(&source.go, 0, 1);
	(void)k_sem_init(&source.begun, 0, 1);
	(void)k_sem_init(&source.ended, 0, 1);
	(void)k_sem_init(&source.ready, 0, BATCHES + 1u);
	(void)k_thread_create(&source.thread, source_stack, K_THREAD_STACK_SIZEOF(source_stack),
			      run, NULL, NULL, NULL, CONFIG_RIG_LIGHT_SOURCE_PRIORITY, 0,
			      K_NO_WAIT);
	(void)k_thread_name_set(&source.thread, "light_source");
	return 0;
}

int light_source_start(uint32_t *first_ticks)
{
	k_sem_reset(&source.ready);
	atomic_clear(&source.written);
	atomic_clear(&source.read);
	source.error = 0;
	source.holds_batch = false;
	source.wanted = true;
	k_sem_give(&source.go);
	(void)k_sem_take(&source.begun, K_FOREVER);
	if (source.error < 0) {
		light_source_stop();
		return source.error;
	}
	*first_ticks = source.first_ticks;
	return 0;
}

void light_source_stop(void)
{
	if (source.wanted) {
		source.wanted = false;
		(void)k_sem_take(&source.ended, K_FOREVER);
	}
}

int light_source_take(const uint16_t **counts, k_timeout_t timeout)
{
	uint32_t batch;

	if (source.holds_batch) {
		source.holds_batch = false;
		atomic_inc(&source.read);
	}
	if (k_sem_take(&source.ready, timeout) != 0) {
		return 0;
	}
	batch = (uint32_t)atomic_get(&source.read);
	if (batch == (uint32_t)atomic_get(&source.written)) {
		/* Nothing but the end wakes without a batch. */
		LOG_DBG("No more samples (%d)", source.error);
		return source.error < 0 ? source.error : -EOVERFLOW;
	}
	*counts = source.counts[batch % BATCHES];
	source.holds_batch = true;
	return BATCH_SAMPLES;
}
