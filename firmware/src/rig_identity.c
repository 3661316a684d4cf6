/* SPDX-License-Identifier: Apache-2.0 */
#include "rig_identity.h"

#include "rig_noise.h"

#include <zephyr/cache.h>
#include <zephyr/drivers/hwinfo.h>
#include <zephyr/kernel.h>
#include <zephyr/linker/section_tags.h>
#include <zephyr/sys/util.h>

#ifdef CONFIG_RIG_OUTSIDE
#include "outside.h"
#endif

#define RETAINED_MAGIC UINT32_C(0x5244b007)

/** RAM that a reset leaves alone; noise after a power-on. */
static __noinit struct {
	uint32_t magic;
	uint32_t watchdog_resets;
	uint32_t boots;
	uint32_t check;
} retained;

static uint32_t retained_check(void)
{
	return ~(retained.magic ^ (retained.watchdog_resets * UINT32_C(2654435761)) ^
		 (retained.boots << 7));
}

/** The bit that says most about what happened. */
static const char *reason_text(uint32_t cause)
{
	static const struct {
		uint32_t bit;
		const char *text;
	} texts[] = {
		{RESET_WATCHDOG, "watchdog"}, {RESET_CPU_LOCKUP, "lockup"},
		{RESET_BROWNOUT, "brownout"}, {RESET_SOFTWARE, "software"},
		{RESET_DEBUG, "debug"},       {RESET_LOW_POWER_WAKE, "low-power"},
		{RESET_POR, "power-on"},      {RESET_PIN, "pin"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if ((cause & texts[i].bit) != 0u) {
			return texts[i].text;
		}
	}
	return "unknown";
}

static const char *take_reason(void)
{
#if defined(CONFIG_RIG_OUTSIDE)
	return outside_is_reborn() ? "software" : "power-on";
#else
	uint32_t cause = 0;

	if (hwinfo_get_reset_cause(&cause) < 0) {
		return "unknown";
	}
	(void)hwinfo_clear_reset_cause();
	return reason_text(cause);
#endif
}

struct rig_identity rig_identity_take(void)
{
	const char *reason = take_reason();
	uint64_t nonce;
	/* What stands there before it is set right is as good as noise after a power-on. */
	uint32_t noise = retained.magic ^ retained.check ^ retained.boots;

	if (retained.magic != RETAINED_MAGIC || retained.check != retained_check()) {
		retained.magic = RETAINED_MAGIC;
		retained.watchdog_resets = 0;
		retained.boots = noise;
	}
	retained.boots++;
	if (reason == reason_text(RESET_WATCHDOG)) {
		retained.watchdog_resets++;
	}
	retained.check = retained_check();
	/* A reset forgets what is in the cache only. */
	(void)sys_cache_data_flush_range(&retained, sizeof(retained));
	/* The boot id is told to anybody: the nonce is drawn on its own. */
	nonce = rig_noise_draw(~(uint64_t)noise ^ retained.boots) >> 1;
	return (struct rig_identity){
		.boot_id = (uint32_t)rig_noise_draw((uint64_t)noise << 32 | retained.boots),
		.nonce = nonce > 0u ? nonce : 1u,
		.reset_reason = reason,
		.watchdog_resets = retained.watchdog_resets,
	};
}
