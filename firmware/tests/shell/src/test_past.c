/* SPDX-License-Identifier: Apache-2.0 */
/* What a boot leaves to the next ones. Each test begins with memory as a power-on leaves it. */
#include "rig_past.h"

#include <string.h>
#include <zephyr/kernel.h>
#include <zephyr/ztest.h>

static union {
	uint64_t aligned;
	uint8_t bytes[RIG_PAST_BYTES];
} memory;

static const struct rig_past *past;

static void boot(uint32_t boot_id, const char *reason)
{
	const struct rig_identity identity = {.boot_id = boot_id, .reset_reason = reason};

	rig_past_begin(&identity, &memory);
}

static void note(uint64_t up_ns, uint32_t refusals)
{
	const struct rig_tally tally = {
		.up_ns = up_ns, .edge_overruns = 1, .light_overruns = 2, .refusals = refusals};

	rig_past_note(&tally);
}

static void power_on(void *unused)
{
	memset(&memory, 0xa5, sizeof(memory));
	boot(1, "power-on");
}

ZTEST(past, test_noise_after_a_power_on_is_no_past)
{
	zassert_equal(rig_past_list(&past), 0);
}

ZTEST(past, test_a_boot_is_told_by_the_next_one_with_its_newest_note)
{
	note(10, 3);
	note(20, 4);
	boot(2, "watchdog");
	zassert_equal(rig_past_list(&past), 1);
	zassert_equal(past[0].boot_id, 1);
	zassert_str_equal(past[0].reason, "watchdog");
	zassert_equal(past[0].up_ns, 20);
	zassert_equal(past[0].edge_overruns, 1);
	zassert_equal(past[0].light_overruns, 2);
	zassert_equal(past[0].refusals, 4);
	zassert_equal(past[0].lease_expiries, 0);
}

ZTEST(past, test_a_boot_that_noted_nothing_is_told_too)
{
	boot(2, "pin");
	boot(3, "software");
	zassert_equal(rig_past_list(&past), 2);
	zassert_equal(past[0].boot_id, 2);
	zassert_str_equal(past[0].reason, "software");
	zassert_equal(past[1].boot_id, 1);
	zassert_str_equal(past[1].reason, "pin");
}

ZTEST(past, test_the_last_eight_are_kept_newest_first)
{
	for (uint32_t id = 2; id <= 20u; id++) {
		note(id, 0);
		boot(id, "software");
	}
	zassert_equal(rig_past_list(&past), RIG_PAST_BOOTS);
	for (uint32_t i = 0; i < RIG_PAST_BOOTS; i++) {
		zassert_equal(past[i].boot_id, 19u - i);
		zassert_equal(past[i].up_ns, 20u - i);
	}
}

ZTEST(past, test_why_it_ends_is_told_instead_of_the_resets_reason)
{
	note(5, 0);
	k_sleep(K_MSEC(2));
	rig_past_end("a reason that is longer than its place");
	boot(2, "software");
	zassert_equal(rig_past_list(&past), 1);
	zassert_str_equal(past[0].reason, "a reason that i");
	zassert_true(past[0].up_ns >= 2 * NSEC_PER_MSEC);
	zassert_equal(past[0].edge_overruns, 1);
}

ZTEST(past, test_a_note_that_was_cut_short_leaves_the_one_before_it)
{
	uint8_t before[RIG_PAST_BYTES];
	uint32_t changed = 0;

	note(10, 1);
	memcpy(before, &memory, sizeof(before));
	note(20, 2);
	/* Half of what the second note wrote did not come to be. */
	for (size_t i = 0; i < sizeof(before); i++) {
		if (before[i] != memory.bytes[i] && changed++ % 2u == 0u) {
			memory.bytes[i] = before[i];
		}
	}
	zassert_true(changed > 1u);
	boot(2, "brownout");
	zassert_equal(rig_past_list(&past), 1);
	zassert_equal(past[0].up_ns, 10);
	zassert_equal(past[0].refusals, 1);
}

ZTEST(past, test_any_bit_that_fell_over_costs_one_boot_at_most)
{
	uint8_t whole[RIG_PAST_BYTES];

	for (uint32_t id = 2; id <= 4u; id++) {
		note(id, 0);
		boot(id, "software");
	}
	memcpy(whole, &memory, sizeof(whole));
	for (size_t i = 0; i < sizeof(whole); i++) {
		memcpy(&memory, whole, sizeof(whole));
		memory.bytes[i] ^= (uint8_t)BIT(i % 8u);
		boot(5, "software");
		zassert_true(rig_past_list(&past) >= 3u, "byte %zu", i);
	}
}

ZTEST_SUITE(past, NULL, NULL, power_on, NULL, NULL);
