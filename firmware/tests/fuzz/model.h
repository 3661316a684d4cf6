/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What must hold of a board, kept apart from the core: a model that hears what was asked and what
 * was driven, and aborts when the two do not go together.
 */
#ifndef RIG_FUZZ_MODEL_H
#define RIG_FUZZ_MODEL_H

#include "rig_core.h"
#include "rig_internal.h"

#define MS UINT64_C(1000000)
#define S UINT64_C(1000000000)

#define MODEL_EDGES 8
#define MODEL_LIGHT 4
#define MODEL_LEASE_NS (3 * S)
#define MODEL_PRESS_NS (1 * S)
#define MODEL_FORCE_NS (12 * S)

#define MODEL_BOOT 7

/** Indices of the actuators; two presses, so that one cannot stand in for the other. */
enum { MODEL_BUTTON, MODEL_LID, MODEL_FINGER, MODEL_ACTUATORS };

struct model_output {
	bool driven;
	uint64_t since_ns;
	/** the newest accepted token, which a repeat carries again */
	bool has_token;
	uint32_t token;
	/** another one may have been accepted since */
	bool doubtful;
};

struct model {
	struct rig_core core;
	uint64_t now_ns;
	/** newest time at which a request had arrived */
	uint64_t contact_ns;
	bool heard;
	/** a press named force_off was accepted and may still be under way */
	bool forced;
	uint32_t levels;
	uint32_t edges;
	/** what was stored last, and whether storing fails */
	struct rig_calibration stored;
	bool store_fails;
	struct model_output outputs[MODEL_ACTUATORS];
	struct rig_edge edge_slots[MODEL_EDGES];
	struct rig_light_block light_slots[MODEL_LIGHT];
};

/** A fresh board at 10 s, all levels high. */
void model_start(struct model *model);

/** Time goes on, and the shell ticks at each deadline, or once, late. */
void model_advance(struct model *model, uint64_t step_ns, bool late);

void model_edge(struct model *model, uint32_t channel, bool level);

/** The wires of a running loop-back take the level of its output. */
void model_echo(struct model *model);

/**
 * One request that had arrived lag_ns ago, with room bytes for its reply.
 *
 * @return whether the board did what it was asked
 */
bool model_request(struct model *model, uint32_t command, bool write, uint64_t lag_ns,
		   const uint8_t *bytes, size_t len, size_t room);

/** Abort unless the board is as it must be at any time. */
void model_check(const struct model *model);

/** Say what is wrong, and abort. */
void model_fail(const struct model *model, const char *what);

#endif
