/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What the simulated board (Zephyr's side) may ask of the simulator's outside (the host's side).
 *
 * Included by both sides, so it keeps to what every C library has. All functions are for the
 * board's side, which runs while simulated time stands still.
 */
#ifndef OUTSIDE_H
#define OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Interrupt lines of native_sim that nothing of Zephyr's uses. */
#define OUTSIDE_PTY_IRQ 10
#define OUTSIDE_WIRES_IRQ 11

/* ------------------------------------------------------------------------ pseudo-terminal -- */

/** @return bytes copied, 0 when none have arrived */
size_t outside_pty_read(uint8_t *bytes, size_t room);

/** @return whether bytes have arrived */
bool outside_pty_has_input(void);

/** Queue one byte; it goes out before simulated time moves on. Dropped when nobody reads. */
void outside_pty_write(uint8_t byte);

/* ---------------------------------------------------------------------------------- wires -- */

/** In a mask: not levels, but the photodiode's voltage in the lower 16 bits of values [mV]. */
#define OUTSIDE_LIGHT (UINT32_C(1) << 31)

/** In a mask: not levels, but what the DUT draws in the lower 24 bits of values [mW]. */
#define OUTSIDE_LOAD (UINT32_C(1) << 30)

/** A change of input wires: bit n of values counts where bit n of mask is 1. */
struct outside_change {
	uint32_t mask;
	uint32_t values;
};

/**
 * Take the next change that is due.
 *
 * @return false when there is none
 */
bool outside_wires_take(struct outside_change *change);

/** @return the levels that the wires have been given so far, also before a reboot */
struct outside_change outside_wires_now(void);

/** @return the photodiode's voltage, likewise */
uint16_t outside_light_mv(void);

/** @return what the DUT draws, likewise */
uint32_t outside_load_mw(void);

/** Tell the outside the levels of the outputs in mask. */
void outside_wires_report(uint32_t mask, uint32_t values);

/* ----------------------------------------------------------------------------------- boot -- */

/** @return noise of the host */
uint32_t outside_random(void);

/** Start the program anew; the pseudo-terminal and the socket stay open. Does not return. */
void outside_reboot(void);

/**
 * @return memory that reboots leave alone, all 0 at first; the same one at each call
 */
void *outside_retained(size_t bytes);

/** @return whether this run of the program came from outside_reboot() */
bool outside_is_reborn(void);

#endif
