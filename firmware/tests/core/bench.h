/* SPDX-License-Identifier: Apache-2.0 */
/**
 * A board without a board: the core with a clock that stands where it is put, and a record of what
 * was driven when.
 */
#ifndef RIG_TEST_BENCH_H
#define RIG_TEST_BENCH_H

#include "rig_core.h"
#include "rig_internal.h"

#define BENCH_EDGES 8
#define BENCH_LIGHT 4
#define BENCH_ONSET 128
#define BENCH_DRIVES 64
#define BENCH_POWER 4
#define BENCH_REPLY 1024

#define MS UINT64_C(1000000)
#define S UINT64_C(1000000000)

/** Of bench_config(), and so small that each is one byte of CBOR. */
#define BENCH_BOOT 7u
#define BENCH_NONCE 5u

/** Indices of bench_start()'s actuators. */
enum { BUTTON, LID };

struct bench_drive {
	uint64_t t_ns;
	uint32_t actuator;
	bool driven;
};

struct bench {
	struct rig_core core;
	uint64_t now_ns;
	/** drives since bench_start() or bench_forget(); the first BENCH_DRIVES are kept */
	struct bench_drive drives[BENCH_DRIVES];
	uint32_t drive_count;
	bool driven[RIG_MAX_ACTUATORS];
	/** what the shell adds to the self-test */
	const struct rig_check *checks;
	uint32_t check_count;
	/** what was stored last, how often, and what storing returns */
	struct rig_calibration stored;
	uint32_t store_count;
	int store_rc;
	/** what bench_keyboard() tells */
	struct rig_keyboard keyboard;
	struct rig_power_sample power[BENCH_POWER];
	/** how often the board left for its bootloader */
	uint32_t leave_count;
	struct rig_edge edges[BENCH_EDGES];
	struct rig_light_block light[BENCH_LIGHT];
	/** for boards that look for the onset of light; that of bench_start() does not */
	uint16_t onset[BENCH_ONSET];
	uint8_t reply[BENCH_REPLY];
	size_t reply_len;
};

/** A BUTTON (1 s, forced 12 s) and a LID, 9 channels at level 1, a lease of 3 s, time 10 s. */
void bench_start(struct bench *bench);

/**
 * The same with limits: 100 ms of release, 2 s driven in any 5 s, a hold of 60 s. Nothing is
 * driven in the first 100 ms.
 */
void bench_start_limited(struct bench *bench);

/** The configuration of bench_start(), for tests that change it. */
struct rig_config bench_config(struct bench *bench);

/** For configurations of boards that are keyboards. */
void bench_keyboard(void *context, struct rig_keyboard *keyboard);

/** Initialise with another configuration whose context is this bench. */
int bench_start_with(struct bench *bench, const struct rig_config *config, uint32_t levels);

/** Forget the drives recorded so far. */
void bench_forget(struct bench *bench);

/** Put the clock at now_ns and tick. */
void bench_tick(struct bench *bench, uint64_t now_ns);

/** A request that arrives and is handled at now_ns; the reply is in bench->reply. */
int bench_request(struct bench *bench, uint32_t command, bool write, const void *in, size_t in_len);

/** @return "rc" of the error reply held, 0 when it is none */
uint32_t bench_error(const struct bench *bench);

#endif
