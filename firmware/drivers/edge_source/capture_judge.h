/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What a capture of both edges says. Pure: registers are behind functions of the caller's.
 *
 * The hardware tells when an edge was, not which one. As long as none is lost they alternate; the
 * pin's level is the proof, and what is started from again when one was lost.
 */
#ifndef CAPTURE_JUDGE_H
#define CAPTURE_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

enum capture_level {
	CAPTURE_LOW,
	CAPTURE_HIGH,
	/** edges were lost, and the level could not be told since */
	CAPTURE_UNKNOWN,
};

/** A capture input, and its pin. */
struct capture_port {
	/** newest capture; taking it clears what has_capture() tells */
	uint32_t (*take)(void *context);
	/** whether a capture replaced one that nobody had taken; telling clears it */
	bool (*take_over)(void *context);
	/** whether there is a capture that nobody has taken */
	bool (*has_capture)(void *context);
	/** level of the pin, which may be ahead of the captures by the timer's synchroniser */
	bool (*level)(void *context);
	void *context;
};

/** One capture, as its interrupt found it. */
struct capture_seen {
	uint32_t captured;
	/** over-capture flag: it replaced an older one that nobody had read */
	bool over;
	/** there is another capture already, so level may be that one's */
	bool again;
	/** level of the pin after the capture was taken */
	bool level;
};

struct capture_verdict {
	/** an edge to hand over, and the level from then on */
	bool is_edge;
	bool level;
	/** edges that happened and cannot be handed over, at least */
	uint32_t lost;
	/** a pulse came back to its old level before it could be resolved */
	bool is_short;
};

/**
 * Take a capture, and wait for a moment in which pin and timer agree about what came after it.
 *
 * @param before level up to this capture
 */
struct capture_seen capture_look(const struct capture_port *port, enum capture_level before);

/**
 * @param before level up to this capture; set to the one after it
 * @param placed whether the capture's time is known
 */
struct capture_verdict capture_judge(enum capture_level *before, const struct capture_seen *seen,
				     bool placed);

/** @return a level that is known */
static inline enum capture_level capture_level_of(bool level)
{
	return level ? CAPTURE_HIGH : CAPTURE_LOW;
}

#endif
