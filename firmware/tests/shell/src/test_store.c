/* SPDX-License-Identifier: Apache-2.0 */
/* One record in flash: the newest whole one counts. Each test begins with blank flash. */
#include "rig_store.h"

#include "rig_keep.h"

#include <string.h>
#include <zephyr/storage/flash_map.h>
#include <zephyr/ztest.h>

#define SLOT_BYTES 512
#define SLOTS (FIXED_PARTITION_SIZE(storage_partition) / SLOT_BYTES)

static const struct flash_area *area;

static void blank(void *unused)
{
	zassert_ok(flash_area_open(FIXED_PARTITION_ID(storage_partition), &area));
	zassert_ok(flash_area_erase(area, 0, area->fa_size));
	zassert_ok(rig_store_open());
}

static void save(uint32_t value)
{
	zassert_ok(rig_store_save(&value, sizeof(value)));
}

/** The value after a start, 0 for none. */
static uint32_t loaded(void)
{
	uint32_t value = 0;
	int ret;

	zassert_ok(rig_store_open());
	ret = rig_store_load(&value, sizeof(value));
	zassert_true(ret == 0 || ret == (int)sizeof(value), "%d", ret);
	return value;
}

ZTEST(store, test_blank_flash_holds_nothing)
{
	zassert_equal(loaded(), 0);
}

ZTEST(store, test_a_record_is_there_after_a_start)
{
	save(41);
	zassert_equal(loaded(), 41);
	save(42);
	zassert_equal(loaded(), 42);
}

ZTEST(store, test_many_records_over_many_starts_never_run_out_of_room)
{
	for (uint32_t value = 1; value <= 5u * SLOTS; value++) {
		save(value);
		zassert_equal(loaded(), value);
	}
}

ZTEST(store, test_a_boot_that_saves_more_than_there_is_room_for_is_told)
{
	uint32_t value = 1;
	int ret = 0;

	for (uint32_t i = 0; i < SLOTS; i++) {
		save(value++);
	}
	ret = rig_store_save(&value, sizeof(value));
	zassert_equal(ret, -ENOSPC);
	zassert_equal(loaded(), value - 1u);
	save(value);
	zassert_equal(loaded(), value);
}

ZTEST(store, test_a_record_that_was_cut_short_leaves_the_one_before_it)
{
	uint8_t torn[SLOT_BYTES];

	save(7);
	save(8);
	/* The second one once more, behind it, as far as the power lasted. */
	zassert_ok(flash_area_read(area, SLOT_BYTES, torn, sizeof(torn)));
	torn[4] = 2;
	zassert_ok(flash_area_write(area, 2 * SLOT_BYTES, torn, 12));
	zassert_equal(loaded(), 8);
	save(9);
	zassert_equal(loaded(), 9);
}

ZTEST(store, test_a_record_that_lost_bits_leaves_the_one_before_it)
{
	const uint8_t none = 0;

	save(7);
	save(8);
	zassert_ok(flash_area_write(area, SLOT_BYTES + 16, &none, 1));
	zassert_equal(loaded(), 7);
}

ZTEST(store, test_what_somebody_else_left_there_is_ignored_and_makes_room)
{
	uint8_t noise[64];

	for (uint32_t at = 0; at < area->fa_size; at += sizeof(noise)) {
		memset(noise, (int)(at * 7u + 1u), sizeof(noise));
		zassert_ok(flash_area_write(area, at, noise, sizeof(noise)));
	}
	zassert_equal(loaded(), 0);
	save(5);
	zassert_equal(loaded(), 5);
}

ZTEST(store, test_a_record_of_another_length_is_refused)
{
	uint8_t record[RIG_STORE_BYTES + 1] = {0};

	zassert_equal(rig_store_save(record, sizeof(record)), -EMSGSIZE);
	zassert_ok(rig_store_save(record, RIG_STORE_BYTES));
	zassert_equal(rig_store_load(record, 8), -EMSGSIZE);
	zassert_equal(rig_store_load(record, sizeof(record)), RIG_STORE_BYTES);
}

/* ------------------------------------------------------------------------ the calibration -- */

static const struct rig_calibration measured = {
	.has_clock = true,
	.clock_ppb = -12345,
	.held_ns = 800,
	.latency_count = 2,
	.latencies = {{.channel = 1, .mean_ns = -5, .sd_ns = 6, .dev_ns = 7, .count = 8},
		      {.channel = 3, .mean_ns = 900, .sd_ns = 10, .dev_ns = 11, .count = 12}},
};

static struct rig_calibration found;

ZTEST(store, test_a_calibration_comes_back_as_it_was)
{
	zassert_ok(rig_keep_save(&measured));
	rig_keep_load(&found);
	zassert_true(found.has_clock);
	zassert_equal(found.clock_ppb, -12345);
	zassert_equal(found.held_ns, 800);
	zassert_equal(found.latency_count, 2);
	zassert_mem_equal(found.latencies, measured.latencies, sizeof(found.latencies));
}

ZTEST(store, test_a_calibration_of_another_make_is_none)
{
	uint8_t kept[RIG_STORE_BYTES];
	int len;

	zassert_ok(rig_keep_save(&measured));
	len = rig_store_load(kept, sizeof(kept));
	zassert_true(len > 8);
	/* Its version, its board, its number of channels. */
	for (size_t at = 0; at < 8u; at++) {
		uint8_t changed[RIG_STORE_BYTES];

		if (at == 2u) {
			continue;
		}
		memcpy(changed, kept, sizeof(changed));
		changed[at] ^= 0x40u;
		zassert_ok(rig_store_save(changed, (size_t)len));
		rig_keep_load(&found);
		zassert_false(found.has_clock, "byte %zu", at);
		zassert_equal(found.latency_count, 0);
	}
	zassert_ok(rig_store_save(kept, (size_t)len - 1u));
	rig_keep_load(&found);
	zassert_false(found.has_clock);
	zassert_ok(rig_store_save(kept, (size_t)len));
	rig_keep_load(&found);
	zassert_true(found.has_clock);
}

ZTEST_SUITE(store, NULL, NULL, blank, NULL, NULL);
