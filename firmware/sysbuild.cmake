# SPDX-License-Identifier: Apache-2.0
# Images are signed with a key of your own. The ones in MCUboot's sources are everybody's.
set(key "${SB_CONFIG_BOOT_SIGNATURE_KEY_FILE}")
if(NOT EXISTS "${key}")
  message(FATAL_ERROR "No key to sign with: SB_CONFIG_BOOT_SIGNATURE_KEY_FILE is '${key}'. Make one "
    "(imgtool keygen -t ecdsa-p256 -k FILE) and name it by its whole path.")
endif()
file(SHA256 "${key}" key_hash)
file(GLOB published "${ZEPHYR_MCUBOOT_MODULE_DIR}/root-*.pem")
foreach(file ${published})
  file(SHA256 "${file}" published_hash)
  if(key_hash STREQUAL published_hash AND NOT RIG_DEMO_KEY)
    message(FATAL_ERROR "${key} is published with MCUboot, so anybody could sign for this board. Name "
      "a key of your own with -DSB_CONFIG_BOOT_SIGNATURE_KEY_FILE, or say -DRIG_DEMO_KEY=ON for a "
      "demonstration.")
  endif()
endforeach()
