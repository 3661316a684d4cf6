/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The change detector that a PIO state machine of the RP2040 runs.
 *
 * X counts down, one in each round of PIO_ROUND_CYCLES; every round samples all 32 inputs once. Y
 * holds the inputs as last recorded. A change pushes two words, the counter and then the inputs, in
 * two rounds' time, so no tick is lost. Automatic pushes do not lose a word when the FIFO is full:
 * the machine stops, and says so (FDEBUG.RXSTALL).
 *
 * host/tests/firmware/test_pio_program.py reads this file and runs the words.
 */
#ifndef PIO_PROGRAM_H
#define PIO_PROGRAM_H

#include <stdint.h>

/** Cycles between two samples; two rounds after a recorded change. */
#define PIO_ROUND_CYCLES 5

/** Where the machine begins, and where it goes on behind the last word. */
#define PIO_LOOP 7

/** The input shift register pushes itself when it has this many bits. */
#define PIO_PUSH_BITS 32

static const uint16_t pio_words[] = {
	0x40e0, /* changed: in osr, 32 - the counter */
	0x4020, /*          in x, 32 - the inputs */
	0xa041, /*          mov y, x */
	0xa027, /*          mov x, osr */
	0xc010, /*          irq 0 rel */
	0x0046, /*          jmp x--, second - for the second round */
	0x0047, /* second:  jmp x--, loop */
	0xa0e1, /* loop:    mov osr, x */
	0xa020, /*          mov x, pins */
	0x00a0, /*          jmp x!=y, changed */
	0xa027, /*          mov x, osr */
	0x0047, /*          jmp x--, loop */
};

#endif
