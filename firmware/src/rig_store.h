/* SPDX-License-Identifier: Apache-2.0 */
/**
 * One small record that outlasts a loss of power, in the flash partition named storage.
 *
 * A log of the record's versions: the newest whole one counts, so a loss of power while one is
 * written leaves the one before it. Flash is erased by rig_store_open() only, at start: what comes
 * later only writes, which stops interrupts for some milliseconds at most, where erasing would stop
 * them for some tenths of a second, on an STM32F767 for seconds.
 */
#ifndef RIG_STORE_H
#define RIG_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Greatest record. */
#define RIG_STORE_BYTES 496

/**
 * Find the newest record, and make room for others; nothing may be driven.
 *
 * @retval 0
 * @retval -ENODEV this board has no storage, or it is not ready
 * @retval -errno of the flash driver
 */
int rig_store_open(void);

/**
 * @return bytes of the newest record, 0 when there is none
 * @retval -EMSGSIZE it is longer than room
 * @retval -ENODEV rig_store_open() did not return 0
 * @retval -errno of the flash driver
 */
int rig_store_load(void *record, size_t room);

/**
 * Write a record.
 *
 * @retval 0 it is there, and was read back
 * @retval -EMSGSIZE longer than RIG_STORE_BYTES
 * @retval -ENOSPC no room until the next start
 * @retval -ENODEV rig_store_open() did not return 0
 * @retval -EIO it reads back otherwise
 * @retval -errno of the flash driver
 */
int rig_store_save(const void *record, size_t len);

/** @return whether rig_store_open() returned 0 */
bool rig_store_is_open(void);

#endif
