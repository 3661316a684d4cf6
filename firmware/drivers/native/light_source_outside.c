/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The photodiode of native_sim, sampled as a converter with DMA does it: every few milliseconds
 * comes a batch, and each of its samples is the voltage that there was at the sample's own time.
 *
 * A thread that converts once in 20 us takes more than a core of the host; this takes the changes
 * of the voltage, which are few, and fills the samples in between.
 */
#include "light_source.h"

#include "edge_source.h"
#include "outside.h"
#include "outside_light.h"

#include <zephyr/devicetree.h>
#include <zephyr/sys/util.h>

#define PERIOD_US CONFIG_RIG_LIGHT_SAMPLE_PERIOD_US
#define HZ (USEC_PER_SEC / PERIOD_US)
#define BATCH_MS 2u
#define BATCH_SAMPLES (HZ * BATCH_MS / MSEC_PER_SEC)
/** Changes of the voltage between two batches that are taken. */
#define CHANGES 1024u

#define ADC_NODE DT_IO_CHANNELS_CTLR(DT_INST(0, resume_rig_rig))
#define FULL_SCALE_MV DT_PROP(ADC_NODE, ref_internal_mv)
#define FULL_SCALE 4095u

BUILD_ASSERT(USEC_PER_SEC % PERIOD_US == 0, "a second has whole samples");

struct change {
	uint32_t ticks;
	uint16_t counts;
};

static struct {
	struct k_timer period;
	struct change changes[CHANGES];
	/** next to write, next to read; not masked */
	uint32_t head;
	uint32_t tail;
	/** the voltage that is there, and the one of the last sample */
	uint16_t now;
	uint16_t last;
	uint16_t counts[BATCH_SAMPLES];
	/** edge source's counter at the next sample */
	uint32_t next_ticks;
	bool lost;
} source;

BUILD_ASSERT(IS_POWER_OF_TWO(CHANGES), "the queue's indices wrap");

uint32_t light_source_hz(void)
{
	return HZ;
}

uint16_t light_source_full_scale(void)
{
	return FULL_SCALE;
}

static uint16_t counts_of(uint32_t voltage_mv)
{
	return (uint16_t)MIN(voltage_mv * FULL_SCALE / FULL_SCALE_MV, FULL_SCALE);
}

void outside_light_changed(uint16_t voltage_mv)
{
	source.now = counts_of(voltage_mv);
	if (source.head - source.tail == CHANGES) {
		source.lost = true;
		return;
	}
	source.changes[source.head++ % CHANGES] =
		(struct change){.ticks = edge_source_ticks(), .counts = source.now};
}

int light_source_init(void)
{
	source.now = counts_of(outside_light_mv());
	k_timer_init(&source.period, NULL, NULL);
	/* A sample's period is whole ticks of the counter. */
	return edge_source_hz() % HZ == 0u ? 0 : -EINVAL;
}

int light_source_start(uint32_t *first_ticks)
{
	unsigned int key = irq_lock();

	source.tail = source.head;
	source.last = source.now;
	source.lost = false;
	source.next_ticks = edge_source_ticks();
	irq_unlock(key);
	*first_ticks = source.next_ticks;
	k_timer_start(&source.period, K_MSEC(BATCH_MS), K_MSEC(BATCH_MS));
	return 0;
}

void light_source_stop(void)
{
	k_timer_stop(&source.period);
}

/** A change at the very time of a sample is in it. */
static uint16_t sample_at(uint32_t ticks)
{
	while (source.tail != source.head &&
	       (int32_t)(source.changes[source.tail % CHANGES].ticks - ticks) <= 0) {
		source.last = source.changes[source.tail++ % CHANGES].counts;
	}
	return source.last;
}

int light_source_take(const uint16_t **counts, k_timeout_t timeout)
{
	uint32_t step_ticks = edge_source_hz() / HZ;
	unsigned int key;

	/* The timer always comes. */
	if (k_timer_status_sync(&source.period) > 1u) {
		return -EOVERFLOW;
	}
	key = irq_lock();
	for (uint32_t i = 0; i < BATCH_SAMPLES; i++) {
		source.counts[i] = sample_at(source.next_ticks);
		source.next_ticks += step_ticks;
	}
	irq_unlock(key);
	*counts = source.counts;
	return source.lost ? -EOVERFLOW : (int)BATCH_SAMPLES;
}
