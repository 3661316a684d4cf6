/* SPDX-License-Identifier: Apache-2.0 */
/** Numbers that nobody guesses who cannot read them. */
#ifndef RIG_NOISE_H
#define RIG_NOISE_H

#include <stdint.h>

/**
 * Draw a number, from the best source that the board has: docs/reference/wire.md names them.
 *
 * Takes some milliseconds at most, whatever the source does. For the start, not for secrets that
 * have to outlive a boot.
 *
 * @param salt  other numbers at each call in a boot, and at each boot, where the caller knows some
 */
uint64_t rig_noise_draw(uint64_t salt);

#endif
