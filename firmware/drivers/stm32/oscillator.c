/* SPDX-License-Identifier: Apache-2.0 */
#include "oscillator.h"

const char *oscillator_word(const struct oscillator_state *state, const char *clock_signal)
{
	switch (state->is_pll ? state->pll : state->system) {
	case OSCILLATOR_HSI:
		return "hsi";
	case OSCILLATOR_CSI:
		return "csi";
	case OSCILLATOR_HSE:
		if (!state->is_hse_ready) {
			return "unknown";
		}
		return state->is_hse_bypassed ? clock_signal : "xtal";
	case OSCILLATOR_UNKNOWN:
		break;
	}
	return "unknown";
}
