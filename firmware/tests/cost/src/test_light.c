/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What samples of light cost, in instructions of a Cortex-M3: QEMU's clock goes by them. A press
 * may end late by what one piece of samples takes.
 */
#include "instructions.h"
#include "rig_internal.h"

#include <zephyr/kernel.h>
#include <zephyr/ztest.h>

#define HZ 50000u
#define PIECE CONFIG_RIG_LIGHT_SAMPLES_AT_ONCE

static struct rig_light light;
static struct rig_light_block blocks[256];
static uint16_t kept[4000];
static uint16_t counts[PIECE];

struct cost {
	uint64_t sum;
	uint32_t worst;
	uint32_t pieces;
};

/** Noise of one count about a level. */
static void fill(uint16_t level)
{
	static uint32_t noise = 1;

	for (uint32_t i = 0; i < PIECE; i++) {
		noise = noise * 1664525u + 1013904223u;
		counts[i] = (uint16_t)(level + (noise >> 30));
	}
}

static struct cost play(uint64_t *t_ns, uint32_t duration_ms, uint16_t level)
{
	struct cost cost = {.sum = 0};

	for (uint32_t left = duration_ms * HZ / 1000u / PIECE; left > 0u; left--) {
		uint32_t start;
		uint32_t taken;

		fill(level);
		start = k_cycle_get_32();
		rig_light_samples(&light, *t_ns, counts, PIECE);
		taken = instructions(k_cycle_get_32() - start);
		cost.sum += taken;
		cost.worst = MAX(cost.worst, taken);
		cost.pieces++;
		*t_ns += PIECE * UINT64_C(1000000000) / HZ;
	}
	return cost;
}

static void tell(const char *phase, const struct cost *cost)
{
	TC_PRINT("%-10s %5u instructions for %u samples at most, %3u a sample in the mean\n", phase,
		 cost->worst, PIECE, (uint32_t)(cost->sum / cost->pieces / PIECE));
	/* 0.3 ms of the slowest CPU, an RP2040 at 125 MHz and 1.5 cycles for an instruction. */
	zassert_true(cost->worst < 25000u);
}

ZTEST(cost, test_a_piece_of_samples_holds_the_lock_for_a_bounded_time)
{
	const struct rig_onset_config onset = {
		.slots = kept, .capacity = ARRAY_SIZE(kept), .rate_hz = HZ, .full_scale = 4095};
	struct rig_onset_result result;
	uint64_t t_ns = 1000000;
	struct cost cost;
	uint32_t start;

	rig_light_init(&light, blocks, ARRAY_SIZE(blocks), &onset);
	rig_light_arm(&light, t_ns, UINT64_MAX);
	cost = play(&t_ns, 110, 40);
	tell("baseline", &cost);
	cost = play(&t_ns, 500, 40);
	tell("dark", &cost);
	cost = play(&t_ns, 500, 2600);
	tell("rising", &cost);
	cost = play(&t_ns, 1200, 2600);
	tell("settling", &cost);
	start = k_cycle_get_32();
	rig_light_onset(&light, t_ns, &result);
	zassert_equal(result.state, RIG_ONSET_OK);
	TC_PRINT("onset      %5u instructions\n", instructions(k_cycle_get_32() - start));
}

ZTEST_SUITE(cost, NULL, NULL, NULL, NULL, NULL);
