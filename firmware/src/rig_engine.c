/* SPDX-License-Identifier: Apache-2.0 */
#include "rig_engine.h"

#include "rig_board.h"
#ifdef CONFIG_RIG_BOOTLOADER
#include "rig_bootloader.h"
#endif
#include "rig_core.h"
#include "rig_devices.h"
#include "rig_keep.h"
#include "rig_past.h"

#include <app_version.h>
#include <resume_rig/edge_source.h>
#include <string.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>

LOG_MODULE_REGISTER(rig_engine, CONFIG_RIG_LOG_LEVEL);

#define NS_PER_MS UINT64_C(1000000)

/** Edges taken under one lock, so that a burst does not hold up a request. */
#define EDGES_AT_ONCE 64u

/** The counter is read at least this often, so that its wraps are seen. */
#define LONGEST_WAIT_MS 100

/** Checks that an edge source may have. */
#define MOST_SOURCE_CHECKS 8u

static K_THREAD_STACK_DEFINE(engine_stack, CONFIG_RIG_ENGINE_STACK_SIZE_BYTES);

static struct {
	struct rig_core core;
	struct rig_time time;
	struct rig_edge edges[CONFIG_RIG_EDGE_RING_EDGES];
	struct k_mutex lock;
	struct k_sem wake;
	struct k_thread thread;
	const struct rig_part *parts[RIG_PARTS_MAX];
	size_t part_count;
	bool stopping;
} engine;

static uint64_t now_ns(void *context)
{
	return rig_time_ns(&engine.time,
			   rig_time_extend(&engine.time, edge_source_ticks(RIG_EDGES)));
}

static void drive(void *context, uint32_t actuator, bool driven)
{
	rig_board_drive(actuator, driven);
}

static uint32_t check_source(struct rig_check *checks, uint32_t max)
{
	struct edge_source_check found[MOST_SOURCE_CHECKS];
	uint32_t count = edge_source_check(RIG_EDGES, found, MIN(max, MOST_SOURCE_CHECKS));

	for (uint32_t i = 0; i < count; i++) {
		checks[i] = (struct rig_check){
			.name = found[i].name,
			.ok = found[i].ok,
			.value = found[i].value,
		};
	}
	return count;
}

static uint32_t selftest(void *context, struct rig_check *checks, uint32_t max)
{
	uint32_t count = check_source(checks, max);

	for (size_t i = 0; i < engine.part_count; i++) {
		if (engine.parts[i]->check != NULL) {
			count += engine.parts[i]->check(&checks[count], max - count);
		}
	}
	return count;
}

static void wake_up(void)
{
	k_sem_give(&engine.wake);
}

static void edges_came(const struct device *dev, void *user_data)
{
	wake_up();
}

/** Count what the queue had no place for, and take the levels from the wires again. */
static void own_up(uint32_t lost)
{
	uint32_t levels;

	if (lost == 0u) {
		return;
	}
	rig_core_lose_edges(&engine.core, lost);
	levels = edge_source_levels(RIG_EDGES);
	for (uint32_t i = 0; i < engine.core.config.channel_count; i++) {
		rig_core_edge(&engine.core, i, ((levels >> i) & 1u) != 0u, now_ns(NULL));
	}
}

/** Move edges into the core; true when there may be more. */
static bool take_edges(void)
{
	struct edge_source_edge edge;
	uint32_t taken = 0;

	while (taken < EDGES_AT_ONCE && edge_source_take(RIG_EDGES, &edge)) {
		uint64_t ticks = rig_time_extend(&engine.time, edge.ticks);

		rig_core_edge(&engine.core, edge.channel, edge.level,
			      rig_time_ns(&engine.time, ticks));
		taken++;
	}
	if (taken < EDGES_AT_ONCE) {
		own_up(edge_source_take_lost(RIG_EDGES));
	}
	return taken == EDGES_AT_ONCE;
}

/** Move what waits; not all that a storm brings meanwhile, or the lock would never be free. */
static void take_waiting(void)
{
	uint32_t rounds = 1u + CONFIG_RIG_EDGE_FIFO_EDGES / EDGES_AT_ONCE;

	while (rounds > 0u && take_edges()) {
		rounds--;
	}
}

/** @return pulses so far that the edge source saw and could not stamp */
static uint32_t short_pulses(void)
{
	struct edge_source_check found[MOST_SOURCE_CHECKS];
	uint32_t count = edge_source_check(RIG_EDGES, found, MOST_SOURCE_CHECKS);

	for (uint32_t i = 0; i < count; i++) {
		if (strcmp(found[i].name, "short_pulses_count") == 0) {
			return (uint32_t)found[i].value;
		}
	}
	return 0;
}

/**
 * Keep a calibration; the core asks only while nothing is driven. While flash is written a board
 * that runs from it stands still, interrupts too: an edge of that time has a stamp that may be late
 * by all of it, so it counts as lost.
 */
static int keep(void *context, const struct rig_calibration *calibration)
{
	struct edge_source_edge edge;
	uint32_t lost = 0;
	uint32_t pulses;
	int ret;

	take_waiting();
	pulses = short_pulses();
	ret = rig_keep_save(calibration);
	while (edge_source_take(RIG_EDGES, &edge)) {
		(void)rig_time_extend(&engine.time, edge.ticks);
		lost++;
	}
	own_up(lost + edge_source_take_lost(RIG_EDGES) + (short_pulses() - pulses));
	return ret;
}

#ifdef CONFIG_RIG_BOOTLOADER
static void leave(void *context)
{
	rig_board_release_all();
	rig_past_end("bootloader");
	rig_bootloader_start();
}
#endif

/** Do what is due; how long nothing will be. */
static k_timeout_t turn(void)
{
	uint64_t now;
	uint64_t deadline_ns;
	bool more;

	(void)k_mutex_lock(&engine.lock, K_FOREVER);
	more = take_edges();
	now = now_ns(NULL);
	rig_core_tick(&engine.core, now);
	deadline_ns = rig_core_deadline(&engine.core);
	(void)k_mutex_unlock(&engine.lock);
	if (more) {
		return K_NO_WAIT;
	}
	if (deadline_ns > now + LONGEST_WAIT_MS * NS_PER_MS) {
		return K_MSEC(LONGEST_WAIT_MS);
	}
	return K_USEC(DIV_ROUND_UP(deadline_ns - now, NSEC_PER_USEC));
}

static void run(void *unused1, void *unused2, void *unused3)
{
	while (!engine.stopping) {
		(void)k_sem_take(&engine.wake, turn());
	}
}

static int init_core(const struct rig_identity *identity, uint32_t levels)
{
	struct edge_source_info info;
	/* Too large for a stack; the core copies it. */
	static struct rig_config config;
	int ret;

	config = (struct rig_config){
		.firmware = APP_VERSION_STRING,
		.boot_id = identity->boot_id,
		.nonce = identity->nonce,
		.reset_reason = identity->reset_reason,
		.watchdog_resets = identity->watchdog_resets,
		.lease_ns = CONFIG_RIG_LEASE_MS * NS_PER_MS,
		.edge_slots = engine.edges,
		.edge_capacity = CONFIG_RIG_EDGE_RING_EDGES,
		.now_ns = now_ns,
		.drive = drive,
		.selftest = selftest,
	};
	rig_board_describe(&config);
	for (size_t i = 0; i < engine.part_count; i++) {
		engine.parts[i]->describe(&config);
	}
	config.past_count = rig_past_list(&config.past);
	rig_keep_load(&config.calibration);
	config.store_name = rig_keep_name();
	config.store = config.store_name == NULL ? NULL : keep;
#ifdef CONFIG_RIG_BOOTLOADER
	config.leave = leave;
#endif
	edge_source_get_info(RIG_EDGES, &info);
	ret = rig_time_init(&engine.time, info.bits, config.clock_hz, edge_source_ticks(RIG_EDGES));
	if (ret < 0) {
		return ret;
	}
	return rig_core_init(&engine.core, &config, levels);
}

int rig_engine_start(const struct rig_identity *identity, const struct rig_part *const *parts,
		     size_t count)
{
	uint32_t levels;
	int ret;

	if (count > RIG_PARTS_MAX) {
		return -EINVAL;
	}
	(void)k_mutex_init(&engine.lock);
	(void)k_sem_init(&engine.wake, 0, 1);
	engine.stopping = false;
	engine.part_count = 0;
	for (size_t i = 0; i < count; i++) {
		if (parts[i] != NULL) {
			engine.parts[engine.part_count++] = parts[i];
		}
	}
	ret = edge_source_start(RIG_EDGES, edges_came, NULL, &levels);
	if (ret < 0) {
		LOG_ERR("Could not take edges (%d)", ret);
		return ret;
	}
	ret = init_core(identity, levels);
	if (ret < 0) {
		edge_source_stop(RIG_EDGES);
		LOG_ERR("Could not start the core on %s (%d)", CONFIG_BOARD_TARGET, ret);
		return ret;
	}
	(void)k_thread_create(&engine.thread, engine_stack, K_THREAD_STACK_SIZEOF(engine_stack),
			      run, NULL, NULL, NULL, CONFIG_RIG_ENGINE_PRIORITY, 0, K_NO_WAIT);
	(void)k_thread_name_set(&engine.thread, "rig_engine");
	return 0;
}

void rig_engine_stop(void)
{
	edge_source_stop(RIG_EDGES);
	engine.stopping = true;
	wake_up();
	(void)k_thread_join(&engine.thread, K_FOREVER);
	rig_core_release(&engine.core);
}

struct rig_core *rig_engine_lock(void)
{
	(void)k_mutex_lock(&engine.lock, K_FOREVER);
	return &engine.core;
}

void rig_engine_unlock(void)
{
	(void)k_mutex_unlock(&engine.lock);
}

uint64_t rig_engine_time_ns(uint32_t ticks)
{
	return rig_time_ns(&engine.time, rig_time_extend(&engine.time, ticks));
}

int rig_engine_request(uint32_t command, bool write, const uint8_t *in, size_t in_len, uint8_t *out,
		       size_t out_cap, size_t *out_len)
{
	int rc;

	(void)k_mutex_lock(&engine.lock, K_FOREVER);
	take_waiting();
	rc = rig_core_request(&engine.core, command, write, now_ns(NULL), in, in_len, out, out_cap,
			      out_len);
	for (size_t i = 0; i < engine.part_count; i++) {
		if (engine.parts[i]->asked != NULL) {
			engine.parts[i]->asked(&engine.core, now_ns(NULL));
		}
	}
	(void)k_mutex_unlock(&engine.lock);
	/* There may be another deadline now. */
	wake_up();
	return rc;
}

void rig_engine_release(void)
{
	(void)k_mutex_lock(&engine.lock, K_FOREVER);
	rig_core_release(&engine.core);
	(void)k_mutex_unlock(&engine.lock);
}

bool rig_engine_take_permit(void)
{
	bool permitted;

	(void)k_mutex_lock(&engine.lock, K_FOREVER);
	permitted = rig_core_take_permit(&engine.core, now_ns(NULL));
	(void)k_mutex_unlock(&engine.lock);
	return permitted;
}

void rig_engine_note(void)
{
	struct rig_tally tally;

	if (k_mutex_lock(&engine.lock, K_MSEC(CONFIG_RIG_GUARD_PATIENCE_MS)) != 0) {
		return;
	}
	tally = (struct rig_tally){
		.up_ns = now_ns(NULL),
		.edge_overruns = engine.core.edges.numbers.overruns,
		.light_overruns = engine.core.light.numbers.overruns,
		.refusals = engine.core.refusals,
		.lease_expiries = engine.core.lease_expiries,
	};
	rig_past_note(&tally);
	(void)k_mutex_unlock(&engine.lock);
}

int rig_engine_check(uint32_t patience_ms, bool *active)
{
	uint64_t deadline_ns;
	uint64_t now;

	if (k_mutex_lock(&engine.lock, K_MSEC(patience_ms)) != 0) {
		return -ETIMEDOUT;
	}
	now = now_ns(NULL);
	deadline_ns = rig_core_deadline(&engine.core);
	(void)k_mutex_unlock(&engine.lock);
	*active = deadline_ns != UINT64_MAX;
	return deadline_ns < now && now - deadline_ns > patience_ms * NS_PER_MS ? -ETIMEDOUT : 0;
}
