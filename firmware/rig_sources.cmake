# SPDX-License-Identifier: Apache-2.0
set(RIG_WARNINGS
  -Wall -Wextra -Werror -Wshadow -Wswitch-enum -Wno-unused-parameter -Wno-sign-compare)

# rig_sources(FILE...): adds files of the current folder to the application, with our warnings.
function(rig_sources)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE files)
  target_sources(app PRIVATE ${files})
  set_property(SOURCE ${files} TARGET_DIRECTORY app APPEND PROPERTY COMPILE_OPTIONS ${RIG_WARNINGS})
endfunction()

# rig_component(FOLDER): adds a folder, and lets everybody include its headers.
function(rig_component folder)
  target_include_directories(app PRIVATE ${RIG_FIRMWARE_DIR}/${folder})
  add_subdirectory(${RIG_FIRMWARE_DIR}/${folder} ${CMAKE_BINARY_DIR}/rig/${folder})
endfunction()

set(RIG_FIRMWARE_DIR ${CMAKE_CURRENT_LIST_DIR})
