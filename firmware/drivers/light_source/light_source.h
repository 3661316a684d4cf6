/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The photodiode's samples at one fixed rate, in batches, counted from the start.
 *
 * One back end is compiled in. There is one photodiode: io-channels of the devicetree's rig. A
 * sample's time is that of the first one plus its number times the rate's period; it is never that
 * of an interrupt.
 */
#ifndef LIGHT_SOURCE_H
#define LIGHT_SOURCE_H

#include <stdint.h>
#include <zephyr/kernel.h>

/**
 * Make the converter ready; no sample is taken yet.
 *
 * @retval 0
 * @retval -ENODEV a device is not ready
 * @retval -errno of the driver that refused
 */
int light_source_init(void);

/** @return samples in a second, exactly */
uint32_t light_source_hz(void);

/** @return counts at the end of the converter's range, such as 4095 */
uint16_t light_source_full_scale(void);

/**
 * Take samples from now on.
 *
 * @param first_ticks set to edge_source_ticks() at the first sample
 * @retval 0
 * @retval -errno of the driver that refused
 */
int light_source_start(uint32_t *first_ticks);

/** Take no more samples. */
void light_source_stop(void);

/**
 * Wait for the next batch of samples. One reader only.
 *
 * @param counts set to the samples, which stay as they are until the next call
 * @return how many, 0 when none came in time, or -EOVERFLOW when samples were lost: the caller
 *         stops and starts anew
 */
int light_source_take(const uint16_t **counts, k_timeout_t timeout);

#endif
