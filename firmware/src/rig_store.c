/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why not Zephyr's settings: NVS takes sectors of 64 KiB at most, and those of the Nucleos have 128
 * and 256; and it erases in the middle of a write, with interrupts off.
 */
#include "rig_store.h"

#include <stdbool.h>
#include <string.h>
#include <zephyr/drivers/flash.h>
#include <zephyr/logging/log.h>
#include <zephyr/storage/flash_map.h>
#include <zephyr/sys/crc.h>
#include <zephyr/sys/util.h>

LOG_MODULE_REGISTER(rig_store, CONFIG_RIG_LOG_LEVEL);

#define MAGIC UINT32_C(0x52445331)
/** A whole number of the RP2040's pages. */
#define SLOT_BYTES 512u
#define MOST_SECTORS 16u
/** A whole number of every flash's write blocks; no more is written than is needed. */
#define WRITE_BYTES 32u
/** So many records can be written before the next start. */
#define SPARE_SLOTS 4u

struct head {
	uint32_t magic;
	/** of the record; behind the newest one of 2^32 */
	uint32_t sequence;
	uint32_t len;
	/** of sequence, len and record */
	uint32_t check;
};

struct slot {
	struct head head;
	uint8_t record[SLOT_BYTES - sizeof(struct head)];
};

BUILD_ASSERT(sizeof(struct slot) == SLOT_BYTES);
BUILD_ASSERT(RIG_STORE_BYTES == SLOT_BYTES - sizeof(struct head));

static struct {
	const struct flash_area *area;
	struct slot slot;
	bool has_record;
	uint32_t newest;
	uint32_t sequence;
	uint32_t next;
} store;

static uint32_t check_of(const struct slot *slot)
{
	uint32_t check = crc32_ieee((const uint8_t *)&slot->head.sequence,
				    sizeof(slot->head.sequence) + sizeof(slot->head.len));

	return crc32_ieee_update(check, slot->record, slot->head.len);
}

static uint32_t slots(void)
{
	return (uint32_t)(store.area->fa_size / SLOT_BYTES);
}

/** Read a slot into store.slot. */
static int read_slot(uint32_t number)
{
	return flash_area_read(store.area, (off_t)number * SLOT_BYTES, &store.slot, SLOT_BYTES);
}

/**
 * Read a slot that a loss of power may have left half written: flash with ECC then refuses to read
 * it (STM32H7: -EIO), which makes it a place that holds no record and is not blank.
 */
static int look_at_slot(uint32_t number)
{
	int ret = read_slot(number);

	if (ret == -EIO) {
		memset(&store.slot, (uint8_t)~flash_area_erased_val(store.area), SLOT_BYTES);
		ret = 0;
	}
	return ret;
}

static bool is_whole(void)
{
	const struct slot *slot = &store.slot;

	return slot->head.magic == MAGIC && slot->head.len <= sizeof(slot->record) &&
	       slot->head.check == check_of(slot);
}

static bool is_blank(void)
{
	const uint8_t *bytes = (const uint8_t *)&store.slot;
	uint8_t erased = flash_area_erased_val(store.area);

	for (size_t i = 0; i < SLOT_BYTES; i++) {
		if (bytes[i] != erased) {
			return false;
		}
	}
	return true;
}

/** Find the newest record; what is neither one nor blank was torn, or is somebody else's. */
static int find_newest(void)
{
	uint32_t strange = 0;

	store.has_record = false;
	for (uint32_t i = 0; i < slots(); i++) {
		int ret = look_at_slot(i);

		if (ret < 0) {
			return ret;
		}
		if (!is_whole()) {
			strange += is_blank() ? 0u : 1u;
		} else if (!store.has_record ||
			   (int32_t)(store.slot.head.sequence - store.sequence) > 0) {
			store.has_record = true;
			store.newest = i;
			store.sequence = store.slot.head.sequence;
		}
	}
	if (strange > 0u) {
		LOG_WRN("Ignored %u places of the storage that hold no whole record", strange);
	}
	return 0;
}

/** Blank slots from a number on, SPARE_SLOTS at most; below 0: the driver's error. */
static int count_blank(uint32_t from)
{
	uint32_t count = 0;

	while (count < SPARE_SLOTS) {
		int ret = look_at_slot((from + count) % slots());

		if (ret < 0) {
			return ret;
		}
		if (!is_blank()) {
			break;
		}
		count++;
	}
	return (int)count;
}

static bool holds_newest(const struct flash_sector *sector)
{
	uint32_t at = store.newest * SLOT_BYTES;

	return store.has_record && at >= (uint32_t)sector->fs_off &&
	       at - (uint32_t)sector->fs_off < sector->fs_size;
}

/** Erase all sectors but that of the newest record, which goes on behind it. */
static int erase_others(const struct flash_sector *sectors, uint32_t count)
{
	int ret = 0;

	for (uint32_t i = 0; i < count && ret == 0; i++) {
		if (holds_newest(&sectors[i])) {
			store.next = (uint32_t)(sectors[i].fs_off + sectors[i].fs_size) /
				     SLOT_BYTES % slots();
		} else {
			ret = flash_area_erase(store.area, sectors[i].fs_off, sectors[i].fs_size);
		}
	}
	return ret;
}

/** Write store.slot to the next place and read it back. */
static int write_slot(void)
{
	uint32_t place = store.next;
	uint32_t sequence = store.slot.head.sequence;
	size_t len = ROUND_UP(sizeof(struct head) + store.slot.head.len, WRITE_BYTES);
	int ret = flash_area_write(store.area, (off_t)place * SLOT_BYTES, &store.slot, len);

	/* Whatever became of it, this place is used. */
	store.next = (place + 1u) % slots();
	if (ret == 0) {
		ret = read_slot(place);
	}
	if (ret < 0) {
		return ret;
	}
	if (!is_whole() || store.slot.head.sequence != sequence) {
		return -EIO;
	}
	store.has_record = true;
	store.newest = place;
	store.sequence = sequence;
	return 0;
}

/** One sector only: erased with the newest record, which is written again. */
static int rewrite(const struct flash_sector *sector)
{
	int ret = store.has_record ? read_slot(store.newest) : 0;

	if (ret == 0) {
		ret = flash_area_erase(store.area, sector->fs_off, sector->fs_size);
	}
	store.next = 0;
	return ret == 0 && store.has_record ? write_slot() : ret;
}

static int make_room(void)
{
	struct flash_sector sectors[MOST_SECTORS];
	uint32_t count = MOST_SECTORS;
	int ret = flash_area_get_sectors(FIXED_PARTITION_ID(storage_partition), &count, sectors);

	if (ret < 0) {
		return ret;
	}
	return count == 1u ? rewrite(&sectors[0]) : erase_others(sectors, count);
}

int rig_store_open(void)
{
	int ret = flash_area_open(FIXED_PARTITION_ID(storage_partition), &store.area);

	ret = ret < 0 ? ret : find_newest();
	if (ret == 0) {
		store.next = store.has_record ? (store.newest + 1u) % slots() : 0u;
		ret = count_blank(store.next);
	}
	if (ret >= 0 && ret < (int)SPARE_SLOTS) {
		ret = make_room();
	}
	if (ret < 0) {
		store.area = NULL;
		return ret;
	}
	return 0;
}

int rig_store_load(void *record, size_t room)
{
	int ret;

	if (store.area == NULL) {
		return -ENODEV;
	}
	if (!store.has_record) {
		return 0;
	}
	ret = read_slot(store.newest);
	if (ret < 0) {
		return ret;
	}
	if (store.slot.head.len > room) {
		return -EMSGSIZE;
	}
	memcpy(record, store.slot.record, store.slot.head.len);
	return (int)store.slot.head.len;
}

int rig_store_save(const void *record, size_t len)
{
	int ret;

	if (store.area == NULL) {
		return -ENODEV;
	}
	if (len > RIG_STORE_BYTES) {
		return -EMSGSIZE;
	}
	ret = read_slot(store.next);
	if (ret < 0) {
		return ret;
	}
	if (!is_blank()) {
		return -ENOSPC;
	}
	store.slot.head = (struct head){
		.magic = MAGIC,
		.sequence = store.has_record ? store.sequence + 1u : 0u,
		.len = (uint32_t)len,
	};
	memset(store.slot.record, flash_area_erased_val(store.area), sizeof(store.slot.record));
	memcpy(store.slot.record, record, len);
	store.slot.head.check = check_of(&store.slot);
	return write_slot();
}

bool rig_store_is_open(void)
{
	return store.area != NULL;
}
