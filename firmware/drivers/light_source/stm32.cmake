# SPDX-License-Identifier: Apache-2.0
if(CONFIG_RIG_LIGHT_SOURCE_STM32)
  rig_sources(
    light_batch.c
    light_source_stm32.c
  )
endif()
