/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pseudo-terminal behind the SMP UART. Its slave stays open here too, so that clients may come
 * and go without the master seeing a hang-up.
 */
#define _GNU_SOURCE
#include "outside_host.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "nsi_tasks.h"
#include "nsi_tracing.h"

#define IN_BYTES 4096u
/** Several replies of the longest kind. */
#define OUT_BYTES (256u * 1024u)

static struct {
	int fd;
	int slave_fd;
	uint8_t in[IN_BYTES];
	size_t in_start;
	size_t in_end;
	uint8_t out[OUT_BYTES];
	size_t out_start;
	size_t out_end;
	bool link_made;
} pty = {.fd = -1, .slave_fd = -1};

size_t outside_pty_read(uint8_t *bytes, size_t room)
{
	size_t held = pty.in_end - pty.in_start;
	size_t count = held < room ? held : room;

	memcpy(bytes, &pty.in[pty.in_start], count);
	pty.in_start += count;
	return count;
}

bool outside_pty_has_input(void)
{
	return pty.in_start < pty.in_end;
}

void outside_pty_write(uint8_t byte)
{
	if (pty.out_end == OUT_BYTES) {
		outside_pty_flush();
	}
	/* A client that does not read loses bytes, as on a wire without flow control. */
	if (pty.out_end < OUT_BYTES) {
		pty.out[pty.out_end++] = byte;
	}
}

struct pollfd outside_pty_pollfd(void)
{
	short wanted = outside_pty_has_input() ? 0 : POLLIN;

	wanted |= pty.out_start < pty.out_end ? POLLOUT : 0;

	return (struct pollfd){.fd = pty.fd, .events = wanted};
}

void outside_pty_fill(void)
{
	ssize_t count = read(pty.fd, pty.in, sizeof(pty.in));

	pty.in_start = 0;
	pty.in_end = count > 0 ? (size_t)count : 0;
}

void outside_pty_flush(void)
{
	while (pty.out_start < pty.out_end) {
		ssize_t count = write(pty.fd, &pty.out[pty.out_start], pty.out_end - pty.out_start);

		if (count <= 0) {
			break;
		}
		pty.out_start += (size_t)count;
	}
	if (pty.out_start > 0) {
		memmove(pty.out, &pty.out[pty.out_start], pty.out_end - pty.out_start);
		pty.out_end -= pty.out_start;
		pty.out_start = 0;
	}
}

static void make_link(const char *target)
{
	const char *path = outside_options()->link;

	if (path == NULL) {
		return;
	}
	(void)unlink(path);
	if (symlink(target, path) != 0) {
		nsi_print_error_and_exit("Could not make the link %s to %s: %s\n", path, target,
					 strerror(errno));
	}
	pty.link_made = true;
}

static void open_new(void)
{
	struct termios raw;

	if (openpty(&pty.fd, &pty.slave_fd, NULL, NULL, NULL) != 0) {
		nsi_print_error_and_exit("Could not open a pseudo-terminal: %s\n", strerror(errno));
	}
	(void)tcgetattr(pty.slave_fd, &raw);
	cfmakeraw(&raw);
	(void)tcsetattr(pty.slave_fd, TCSANOW, &raw);
	(void)fcntl(pty.fd, F_SETFL, O_NONBLOCK);
}

static void bequeath(struct outside_estate *estate)
{
	outside_pty_flush();
	estate->pty_fd = pty.fd;
	estate->pty_slave_fd = pty.slave_fd;
}

static void outside_pty_open(void)
{
	const struct outside_estate *estate = outside_estate();
	char name[OUTSIDE_PATH_BYTES];

	outside_at_reboot(bequeath);
	if (estate != NULL) {
		pty.fd = estate->pty_fd;
		pty.slave_fd = estate->pty_slave_fd;
		pty.link_made = outside_options()->link != NULL;
		return;
	}
	open_new();
	if (ttyname_r(pty.slave_fd, name, sizeof(name)) != 0) {
		nsi_print_error_and_exit("Could not name the pseudo-terminal: %s\n",
					 strerror(errno));
	}
	make_link(name);
	(void)fprintf(stdout, "SMP at %s\n", name);
	(void)fflush(stdout);
}

NSI_TASK(outside_pty_open, HW_INIT, 20);

static void outside_pty_close(void)
{
	if (pty.fd >= 0) {
		outside_pty_flush();
	}
	if (pty.link_made) {
		(void)unlink(outside_options()->link);
	}
}

NSI_TASK(outside_pty_close, ON_EXIT_PRE, 20);
