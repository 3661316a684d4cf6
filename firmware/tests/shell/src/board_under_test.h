/* SPDX-License-Identifier: Apache-2.0 */
/** The shell on emulated pins, and requests to it. */
#ifndef BOARD_UNDER_TEST_H
#define BOARD_UNDER_TEST_H

#include "rig_core.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Channels and actuators as the devicetree numbers them. */
enum { PWR_OK, SLP_S3, SLP_S4, SLP_S5, PLTRST, BACKLIGHT, LED, BUTTON_CHANNEL, LID_CHANNEL };
enum { BUTTON, LID };

/** Of every boot; too long for one byte. */
#define BOARD_NONCE UINT64_C(0x5ca1ab1edeadfa11)

/** Least release time of the actuators, by their binding. */
#define BOARD_RELEASE_MS 100

struct edges_reply {
	uint32_t first;
	uint32_t next;
	uint32_t overruns;
	uint32_t count;
	uint64_t t_ns[32];
	/** channel * 2 + level */
	uint32_t code[32];
};

/** Fixtures of ztest: a board just booted, and one that is gone. */
void board_boot(void *unused);
void board_halt(void *unused);

/** Put a level on the wire of a channel. */
void board_set(uint32_t channel, int level);

/** @return whether the output of an actuator is driven */
bool board_is_driven(uint32_t actuator);

/** Ask for a press; @return 0, or the group's error */
uint32_t board_press(uint32_t actuator, uint64_t duration_ns, bool force);

/** Move the lid; @return 0, or the group's error */
uint32_t board_lid(bool closed);

/** Ask for a permit; @return 0, or the group's error */
uint32_t board_permit(uint64_t nonce);

/** Ask for what is no request; @return the group's error */
uint32_t board_garbage(void);

/** Keep a rate error of the clock; @return 0, or the group's error */
uint32_t board_calibrate(uint32_t clock_ppb);

/** Record light; @return 0, or the group's error */
uint32_t board_arm_light(uint64_t duration_ns);

/** @return how many blocks of light there were so far */
uint32_t board_light(void);

/** @return an unsigned value out of the reply to a read command without arguments */
uint64_t board_read(enum rig_command command, const char *key);

/** Read up to 32 edges from a number on. */
void board_edges(uint32_t from, struct edges_reply *reply);

#endif
