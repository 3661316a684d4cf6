/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One conversion a period by a thread, for any board whose ADC has a driver.
 *
 * A timer counts the periods. The thread takes one sample for each; a wake-up that is late by less
 * than a period costs nothing but the sample's own jitter, as its stamp is that of its number. One
 * that is later has missed a sample, and then nobody can say any more which is which.
 */
#define DT_DRV_COMPAT resume_rig_adc_light

#include <resume_rig/edge_source.h>
#include <resume_rig/light_source.h>

#include <zephyr/devicetree.h>
#include <zephyr/drivers/adc.h>
#include <zephyr/logging/log.h>
#include <zephyr/sys/atomic.h>
#include <zephyr/sys/util.h>

LOG_MODULE_REGISTER(light_source_thread, CONFIG_RIG_LIGHT_SOURCE_LOG_LEVEL);

/** A batch is 4 ms, and the reader may be late by three of them. */
#define BATCHES_IN_A_SECOND 250u
#define BATCHES 4u

BUILD_ASSERT(IS_POWER_OF_TWO(BATCHES), "their number wraps");

struct light_source_thread_config {
	struct adc_dt_spec photodiode;
	const struct device *edges;
	k_thread_stack_t *stack;
	size_t stack_bytes;
	/** BATCHES batches of batch_samples */
	uint16_t *counts;
	uint32_t period_us;
	uint32_t batch_samples;
};

struct light_source_thread_data {
	struct k_thread thread;
	struct k_timer period;
	/** given to begin; by the thread, when its first sample is there; when it has stopped */
	struct k_sem go;
	struct k_sem begun;
	struct k_sem ended;
	/** given for each whole batch, and at the end of it all */
	struct k_sem ready;
	/** batches written whole, and given back by the reader */
	atomic_t written;
	atomic_t read;
	uint32_t first_ticks;
	/** why no more samples come: -EOVERFLOW, or the ADC's error */
	int error;
	bool wanted;
	bool holds_batch;
};

static void light_source_thread_get_info(const struct device *dev, struct light_source_info *info)
{
	const struct light_source_thread_config *config = dev->config;

	*info = (struct light_source_info){
		.hz = USEC_PER_SEC / config->period_us,
		.full_scale = (uint16_t)BIT_MASK(config->photodiode.resolution),
	};
}

static uint16_t *batch_at(const struct light_source_thread_config *config, uint32_t batch)
{
	return &config->counts[batch % BATCHES * config->batch_samples];
}

static int convert(const struct adc_dt_spec *photodiode, uint16_t *counts)
{
	struct adc_sequence sequence = {.buffer = counts, .buffer_size = sizeof(*counts)};
	int ret = adc_sequence_init_dt(photodiode, &sequence);

	return ret < 0 ? ret : adc_read_dt(photodiode, &sequence);
}

/** The first sample; the reader waits for it. */
static int begin(const struct light_source_thread_config *config,
		 struct light_source_thread_data *source)
{
	k_timer_start(&source->period, K_USEC(config->period_us), K_USEC(config->period_us));
	(void)k_timer_status_sync(&source->period);
	source->first_ticks = edge_source_ticks(config->edges);
	source->error = convert(&config->photodiode, batch_at(config, 0));
	k_sem_give(&source->begun);
	return source->error;
}

static int take_next(const struct light_source_thread_config *config,
		     struct light_source_thread_data *source, uint32_t batch, uint32_t place)
{
	bool missed = k_timer_status_sync(&source->period) > 1u;

	if (missed || batch - (uint32_t)atomic_get(&source->read) >= BATCHES) {
		return -EOVERFLOW;
	}
	return convert(&config->photodiode, &batch_at(config, batch)[place]);
}

/** Samples until nobody wants more, or until one is missed. */
static int take_samples(const struct light_source_thread_config *config,
			struct light_source_thread_data *source)
{
	uint32_t batch = 0;
	uint32_t place = 0;
	int ret = begin(config, source);

	while (source->wanted && ret == 0) {
		if (++place == config->batch_samples) {
			place = 0;
			batch++;
			atomic_inc(&source->written);
			k_sem_give(&source->ready);
		}
		ret = take_next(config, source, batch, place);
	}
	k_timer_stop(&source->period);
	return ret;
}

static void run(void *parameter, void *unused2, void *unused3)
{
	const struct device *dev = parameter;
	struct light_source_thread_data *source = dev->data;

	while (true) {
		(void)k_sem_take(&source->go, K_FOREVER);
		source->error = take_samples(dev->config, source);
		k_sem_give(&source->ready);
		k_sem_give(&source->ended);
	}
}

static int light_source_thread_init(const struct device *dev)
{
	const struct light_source_thread_config *config = dev->config;
	struct light_source_thread_data *source = dev->data;
	int ret;

	if (!adc_is_ready_dt(&config->photodiode) || !device_is_ready(config->edges)) {
		return -ENODEV;
	}
	ret = adc_channel_setup_dt(&config->photodiode);
	if (ret < 0) {
		return ret;
	}
	k_timer_init(&source->period, NULL, NULL);
	(void)k_sem_init(&source->go, 0, 1);
	(void)k_sem_init(&source->begun, 0, 1);
	(void)k_sem_init(&source->ended, 0, 1);
	(void)k_sem_init(&source->ready, 0, BATCHES + 1u);
	(void)k_thread_create(&source->thread, config->stack, config->stack_bytes, run, (void *)dev,
			      NULL, NULL, CONFIG_RIG_LIGHT_SOURCE_PRIORITY, 0, K_NO_WAIT);
	(void)k_thread_name_set(&source->thread, "light_source");
	return 0;
}

static void light_source_thread_stop(const struct device *dev)
{
	struct light_source_thread_data *source = dev->data;

	if (source->wanted) {
		source->wanted = false;
		(void)k_sem_take(&source->ended, K_FOREVER);
	}
}

static int light_source_thread_start(const struct device *dev, uint32_t *first_ticks)
{
	struct light_source_thread_data *source = dev->data;

	k_sem_reset(&source->ready);
	atomic_clear(&source->written);
	atomic_clear(&source->read);
	source->error = 0;
	source->holds_batch = false;
	source->wanted = true;
	k_sem_give(&source->go);
	(void)k_sem_take(&source->begun, K_FOREVER);
	if (source->error < 0) {
		int error = source->error;

		light_source_thread_stop(dev);
		return error;
	}
	*first_ticks = source->first_ticks;
	return 0;
}

static int light_source_thread_take(const struct device *dev, const uint16_t **counts,
				    k_timeout_t timeout)
{
	const struct light_source_thread_config *config = dev->config;
	struct light_source_thread_data *source = dev->data;
	uint32_t batch;

	if (source->holds_batch) {
		source->holds_batch = false;
		atomic_inc(&source->read);
	}
	if (k_sem_take(&source->ready, timeout) != 0) {
		return 0;
	}
	batch = (uint32_t)atomic_get(&source->read);
	if (batch == (uint32_t)atomic_get(&source->written)) {
		/* Nothing but the end wakes without a batch. */
		LOG_DBG("No more samples (%d)", source->error);
		return source->error < 0 ? source->error : -EOVERFLOW;
	}
	*counts = batch_at(config, batch);
	source->holds_batch = true;
	return (int)config->batch_samples;
}

static const struct light_source_driver_api light_source_thread_api = {
	.get_info = light_source_thread_get_info,
	.start = light_source_thread_start,
	.stop = light_source_thread_stop,
	.take = light_source_thread_take,
};

#define PERIOD_US(inst) DT_INST_PROP(inst, period_us)
#define BATCH_SAMPLES(inst) (USEC_PER_SEC / PERIOD_US(inst) / BATCHES_IN_A_SECOND)

#define LIGHT_SOURCE_THREAD(inst)                                                                  \
	BUILD_ASSERT(USEC_PER_SEC % PERIOD_US(inst) == 0, "a second has whole samples");           \
	BUILD_ASSERT((uint64_t)PERIOD_US(inst) * CONFIG_SYS_CLOCK_TICKS_PER_SEC % USEC_PER_SEC ==  \
			     0,                                                                    \
		     "a sample period is whole system ticks");                                     \
	static K_THREAD_STACK_DEFINE(stack_##inst, CONFIG_RIG_LIGHT_SOURCE_STACK_SIZE_BYTES);      \
	static uint16_t counts_##inst[BATCHES * BATCH_SAMPLES(inst)];                              \
	static struct light_source_thread_data data_##inst;                                        \
	static const struct light_source_thread_config config_##inst = {                           \
		.photodiode = ADC_DT_SPEC_INST_GET(inst),                                          \
		.edges = DEVICE_DT_GET(DT_INST_PHANDLE(inst, edge_source)),                        \
		.stack = stack_##inst,                                                             \
		.stack_bytes = K_THREAD_STACK_SIZEOF(stack_##inst),                                \
		.counts = counts_##inst,                                                           \
		.period_us = PERIOD_US(inst),                                                      \
		.batch_samples = BATCH_SAMPLES(inst),                                              \
	};                                                                                         \
	DEVICE_DT_INST_DEFINE(inst, light_source_thread_init, NULL, &data_##inst, &config_##inst,  \
			      POST_KERNEL, CONFIG_RIG_LIGHT_SOURCE_INIT_PRIORITY,                  \
			      &light_source_thread_api);

DT_INST_FOREACH_STATUS_OKAY(LIGHT_SOURCE_THREAD)
