/* SPDX-License-Identifier: Apache-2.0 */
/** The devices that the devicetree's rig names. */
#ifndef RIG_DEVICES_H
#define RIG_DEVICES_H

#include <zephyr/device.h>
#include <zephyr/devicetree.h>

#define RIG_NODE DT_INST(0, resume_rig_rig)
#define RIG_CHANNELS_NODE DT_PHANDLE(RIG_NODE, edge_source)

/** Its ticks are the rig's time. */
#define RIG_EDGES DEVICE_DT_GET(RIG_CHANNELS_NODE)

/** Only where there is one (CONFIG_RIG_LIGHT). */
#define RIG_PHOTODIODE DEVICE_DT_GET(DT_PHANDLE(RIG_NODE, light_source))

#endif
