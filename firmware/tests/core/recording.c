/* SPDX-License-Identifier: Apache-2.0 */
#include "recording.h"

static struct recording held;

struct recording *recording_start_with(uint32_t slots, uint32_t blocks)
{
	struct recording *recording = &held;
	struct rig_onset_config config = {
		.slots = recording->slots,
		.capacity = slots,
		.rate_hz = RATE,
		.full_scale = 4095,
	};

	rig_light_init(&recording->light, recording->blocks, blocks, &config);
	recording->t_ns = 5 * S;
	rig_light_arm(&recording->light, recording->t_ns, 9 * S);
	return recording;
}

struct recording *recording_start(void)
{
	return recording_start_with(SLOTS, BLOCKS);
}

void recording_put(struct recording *recording, uint32_t counts)
{
	rig_light_sample(&recording->light, recording->t_ns, (uint16_t)counts);
	recording->t_ns += SAMPLE_NS;
}

void recording_hold(struct recording *recording, uint32_t counts, uint32_t ms)
{
	for (uint32_t i = 0; i < ms * RATE / 1000u; i++) {
		recording_put(recording, counts);
	}
}

void recording_rise(struct recording *recording, uint32_t ms)
{
	uint32_t count = ms * RATE / 1000u;

	for (uint32_t i = 1; i <= count; i++) {
		recording_put(recording, BLACK + (WHITE - BLACK) * i / count);
	}
}

void recording_pulse(struct recording *recording, uint32_t lit, uint32_t period, uint32_t ms)
{
	for (uint32_t i = 0; i < ms * RATE / 1000u; i++) {
		recording_put(recording, i % period < lit ? WHITE : BLACK);
	}
}

enum rig_onset_state recording_look(struct recording *recording, uint64_t now_ns)
{
	rig_light_onset(&recording->light, now_ns, &recording->result);
	return recording->result.state;
}

enum rig_onset_state recording_look_now(struct recording *recording)
{
	return recording_look(recording, recording->t_ns);
}
