/* SPDX-License-Identifier: Apache-2.0 */
/** The calibration, kept across losses of power. */
#ifndef RIG_KEEP_H
#define RIG_KEEP_H

#include "rig_core.h"

/**
 * Load what this very board and edge source measured; once, before anything is driven.
 *
 * What is torn, of another version, or of another board or edge source, is none: the log says so.
 *
 * @param calibration set to what was kept, all 0 when that is nothing
 */
void rig_keep_load(struct rig_calibration *calibration);

/**
 * Keep a calibration.
 *
 * @retval 0
 * @retval -errno as rig_store_save()
 */
int rig_keep_save(const struct rig_calibration *calibration);

/** @return where it is kept: "flash", or "none" */
const char *rig_keep_name(void);

#endif
