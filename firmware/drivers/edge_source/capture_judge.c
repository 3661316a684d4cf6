/* SPDX-License-Identifier: Apache-2.0 */
#include "capture_judge.h"

/** The pin is ahead of the timer by less than two of these reads. */
#define SETTLE_READS 8u

/**
 * The level is read before the flag: an edge in between then shows as a further capture. The
 * expected level needs no proof. Another one counts when two reads agree, for an edge that has not
 * passed the timer's synchroniser yet shows at the pin; when the last two do not, there will be a
 * further capture in a moment.
 */
static void settle(const struct capture_port *port, enum capture_level expected,
		   struct capture_seen *seen)
{
	bool agree = false;
	bool last = false;

	for (uint32_t i = 0; i < SETTLE_READS; i++) {
		seen->level = port->level(port->context);
		seen->again = port->has_capture(port->context);
		agree = i > 0u && seen->level == last;
		last = seen->level;
		if (seen->again || capture_level_of(seen->level) == expected) {
			return;
		}
	}
	seen->again = !agree;
}

struct capture_seen capture_look(const struct capture_port *port, enum capture_level before)
{
	/* The capture first: an edge that replaces it from here on sets the over-capture flag. */
	struct capture_seen seen = {.captured = port->take(port->context)};
	enum capture_level expected = CAPTURE_UNKNOWN;

	seen.over = port->take_over(port->context);
	if (!seen.over && before != CAPTURE_UNKNOWN) {
		expected = capture_level_of(before == CAPTURE_LOW);
	}
	settle(port, expected, &seen);
	return seen;
}

/** The level is the pin's, unless a further capture makes that one's of it. */
static enum capture_level started_again(const struct capture_seen *seen)
{
	return seen->again ? CAPTURE_UNKNOWN : capture_level_of(seen->level);
}

/**
 * Two edges or more, of which the newest has a time. Whether their number is odd is only known
 * from the levels before and after.
 */
static struct capture_verdict judge_many(enum capture_level *before,
					 const struct capture_seen *seen)
{
	enum capture_level after = started_again(seen);
	struct capture_verdict verdict = {
		.is_edge = after != CAPTURE_UNKNOWN && after != *before,
		.level = seen->level,
		.lost = *before == CAPTURE_UNKNOWN && after != CAPTURE_UNKNOWN ? 1 : 2,
		.is_short = after != CAPTURE_UNKNOWN && after == *before,
	};

	*before = after;
	return verdict;
}

static struct capture_verdict judge_one(enum capture_level *before, const struct capture_seen *seen)
{
	enum capture_level after = *before == CAPTURE_UNKNOWN
					   ? started_again(seen)
					   : capture_level_of(*before == CAPTURE_LOW);
	struct capture_verdict verdict = {
		.is_edge = after != CAPTURE_UNKNOWN,
		.level = after == CAPTURE_HIGH,
		.lost = after == CAPTURE_UNKNOWN ? 1u : 0u,
	};

	/* Back already, and the timer did not see it. */
	if (!seen->again && capture_level_of(seen->level) != after) {
		verdict.lost++;
		verdict.is_short = true;
		after = capture_level_of(seen->level);
	}
	*before = after;
	return verdict;
}

struct capture_verdict capture_judge(enum capture_level *before, const struct capture_seen *seen,
				     bool placed)
{
	if (!placed) {
		*before = started_again(seen);
		return (struct capture_verdict){.lost = seen->over ? 2u : 1u};
	}
	return seen->over ? judge_many(before, seen) : judge_one(before, seen);
}
