/* SPDX-License-Identifier: Apache-2.0 */
/** The photodiode's voltage, on its way from the wires to the light source. */
#ifndef OUTSIDE_LIGHT_H
#define OUTSIDE_LIGHT_H

#include <stdint.h>

/** The voltage is another one from now on; for the wires' interrupt. */
void outside_light_changed(uint16_t voltage_mv);

#endif
