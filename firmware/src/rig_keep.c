/* SPDX-License-Identifier: Apache-2.0 */
/* The record's layout is fixed here, whatever the core's structs look like. */
#include "rig_keep.h"

#include "rig_clock.h"
#include "rig_devices.h"
#include "rig_store.h"

#include <resume_rig/edge_source.h>

#include <string.h>
#include <zephyr/logging/log.h>
#include <zephyr/sys/crc.h>
#include <zephyr/sys/util.h>

LOG_MODULE_REGISTER(rig_keep, CONFIG_RIG_LOG_LEVEL);

/** Of the layout below. */
#define VERSION 1u

struct kept_latency {
	uint32_t channel;
	int32_t mean_ns;
	uint32_t sd_ns;
	uint32_t dev_ns;
	uint32_t count;
};

struct kept {
	uint16_t version;
	uint8_t has_clock;
	uint8_t latency_count;
	/** of the names of board, clock and edge source */
	uint32_t origin;
	int32_t clock_ppb;
	uint32_t held_ns;
	struct kept_latency latencies[RIG_MAX_CHANNELS];
};

BUILD_ASSERT(sizeof(struct kept) == 16u + 20u * RIG_MAX_CHANNELS, "no holes");
BUILD_ASSERT(sizeof(struct kept) <= RIG_STORE_BYTES);

/** A latency is that of one way through one board. */
static uint32_t origin(void)
{
	struct edge_source_info info;
	uint32_t check = 0;

	edge_source_get_info(RIG_EDGES, &info);

	const char *const names[] = {CONFIG_BOARD_TARGET, rig_clock_source(), info.name};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		check = crc32_ieee_update(check, (const uint8_t *)names[i], strlen(names[i]) + 1u);
	}
	return check;
}

static void unpack(const struct kept *kept, struct rig_calibration *calibration)
{
	*calibration = (struct rig_calibration){
		.has_clock = kept->has_clock != 0u,
		.clock_ppb = kept->clock_ppb,
		.held_ns = kept->held_ns,
		.latency_count = kept->latency_count,
	};
	for (size_t i = 0; i < kept->latency_count; i++) {
		const struct kept_latency *latency = &kept->latencies[i];

		calibration->latencies[i] = (struct rig_latency){
			.channel = (uint8_t)latency->channel,
			.mean_ns = latency->mean_ns,
			.sd_ns = latency->sd_ns,
			.dev_ns = latency->dev_ns,
			.count = latency->count,
		};
	}
}

/** Why a record of that length is none of ours; NULL when it is. */
static const char *fault_of(const struct kept *kept, int len)
{
	if (len != (int)sizeof(*kept)) {
		return "its length is another one";
	}
	if (kept->version != VERSION) {
		return "its version is another one";
	}
	if (kept->origin != origin()) {
		return "it is that of another board, clock or edge source";
	}
	return kept->latency_count > RIG_MAX_CHANNELS ? "it has too many channels" : NULL;
}

void rig_keep_load(struct rig_calibration *calibration)
{
	static struct kept kept;
	const char *fault;
	int ret = rig_store_open();

	*calibration = (struct rig_calibration){.held_ns = 0};
	if (ret == 0) {
		ret = rig_store_load(&kept, sizeof(kept));
	}
	if (ret == -ENODEV || ret == 0) {
		return;
	}
	if (ret < 0 && ret != -EMSGSIZE) {
		LOG_ERR("Could not read the calibration (%d)", ret);
		return;
	}
	fault = fault_of(&kept, ret);
	if (fault != NULL) {
		LOG_WRN("Ignored the calibration that was kept: %s", fault);
		return;
	}
	unpack(&kept, calibration);
}

int rig_keep_save(const struct rig_calibration *calibration)
{
	static struct kept kept;
	uint32_t count = MIN(calibration->latency_count, RIG_MAX_CHANNELS);
	int ret;

	kept = (struct kept){
		.version = VERSION,
		.has_clock = calibration->has_clock ? 1u : 0u,
		.latency_count = (uint8_t)count,
		.origin = origin(),
		.clock_ppb = calibration->clock_ppb,
		.held_ns = calibration->held_ns,
	};
	for (size_t i = 0; i < count; i++) {
		const struct rig_latency *latency = &calibration->latencies[i];

		kept.latencies[i] = (struct kept_latency){
			.channel = latency->channel,
			.mean_ns = latency->mean_ns,
			.sd_ns = latency->sd_ns,
			.dev_ns = latency->dev_ns,
			.count = latency->count,
		};
	}
	ret = rig_store_save(&kept, sizeof(kept));
	if (ret < 0) {
		LOG_ERR("Could not keep the calibration (%d)", ret);
	}
	return ret;
}

const char *rig_keep_name(void)
{
	return rig_store_is_open() ? "flash" : NULL;
}
