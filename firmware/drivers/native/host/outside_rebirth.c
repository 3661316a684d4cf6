/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reboot of the simulated board is the program started anew in the same process: the board loses
 * its memory but for the retained one and the flash, while the terminal, the socket, the levels on
 * the wires and the light stay as they are.
 */
#define _GNU_SOURCE
#include "outside_host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "nsi_cmdline.h"
#include "nsi_tasks.h"
#include "nsi_tracing.h"

#define VARIABLE "RESUME_RIG_NATIVE_ESTATE"

/** Who leaves something to the next run: memory, terminal, wires. */
#define MOST_HEIRS 3

static struct {
	struct outside_estate estate;
	bool reborn;
	outside_bequeath bequeath[MOST_HEIRS];
	size_t count;
} birth;

bool outside_is_reborn(void)
{
	return birth.reborn;
}

const struct outside_estate *outside_estate(void)
{
	return birth.reborn ? &birth.estate : NULL;
}

void outside_at_reboot(outside_bequeath bequeath)
{
	if (birth.count == MOST_HEIRS) {
		nsi_print_error_and_exit("More than %d parts leave something\n", MOST_HEIRS);
	}
	birth.bequeath[birth.count++] = bequeath;
}

uint32_t outside_random(void)
{
	uint32_t noise;

	if (getrandom(&noise, sizeof(noise), 0) != sizeof(noise)) {
		nsi_print_error_and_exit("Could not get noise: %s\n", strerror(errno));
	}
	return noise;
}

void outside_reboot(void)
{
	struct outside_estate estate = {0};
	char text[256];
	char **argv;
	int argc;

	for (size_t i = 0; i < birth.count; i++) {
		birth.bequeath[i](&estate);
	}
	(void)snprintf(text, sizeof(text), "%d %d %d %d %d %x %x %hu %s", estate.pty_fd,
		       estate.pty_slave_fd, estate.wires_fd, estate.retained_fd, estate.flash_fd,
		       estate.wires.mask, estate.wires.values, estate.light_mv, estate.peer);
	(void)setenv(VARIABLE, text, 1);
	(void)fflush(NULL);
	nsi_get_cmd_line_args(&argc, &argv);
	(void)execv("/proc/self/exe", argv);
	nsi_print_error_and_exit("Could not start the program anew: %s\n", strerror(errno));
}

static void outside_be_born(void)
{
	const char *text = getenv(VARIABLE);
	struct outside_estate *estate = &birth.estate;

	if (text == NULL) {
		return;
	}
	/* The peer's name comes last and may be absent, or hold blanks. */
	birth.reborn = sscanf(text, "%d %d %d %d %d %x %x %hu %107[^\n]", &estate->pty_fd,
			      &estate->pty_slave_fd, &estate->wires_fd, &estate->retained_fd,
			      &estate->flash_fd, &estate->wires.mask, &estate->wires.values,
			      &estate->light_mv, estate->peer) >= 8;
	(void)unsetenv(VARIABLE);
}

NSI_TASK(outside_be_born, PRE_BOOT_1, 5);
