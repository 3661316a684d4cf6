/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of the simulated board that a reboot leaves alone: RAM without power loss, and the flash.
 *
 * Both are files in memory without a name, whose descriptors the next run inherits; they go with
 * the process. The flash simulator's own option --flash=FILE keeps its contents instead.
 */
#define _GNU_SOURCE
#include "outside_host.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nsi_cmdline.h"
#include "nsi_tasks.h"
#include "nsi_tracing.h"

static struct {
	int retained_fd;
	int flash_fd;
	char flash_option[64];
} memory = {.retained_fd = -1, .flash_fd = -1};

static int new_file(const char *name)
{
	/* Not closed on exec: the next run inherits it. */
	int fd = memfd_create(name, 0);

	if (fd < 0) {
		nsi_print_error_and_exit("Could not make memory for %s: %s\n", name,
					 strerror(errno));
	}
	return fd;
}

void *outside_retained(size_t bytes)
{
	void *found = MAP_FAILED;

	if (ftruncate(memory.retained_fd, (off_t)bytes) == 0) {
		found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory.retained_fd,
			     0);
	}
	if (found == MAP_FAILED) {
		nsi_print_error_and_exit("Could not map retained memory: %s\n", strerror(errno));
	}
	return found;
}

static void bequeath(struct outside_estate *estate)
{
	estate->retained_fd = memory.retained_fd;
	estate->flash_fd = memory.flash_fd;
}

static void outside_memory_open(void)
{
	static char *option = memory.flash_option;
	const struct outside_estate *estate = outside_estate();

	outside_at_reboot(bequeath);
	memory.retained_fd = estate != NULL ? estate->retained_fd : new_file("retained");
	memory.flash_fd = estate != NULL ? estate->flash_fd : new_file("flash");
	(void)snprintf(memory.flash_option, sizeof(memory.flash_option), "--flash=/proc/self/fd/%d",
		       memory.flash_fd);
	/* Comes before those of the command line, which win. */
	nsi_register_extra_args(1, &option);
}

/* After the estate is known, before the command line is read. */
NSI_TASK(outside_memory_open, PRE_BOOT_1, 8);
