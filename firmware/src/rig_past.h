/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What became of the boots before this one, in memory that a reset leaves alone.
 *
 * A power loss makes it forget. Notes are taken at least each second, and at once when something
 * ends the boot, so counters may be a second old; a note that a reset cut short leaves the one
 * before it.
 */
#ifndef RIG_PAST_H
#define RIG_PAST_H

#include "rig_core.h"
#include "rig_identity.h"

/** How many earlier boots are kept. */
#define RIG_PAST_BOOTS 8

/** What is noted of a boot. */
struct rig_tally {
	uint64_t up_ns;
	uint32_t edge_overruns;
	uint32_t light_overruns;
	uint32_t refusals;
	uint32_t lease_expiries;
};

/** Bytes of memory that it takes. */
#define RIG_PAST_BYTES 640

/** @return this board's memory that a reset leaves alone, RIG_PAST_BYTES of it */
void *rig_past_memory(void);

/**
 * Take over what the boot before left, and begin with this one; once, early in main().
 *
 * @param memory RIG_PAST_BYTES, aligned as uint64_t; whatever it holds
 */
void rig_past_begin(const struct rig_identity *identity, void *memory);

/**
 * @param past set to the earlier boots, newest first; stays as it is until rig_past_begin()
 * @return how many
 */
uint32_t rig_past_list(const struct rig_past **past);

/** Note how this boot fares. One thread at a time. */
void rig_past_note(const struct rig_tally *tally);

/**
 * Note why this boot is about to end, before it does; for any context, a fault's too.
 *
 * @param reason told instead of the reset's own, 15 characters at most
 */
void rig_past_end(const char *reason);

#endif
