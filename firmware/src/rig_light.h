/* SPDX-License-Identifier: Apache-2.0 */
/** The photodiode, sampled for as long as the host wants it. */
#ifndef RIG_LIGHT_H
#define RIG_LIGHT_H

/**
 * Set up the ADC channel that the devicetree names, and start the sampling thread.
 *
 * @retval 0
 * @retval -ENODEV the ADC is not ready
 * @retval -errno of the ADC driver
 */
int rig_light_start(void);

#endif
