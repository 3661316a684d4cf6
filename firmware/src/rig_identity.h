/* SPDX-License-Identifier: Apache-2.0 */
/** Which boot this is, and why there was one. */
#ifndef RIG_IDENTITY_H
#define RIG_IDENTITY_H

#include <stdint.h>

struct rig_identity {
	/** new at each boot */
	uint32_t boot_id;
	/** as the core's configuration has it; new at each boot, and told by info alone */
	uint64_t nonce;
	/** one or two words, never NULL */
	const char *reset_reason;
	/** resets by the watchdog that the retained memory counted; 0 after a power-on */
	uint32_t watchdog_resets;
};

/** Find out, once, early in main(); counts this boot. */
struct rig_identity rig_identity_take(void);

#endif
