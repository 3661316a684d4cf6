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
#define MODEL_POWER 4
#define MODEL_LEASE_NS (3 * S)
#define MODEL_PRESS_NS (1 * S)
#define MODEL_FORCE_NS (12 * S)
#define MODEL_RELEASE_NS (100 * MS)
#define MODEL_WINDOW_NS (5 * S)
#define MODEL_DRIVEN_NS (2 * S)
#define MODEL_HOLD_NS (20 * S)
#define MODEL_CONTACT_RELEASE_NS (1 * S)
#define MODEL_CONTACT_HOLD_NS (6 * S)

/** What the least release time leaves room for in a window, and some. */
#define MODEL_PULSES 64

/** One byte in a request. */
#define MODEL_BOOT 7
/** Eight, so that no bytes hold it by chance. */
#define MODEL_NONCE UINT64_C(0x5ca1ab1edeadfa11)

/** Indices of the actuators; two presses and two holds, so that none can stand in for the other. */
enum { MODEL_BUTTON, MODEL_LID, MODEL_KEY, MODEL_CONTACT, MODEL_ACTUATORS };

struct model_pulse {
	uint64_t begin_ns;
	uint64_t end_ns;
};

struct model_output {
	bool driven;
	uint64_t since_ns;
	uint64_t released_ns;
	/** the newest pulses that no force_off press and no loop-back made, in a ring */
	struct model_pulse pulses[MODEL_PULSES];
	uint32_t pulse_count;
	/** of accepted requests, which a repeat carries again: bit n for token n of 0 to 7 */
	uint32_t tokens;
	/** others may have been accepted since */
	bool doubtful;
};

/** What a model knows of who asked. */
struct model_host {
	bool named;
	uint32_t number;
	/** the request was any bytes */
	bool doubtful;
};

struct model {
	struct rig_core core;
	uint64_t now_ns;
	/** newest time at which a request of the owner had arrived that was understood */
	uint64_t contact_ns;
	bool heard;
	/** who started what is under way */
	struct model_host owner;
	/** a press named force_off was accepted and may still be under way */
	bool forced;
	uint32_t levels;
	uint32_t edges;
	/** what was stored last, and whether storing fails */
	struct rig_calibration stored;
	bool store_fails;
	/** it has said that it will leave for its bootloader */
	bool leaving;
	/** one command of another group is permitted before; 0: none */
	uint64_t permit_until_ns;
	struct model_output outputs[MODEL_ACTUATORS];
	struct rig_edge edge_slots[MODEL_EDGES];
	struct rig_light_block light_slots[MODEL_LIGHT];
	struct rig_power_sample power_slots[MODEL_POWER];
	/** samples of power that came in */
	uint32_t powers;
};

/** A fresh board at 10 s, all levels high. */
void model_start(struct model *model);

/** Time goes on, and the shell ticks at each deadline, or once, late. */
void model_advance(struct model *model, uint64_t step_ns, bool late);

void model_edge(struct model *model, uint32_t channel, bool level);

/** A sample of the power monitor, of now. */
void model_power(struct model *model, int32_t bus_uv, int32_t current_ua);

/** Whether an actuator is held until it is told otherwise. */
bool model_is_hold(uint32_t actuator);

/** The wires of a running loop-back take the level of its output. */
void model_echo(struct model *model);

/**
 * One request that had arrived lag_ns ago, with room bytes for its reply.
 *
 * @param host who asks by what stands in bytes
 * @return whether the board did what it was asked
 */
bool model_request(struct model *model, uint32_t command, bool write, uint64_t lag_ns,
		   const struct model_host *host, const uint8_t *bytes, size_t len, size_t room);

/** A command of another group asks for its permit. */
void model_take_permit(struct model *model);

/** Abort unless the board is as it must be at any time. */
void model_check(const struct model *model);

/** Say what is wrong, and abort. */
void model_fail(const struct model *model, const char *what);

#endif
