/* SPDX-License-Identifier: Apache-2.0 */
/* What a calibration makes of the channels' delays, and how a loop-back becomes one. */
#include "rig_internal.h"

/** @return the calibration's latency of a channel, NULL when it has none */
static const struct rig_latency *find(const struct rig_calibration *calibration, uint32_t channel)
{
	for (uint32_t i = 0; i < calibration->latency_count; i++) {
		if (calibration->latencies[i].channel == channel) {
			return &calibration->latencies[i];
		}
	}
	return NULL;
}

static uint32_t add_u32(uint32_t a, uint32_t b)
{
	return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

void rig_calibration_load(struct rig_core *core)
{
	const struct rig_calibration *stored = &core->config.calibration;
	struct rig_calibration *loaded = &core->calibration;
	int32_t ppb = stored->clock_ppb;

	*loaded = (struct rig_calibration){.held_ns = 0};
	if (!core->config.crystal) {
		return;
	}
	if (stored->has_clock && ppb >= -RIG_CLOCK_PPB_MAX && ppb <= RIG_CLOCK_PPB_MAX) {
		loaded->has_clock = true;
		loaded->clock_ppb = ppb;
	}
	for (uint32_t i = 0; i < stored->latency_count && i < RIG_MAX_CHANNELS; i++) {
		const struct rig_latency *latency = &stored->latencies[i];

		if (latency->channel < core->config.channel_count &&
		    find(loaded, latency->channel) == NULL) {
			loaded->latencies[loaded->latency_count++] = *latency;
			loaded->held_ns = stored->held_ns;
		}
	}
}

uint32_t rig_calibration_delay_ns(const struct rig_core *core, uint32_t channel)
{
	const struct rig_channel_config *config = &core->config.channels[channel];
	const struct rig_latency *latency = find(&core->calibration, channel);
	int64_t delay_ns;

	if (latency == NULL) {
		return config->delay_ns;
	}
	delay_ns = (int64_t)config->front_end_delay_ns + latency->mean_ns;
	if (delay_ns < 0) {
		return 0;
	}
	return delay_ns > UINT32_MAX ? UINT32_MAX : (uint32_t)delay_ns;
}

uint32_t rig_calibration_uncertainty_ns(const struct rig_core *core, uint32_t channel)
{
	const struct rig_channel_config *config = &core->config.channels[channel];
	const struct rig_latency *latency = find(&core->calibration, channel);

	if (latency == NULL) {
		return config->uncertainty_ns;
	}
	return add_u32(add_u32(config->front_end_uncertainty_ns, latency->dev_ns),
		       add_u32(core->calibration.held_ns, config->resolution_ns));
}

static void measure(const struct rig_loopback *loopback, uint32_t channel,
		    struct rig_latency *latency)
{
	const struct rig_moments *moments = &loopback->channels[channel].latency;

	*latency = (struct rig_latency){
		.channel = (uint8_t)channel,
		.mean_ns = rig_moments_mean(moments),
		.sd_ns = rig_moments_sd(moments),
		.dev_ns = rig_moments_deviation(moments),
		.count = moments->count,
	};
}

/** @return the place of a channel's latency, a new one when it has none */
static struct rig_latency *place(struct rig_calibration *calibration, uint32_t channel)
{
	const struct rig_latency *latency = find(calibration, channel);

	return &calibration->latencies[latency != NULL ? latency - calibration->latencies
						       : calibration->latency_count++];
}

void rig_calibration_take(struct rig_calibration *calibration, const struct rig_loopback *loopback)
{
	bool keeps = false;

	for (uint32_t i = 0; i < calibration->latency_count; i++) {
		uint32_t channel = calibration->latencies[i].channel;

		keeps = keeps || ((loopback->wired >> channel) & 1u) == 0u;
	}
	calibration->held_ns =
		(uint32_t)rig_max_ns(keeps ? calibration->held_ns : 0u, loopback->held_ns);
	for (uint32_t i = 0; i < RIG_MAX_CHANNELS; i++) {
		if (((loopback->wired >> i) & 1u) != 0u) {
			measure(loopback, i, place(calibration, i));
		}
	}
}
