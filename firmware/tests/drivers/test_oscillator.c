/* SPDX-License-Identifier: Apache-2.0 */
#include "oscillator.h"
#include "suites.h"

/** As the board files of both Nucleo boards set it up: PLL from the debug probe's clock. */
static const struct oscillator_state nucleo = {
	.is_pll = true,
	.system = OSCILLATOR_UNKNOWN,
	.pll = OSCILLATOR_HSE,
	.is_hse_ready = true,
	.is_hse_bypassed = true,
};

static bool says(const struct oscillator_state *state, const char *word)
{
	return strcmp(oscillator_word(state, "mco"), word) == 0;
}

static void a_clock_signal_has_the_boards_word(struct check_tally *tally)
{
	struct oscillator_state state = nucleo;

	CHECK(says(&state, "mco"));
	state.is_pll = false;
	state.system = OSCILLATOR_HSE;
	state.pll = OSCILLATOR_HSI;
	CHECK(says(&state, "mco"));
}

static void a_crystal_at_the_pins_is_no_clock_signal(struct check_tally *tally)
{
	struct oscillator_state state = nucleo;

	state.is_hse_bypassed = false;
	CHECK(says(&state, "xtal"));
}

static void an_rc_oscillator_is_called_so_behind_a_pll_too(struct check_tally *tally)
{
	struct oscillator_state state = nucleo;

	state.pll = OSCILLATOR_HSI;
	CHECK(says(&state, "hsi"));
	state.pll = OSCILLATOR_CSI;
	CHECK(says(&state, "csi"));
	/* The clock security system has put the system on HSI; the PLL's selection stays. */
	state = nucleo;
	state.is_pll = false;
	state.system = OSCILLATOR_HSI;
	CHECK(says(&state, "hsi"));
}

static void what_cannot_be_is_not_called_a_crystal(struct check_tally *tally)
{
	struct oscillator_state state = nucleo;

	state.is_hse_ready = false;
	CHECK(says(&state, "unknown"));
	state.is_hse_bypassed = false;
	CHECK(says(&state, "unknown"));
	state.pll = OSCILLATOR_UNKNOWN;
	CHECK(says(&state, "unknown"));
}

void test_oscillator(struct check_tally *tally)
{
	RUN(tally, a_clock_signal_has_the_boards_word);
	RUN(tally, a_crystal_at_the_pins_is_no_clock_signal);
	RUN(tally, an_rc_oscillator_is_called_so_behind_a_pll_too);
	RUN(tally, what_cannot_be_is_not_called_a_crystal);
}
