/* SPDX-License-Identifier: Apache-2.0 */
/** The calibration, kept across losses of power where the board has a store (CONFIG_RIG_STORE). */
#ifndef RIG_KEEP_H
#define RIG_KEEP_H

#include "rig_core.h"

#include <errno.h>

#ifdef CONFIG_RIG_STORE
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

/** @return what keeps it, once loaded; NULL where nothing does */
const char *rig_keep_name(void);
#else
static inline void rig_keep_load(struct rig_calibration *calibration)
{
	*calibration = (struct rig_calibration){.held_ns = 0};
}

static inline int rig_keep_save(const struct rig_calibration *calibration)
{
	return -ENODEV;
}

static inline const char *rig_keep_name(void)
{
	return NULL;
}
#endif

#endif
