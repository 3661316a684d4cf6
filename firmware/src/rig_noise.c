/* SPDX-License-Identifier: Apache-2.0 */
#include "rig_noise.h"

#include <zephyr/devicetree.h>
#include <zephyr/kernel.h>

#if defined(CONFIG_RIG_OUTSIDE)
#include "outside.h"
#elif DT_HAS_CHOSEN(zephyr_entropy) && defined(CONFIG_ENTROPY_HAS_DRIVER)
#include <zephyr/drivers/entropy.h>
#elif defined(CONFIG_ARM)
#include <zephyr/linker/linker-defs.h>
#include <zephyr/sys/util.h>
#endif
#ifdef CONFIG_SOC_RP2040
#include <hardware/structs/rosc.h>
#endif

/** The finalizer of SplitMix64 (Steele, Lea, Flood 2014): each bit of the sum reaches all others.
 */
static uint64_t mixed(uint64_t value)
{
	value += UINT64_C(0x9e3779b97f4a7c15);
	value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
	return value ^ (value >> 31);
}

#if defined(CONFIG_RIG_OUTSIDE)
/** The simulator's own entropy is the same at each start. */
static uint64_t stir(uint64_t value)
{
	value = mixed(value ^ outside_random());
	return mixed(value ^ outside_random());
}
#elif DT_HAS_CHOSEN(zephyr_entropy) && defined(CONFIG_ENTROPY_HAS_DRIVER)
/** Its usual call waits for ever where the generator has no clock; this one asks again. */
static uint64_t stir(uint64_t value)
{
	const struct device *entropy = DEVICE_DT_GET(DT_CHOSEN(zephyr_entropy));
	uint32_t left = sizeof(value);

	for (uint32_t tries = 0; left > 0u && tries < 10u && device_is_ready(entropy); tries++) {
		uint8_t bytes[sizeof(value)];
		int count = entropy_get_entropy_isr(entropy, bytes, left, 0);

		for (int i = 0; i < count; i++) {
			value = mixed(value ^ bytes[i]);
		}
		left -= count > 0 ? (uint32_t)count : 0u;
		if (left > 0u) {
			k_msleep(1);
		}
	}
	return value;
}
#elif defined(CONFIG_ARM)
/**
 * Words of RAM behind the image that are looked at, and where it ends. Nobody has written them
 * since the power came, so each cell is as it came up: some of 100 are another way each time, of
 * 32768. Only boards read them here whose RAM has no error-correcting code, which could take them
 * amiss.
 */
#define RAM_WORDS 1024u
#define RAM_END (CONFIG_SRAM_BASE_ADDRESS + KB(CONFIG_SRAM_SIZE))

static uint64_t stir_ram(uint64_t value)
{
	uintptr_t at = ROUND_UP((uintptr_t)_image_ram_end, sizeof(uint32_t));

	for (uint32_t i = 0; i < RAM_WORDS && at + sizeof(uint32_t) <= RAM_END; i++) {
		value = mixed(value ^ *(const volatile uint32_t *)at);
		at += sizeof(uint32_t);
	}
	return value;
}

/**
 * The random bit of the ring oscillator (RP2040 datasheet, section 2.17.5), which runs at some 6
 * MHz of its own: bits a microsecond apart are not the same one, and of 256 a few would do.
 */
static uint64_t stir(uint64_t value)
{
#ifdef CONFIG_SOC_RP2040
	for (uint32_t i = 0; i < 256u; i++) {
		value = mixed(value ^ (rosc_hw->randombit & 1u));
		k_busy_wait(1);
	}
#endif
	return stir_ram(value);
}
#else
static uint64_t stir(uint64_t value)
{
	return value;
}
#endif

uint64_t rig_noise_draw(uint64_t salt)
{
	return mixed(stir(mixed(salt) ^ k_cycle_get_32()) ^ k_cycle_get_32());
}
