/* SPDX-License-Identifier: Apache-2.0 */
/** Which oscillator an STM32 runs from. Pure: no register is touched here. */
#ifndef OSCILLATOR_H
#define OSCILLATOR_H

#include <stdbool.h>

enum oscillator {
	/** inside, RC */
	OSCILLATOR_HSI,
	/** inside, RC, low power; the H7 has it */
	OSCILLATOR_CSI,
	/** outside */
	OSCILLATOR_HSE,
	/** none that these families have */
	OSCILLATOR_UNKNOWN,
};

/** What the clock control's registers say. */
struct oscillator_state {
	/** the system's clock comes from the main PLL */
	bool is_pll;
	/** what the system's clock comes from where it is not the PLL */
	enum oscillator system;
	/** what the PLL's input comes from */
	enum oscillator pll;
	/** the outside one runs */
	bool is_hse_ready;
	/** it is a clock signal, not a crystal at the pins */
	bool is_hse_bypassed;
};

/**
 * The oscillator in the words of info's clock source.
 *
 * @param clock_signal word for an outside clock signal, which only the board's designer knows
 * @return "xtal", clock_signal, "hsi", "csi", or "unknown"
 */
const char *oscillator_word(const struct oscillator_state *state, const char *clock_signal);

#endif
