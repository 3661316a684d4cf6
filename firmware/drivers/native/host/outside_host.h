/* SPDX-License-Identifier: Apache-2.0 */
/** What the files of the host's side say to each other. */
#ifndef OUTSIDE_HOST_H
#define OUTSIDE_HOST_H

#include "../outside.h"

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

/** Never, as a simulated or host time. */
#define OUTSIDE_NEVER UINT64_MAX

/** Longest file name of a link or socket, as sun_path has it. */
#define OUTSIDE_PATH_BYTES 108

/* ----------------------------------------------------------------------------------- time -- */

/** @return CLOCK_MONOTONIC_RAW */
uint64_t outside_time_now_ns(void);

/** Simulated time 0 is now. */
void outside_time_start(void);

/** @return CLOCK_MONOTONIC_RAW at a simulated time */
uint64_t outside_time_host_ns(uint64_t simulated_us);

/** @return simulated time at a CLOCK_MONOTONIC_RAW, rounded down; 0 for what was before the start
 */
uint64_t outside_time_simulated_us(uint64_t host_ns);

/* ------------------------------------------------------------------------ pseudo-terminal -- */

/** Say what to wait for. */
struct pollfd outside_pty_pollfd(void);

/** Read what has arrived; what arrived before must have been taken. */
void outside_pty_fill(void);

/** Write what is queued, as far as the terminal takes it. */
void outside_pty_flush(void);

/* ---------------------------------------------------------------------------------- wires -- */

/** Say what to wait for; fd -1 when there is no socket or no room for messages. */
struct pollfd outside_wires_pollfd(void);

/** Read what has arrived at a simulated time, as far as there is room. */
void outside_wires_fill(uint64_t arrived_us);

/** @return simulated time of the first change that is not taken yet, or OUTSIDE_NEVER */
uint64_t outside_wires_due_us(void);

/* -------------------------------------------------------------------------------- options -- */

/** What the command line asked for; empty where it did not. */
struct outside_options {
	char *link;
	char *wires;
};

const struct outside_options *outside_options(void);

/* ---------------------------------------------------------------------------------- birth -- */

/** What one run of the program leaves to the next. */
struct outside_estate {
	int pty_fd;
	int pty_slave_fd;
	int wires_fd;
	int retained_fd;
	int flash_fd;
	struct outside_change wires;
	uint16_t light_mv;
	uint32_t load_mw;
	/** whom outputs were reported to, empty for nobody */
	char peer[OUTSIDE_PATH_BYTES];
};

/** @return NULL in the first run */
const struct outside_estate *outside_estate(void);

/** Fill in one's part. */
typedef void (*outside_bequeath)(struct outside_estate *estate);

/** Be asked for one's part before a reboot. */
void outside_at_reboot(outside_bequeath bequeath);

#endif
