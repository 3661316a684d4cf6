/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <string.h>

static const struct rig_channel_config channels[] = {
	{.name = "PWR_OK", .resolution_ns = 1000}, {.name = "SLP_S3", .resolution_ns = 1000},
	{.name = "SLP_S4", .resolution_ns = 1000}, {.name = "SLP_S5", .resolution_ns = 1000},
	{.name = "PLTRST", .resolution_ns = 1000}, {.name = "BACKLIGHT", .resolution_ns = 1000},
	{.name = "LED", .resolution_ns = 1000},    {.name = "BUTTON", .resolution_ns = 1000},
	{.name = "LID", .resolution_ns = 1000},
};

static const struct rig_actuator_config actuators[] = {
	[BUTTON] = {.name = "BUTTON",
		    .kind = RIG_ACTUATOR_PRESS,
		    .max_press_ns = 1 * S,
		    .max_force_ns = 12 * S},
	[LID] = {.name = "LID", .kind = RIG_ACTUATOR_HOLD},
};

static const struct rig_actuator_config limited[] = {
	[BUTTON] = {.name = "BUTTON",
		    .kind = RIG_ACTUATOR_PRESS,
		    .max_press_ns = 1 * S,
		    .max_force_ns = 12 * S,
		    .min_release_ns = 100 * MS,
		    .window_ns = 5 * S,
		    .max_driven_ns = 2 * S},
	[LID] = {.name = "LID",
		 .kind = RIG_ACTUATOR_HOLD,
		 .min_release_ns = 100 * MS,
		 .max_hold_ns = 60 * S},
};

static uint64_t bench_now_ns(void *context)
{
	return ((const struct bench *)context)->now_ns;
}

static void bench_drive(void *context, uint32_t actuator, bool driven)
{
	struct bench *bench = context;

	if (bench->drive_count < BENCH_DRIVES) {
		bench->drives[bench->drive_count] = (struct bench_drive){
			.t_ns = bench->now_ns, .actuator = actuator, .driven = driven};
	}
	bench->drive_count++;
	bench->driven[actuator] = driven;
}

static uint32_t bench_selftest(void *context, struct rig_check *checks, uint32_t max)
{
	const struct bench *bench = context;
	uint32_t count = bench->check_count < max ? bench->check_count : max;

	for (uint32_t i = 0; i < count; i++) {
		checks[i] = bench->checks[i];
	}
	return bench->check_count;
}

static int bench_store(void *context, const struct rig_calibration *calibration)
{
	struct bench *bench = context;

	if (bench->store_rc == 0) {
		bench->stored = *calibration;
		bench->store_count++;
	}
	return bench->store_rc;
}

void bench_keyboard(void *context, struct rig_keyboard *keyboard)
{
	*keyboard = ((const struct bench *)context)->keyboard;
}

static void bench_leave(void *context)
{
	((struct bench *)context)->leave_count++;
}

struct rig_config bench_config(struct bench *bench)
{
	return (struct rig_config){
		.firmware = "1.2.3",
		.board = "test",
		.clock_source = "xtal",
		.clock_hz = 1000000,
		.boot_id = BENCH_BOOT,
		.nonce = BENCH_NONCE,
		.reset_reason = "power-on",
		.lease_ns = 3 * S,
		.channels = channels,
		.channel_count = sizeof(channels) / sizeof(channels[0]),
		.actuators = actuators,
		.actuator_count = sizeof(actuators) / sizeof(actuators[0]),
		.edge_slots = bench->edges,
		.edge_capacity = BENCH_EDGES,
		.light_slots = bench->light,
		.light_capacity = BENCH_LIGHT,
		.now_ns = bench_now_ns,
		.drive = bench_drive,
		.selftest = bench_selftest,
		.crystal = true,
		.store_name = "flash",
		.store = bench_store,
		.leave = bench_leave,
		.context = bench,
	};
}

int bench_start_with(struct bench *bench, const struct rig_config *config, uint32_t levels)
{
	return rig_core_init(&bench->core, config, levels);
}

void bench_start(struct bench *bench)
{
	struct rig_config config;

	*bench = (struct bench){.now_ns = 10 * S};
	config = bench_config(bench);
	(void)bench_start_with(bench, &config, 0x1ff);
	bench_forget(bench);
}

void bench_start_limited(struct bench *bench)
{
	struct rig_config config;

	*bench = (struct bench){.now_ns = 10 * S};
	config = bench_config(bench);
	config.actuators = limited;
	(void)bench_start_with(bench, &config, 0x1ff);
	bench_forget(bench);
}

void bench_forget(struct bench *bench)
{
	bench->drive_count = 0;
}

void bench_tick(struct bench *bench, uint64_t now_ns)
{
	bench->now_ns = now_ns;
	rig_core_tick(&bench->core, now_ns);
}

int bench_request(struct bench *bench, uint32_t command, bool write, const void *in, size_t in_len)
{
	return rig_core_request(&bench->core, command, write, bench->now_ns, in, in_len,
				bench->reply, sizeof(bench->reply), &bench->reply_len);
}

uint32_t bench_error(const struct bench *bench)
{
	/* {"err": {"group": 64, "rc": N}}, N below 24: 18 bytes that are always the same, and N. */
	static const uint8_t frame[] = {0xa1, 0x63, 'e', 'r',  'r',  0xa2, 0x65, 'g', 'r',
					'o',  'u',  'p', 0x18, 0x40, 0x62, 'r',  'c'};

	if (bench->reply_len != sizeof(frame) + 1u ||
	    memcmp(bench->reply, frame, sizeof(frame)) != 0) {
		return 0;
	}
	return bench->reply[sizeof(frame)];
}
