# SPDX-License-Identifier: Apache-2.0
if(CONFIG_RIG_LIGHT_SOURCE_RP2040)
  rig_sources(light_source_rp2040.c)
endif()
