/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The present boot has two places that are written in turn, so that one of them is whole whenever
 * a reset comes. Each note carries a check of its own: what is torn, or noise after a power-on, is
 * no note.
 */
#include "rig_past.h"

#include <stddef.h>
#include <string.h>
#include <zephyr/cache.h>
#include <zephyr/kernel.h>
#include <zephyr/linker/section_tags.h>
#include <zephyr/sys/crc.h>
#include <zephyr/sys/util.h>

#ifdef CONFIG_RIG_OUTSIDE
#include "outside.h"
#endif

/** Part of each check: another layout of notes is noise. */
#define LAYOUT UINT32_C(0x70617301)
#define REASON_BYTES 16

struct note {
	struct rig_tally tally;
	uint32_t boot_id;
	/** number of this boot since the memory was new, and of the note within the boot */
	uint32_t boot;
	uint32_t number;
	/** why it ended; empty while it runs */
	char reason[REASON_BYTES];
	uint32_t check;
};

struct retained {
	struct note past[RIG_PAST_BOOTS];
	struct note present[2];
};

static struct {
	struct retained *retained;
	struct note present;
	char reasons[RIG_PAST_BOOTS][REASON_BYTES];
	struct rig_past past[RIG_PAST_BOOTS];
	uint32_t count;
} state;

BUILD_ASSERT(sizeof(struct retained) <= RIG_PAST_BYTES);

void *rig_past_memory(void)
{
#ifdef CONFIG_RIG_OUTSIDE
	return outside_retained(sizeof(struct retained));
#else
	static __noinit struct retained memory;

	return &memory;
#endif
}

/** A reset forgets what is in the cache only. */
static void write_through(void *place, size_t len)
{
	(void)sys_cache_data_flush_range(place, len);
}

static uint32_t check_of(const struct note *note)
{
	return crc32_ieee_update(LAYOUT, (const uint8_t *)note, offsetof(struct note, check));
}

static bool is_whole(const struct note *note)
{
	return note->check == check_of(note) && note->reason[REASON_BYTES - 1] == '\0';
}

static void set_reason(struct note *note, const char *reason)
{
	memset(note->reason, 0, sizeof(note->reason));
	strncpy(note->reason, reason, sizeof(note->reason) - 1u);
}

/** The newer whole one of the present boot's places; NULL when there is none. */
static const struct note *newest_note(const struct retained *retained)
{
	const struct note *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(retained->present); i++) {
		const struct note *note = &retained->present[i];

		if (is_whole(note) &&
		    (found == NULL || (int32_t)(note->boot - found->boot) > 0 ||
		     (note->boot == found->boot && (int32_t)(note->number - found->number) > 0))) {
			found = note;
		}
	}
	return found;
}

static void write_note(void)
{
	struct note *place = &state.retained->present[state.present.number++ % 2u];

	state.present.check = check_of(&state.present);
	/* Not whole until its last word is right. */
	place->check = ~state.present.check;
	compiler_barrier();
	memcpy(place, &state.present, offsetof(struct note, check));
	compiler_barrier();
	place->check = state.present.check;
	write_through(place, sizeof(*place));
}

static void list(uint32_t newest_boot)
{
	state.count = 0;
	for (uint32_t age = 0; age < RIG_PAST_BOOTS; age++) {
		uint32_t boot = newest_boot - age;
		const struct note *note = &state.retained->past[boot % RIG_PAST_BOOTS];

		if (!is_whole(note) || note->boot != boot) {
			continue;
		}
		memcpy(state.reasons[state.count], note->reason, REASON_BYTES);
		state.past[state.count] = (struct rig_past){
			.boot_id = note->boot_id,
			.reason = state.reasons[state.count],
			.up_ns = note->tally.up_ns,
			.edge_overruns = note->tally.edge_overruns,
			.light_overruns = note->tally.light_overruns,
			.refusals = note->tally.refusals,
			.lease_expiries = note->tally.lease_expiries,
		};
		state.count++;
	}
}

/** The boot that ended becomes one of the past. */
static void lay_to_rest(const struct note *note, const char *reset_reason)
{
	struct note last = *note;

	if (last.reason[0] == '\0') {
		set_reason(&last, reset_reason);
	}
	last.check = check_of(&last);
	state.retained->past[last.boot % RIG_PAST_BOOTS] = last;
	write_through(state.retained, sizeof(*state.retained));
}

void rig_past_begin(const struct rig_identity *identity, void *memory)
{
	const struct note *note;
	uint32_t boot = 0;

	state.retained = memory;
	note = newest_note(state.retained);
	state.count = 0;
	if (note != NULL) {
		lay_to_rest(note, identity->reset_reason);
		boot = note->boot + 1u;
		list(note->boot);
	} else {
		memset(state.retained->past, 0, sizeof(state.retained->past));
	}
	state.present = (struct note){.boot_id = identity->boot_id, .boot = boot};
	write_note();
	/* The other place may hold the boot before. */
	write_note();
}

uint32_t rig_past_list(const struct rig_past **past)
{
	*past = state.past;
	return state.count;
}

void rig_past_note(const struct rig_tally *tally)
{
	state.present.tally = *tally;
	write_note();
}

void rig_past_end(const char *reason)
{
	uint64_t up_ns = (uint64_t)k_uptime_get() * NSEC_PER_MSEC;

	if (state.retained == NULL) {
		return;
	}
	set_reason(&state.present, reason);
	state.present.tally.up_ns = MAX(state.present.tally.up_ns, up_ns);
	write_note();
}
