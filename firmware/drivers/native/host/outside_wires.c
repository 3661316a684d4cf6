/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wires of the board, as messages of a UNIX datagram socket.
 *
 * In: a change of input pins, at a CLOCK_MONOTONIC_RAW or, with time 0, at once. A time that is
 * over counts as at once; a mask of 0 changes nothing and only says who is there. Out, to whom the
 * newest message came from: outputs that changed, with the time, and all of them when somebody new
 * is there.
 */
#define _GNU_SOURCE
#include "outside_host.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "nsi_hw_scheduler.h"
#include "nsi_tasks.h"
#include "nsi_tracing.h"

/** Changes kept that are not due yet. */
#define CHANGES 32768u

#define MOST_LOAD_MW 0xffffffu

/** The message, both ways, in the host's byte order. */
struct message {
	uint64_t time_ns;
	uint32_t mask;
	uint32_t values;
};

struct pending {
	uint64_t due_us;
	struct outside_change change;
};

static struct {
	int fd;
	struct sockaddr_un peer;
	socklen_t peer_len;
	/** sorted by time, those of the same time as they came; a ring */
	struct pending pending[CHANGES];
	uint32_t first;
	uint32_t count;
	struct outside_change inputs;
	struct outside_change outputs;
	uint16_t light_mv;
	uint32_t load_mw;
} wires = {.fd = -1};

static struct pending *at(uint32_t index)
{
	return &wires.pending[(wires.first + index) % CHANGES];
}

static void insert(uint64_t due_us, struct outside_change change)
{
	uint32_t index = wires.count++;

	while (index > 0 && at(index - 1)->due_us > due_us) {
		*at(index) = *at(index - 1);
		index--;
	}
	*at(index) = (struct pending){.due_us = due_us, .change = change};
}

bool outside_wires_take(struct outside_change *change)
{
	if (wires.count == 0 || at(0)->due_us > nsi_hws_get_time()) {
		return false;
	}
	*change = at(0)->change;
	wires.first = (wires.first + 1) % CHANGES;
	wires.count--;
	if ((change->mask & OUTSIDE_LIGHT) != 0) {
		wires.light_mv = (uint16_t)change->values;
	} else if ((change->mask & OUTSIDE_LOAD) != 0) {
		wires.load_mw = change->values & MOST_LOAD_MW;
	} else {
		wires.inputs.values =
			(wires.inputs.values & ~change->mask) | (change->values & change->mask);
		wires.inputs.mask |= change->mask;
	}
	return true;
}

struct outside_change outside_wires_now(void)
{
	return wires.inputs;
}

uint16_t outside_light_mv(void)
{
	return wires.light_mv;
}

uint32_t outside_load_mw(void)
{
	return wires.load_mw;
}

uint64_t outside_wires_due_us(void)
{
	return wires.count == 0 ? OUTSIDE_NEVER : at(0)->due_us;
}

static void tell(uint32_t mask, uint32_t values)
{
	const struct message message = {
		.time_ns = outside_time_host_ns(nsi_hws_get_time()),
		.mask = mask,
		.values = values,
	};

	if (wires.peer_len > 0) {
		/* Somebody who does not read misses it; the board cannot wait. */
		(void)sendto(wires.fd, &message, sizeof(message), MSG_DONTWAIT,
			     (const struct sockaddr *)&wires.peer, wires.peer_len);
	}
}

void outside_wires_report(uint32_t mask, uint32_t values)
{
	bool known = (wires.outputs.mask & mask) == mask;
	uint32_t changed = (wires.outputs.values ^ values) & mask;

	wires.outputs.mask |= mask;
	wires.outputs.values = (wires.outputs.values & ~mask) | (values & mask);
	if (!known || changed != 0) {
		tell(mask, values & mask);
	}
}

struct pollfd outside_wires_pollfd(void)
{
	return (struct pollfd){.fd = wires.count < CHANGES ? wires.fd : -1, .events = POLLIN};
}

static void welcome(const struct sockaddr_un *peer, socklen_t peer_len)
{
	if (peer_len <= sizeof(sa_family_t) ||
	    (peer_len == wires.peer_len && memcmp(peer, &wires.peer, peer_len) == 0)) {
		return;
	}
	wires.peer = *peer;
	wires.peer_len = peer_len;
	tell(wires.outputs.mask, wires.outputs.values);
}

void outside_wires_fill(uint64_t arrived_us)
{
	while (wires.fd >= 0 && wires.count < CHANGES) {
		struct sockaddr_un peer;
		socklen_t peer_len = sizeof(peer);
		struct message message;
		uint64_t due_us;

		if (recvfrom(wires.fd, &message, sizeof(message), MSG_DONTWAIT | MSG_TRUNC,
			     (struct sockaddr *)&peer, &peer_len) != sizeof(message)) {
			if (errno == EAGAIN || errno == EWOULDBLOCK) {
				return;
			}
			/* Another length: none of ours. */
			errno = EAGAIN;
			continue;
		}
		welcome(&peer, peer_len);
		due_us = outside_time_simulated_us(message.time_ns);
		if (message.mask != 0) {
			insert(due_us < arrived_us ? arrived_us : due_us,
			       (struct outside_change){message.mask, message.values});
		}
	}
}

static void bind_new(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof(address.sun_path)) {
		nsi_print_error_and_exit("Could not make the socket %s: its name is longer than "
					 "%zu bytes\n",
					 path, sizeof(address.sun_path) - 1);
	}
	(void)strcpy(address.sun_path, path);
	(void)unlink(path);
	wires.fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	if (wires.fd < 0 || bind(wires.fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
		nsi_print_error_and_exit("Could not make the socket %s: %s\n", path,
					 strerror(errno));
	}
}

static void inherit(const struct outside_estate *estate)
{
	size_t peer_bytes = strlen(estate->peer);

	wires.fd = estate->wires_fd;
	wires.inputs = estate->wires;
	wires.light_mv = estate->light_mv;
	wires.load_mw = estate->load_mw;
	if (peer_bytes > 0) {
		wires.peer.sun_family = AF_UNIX;
		(void)memcpy(wires.peer.sun_path, estate->peer, peer_bytes);
		wires.peer_len =
			(socklen_t)(offsetof(struct sockaddr_un, sun_path) + peer_bytes + 1);
	}
}

static void bequeath(struct outside_estate *estate)
{
	estate->wires_fd = wires.fd;
	estate->wires = wires.inputs;
	estate->light_mv = wires.light_mv;
	estate->load_mw = wires.load_mw;
	if (wires.peer_len > 0) {
		(void)snprintf(estate->peer, sizeof(estate->peer), "%s", wires.peer.sun_path);
	}
}

static void outside_wires_open(void)
{
	const char *path = outside_options()->wires;

	outside_at_reboot(bequeath);
	if (outside_estate() != NULL) {
		inherit(outside_estate());
	} else if (path != NULL) {
		bind_new(path);
	}
}

NSI_TASK(outside_wires_open, HW_INIT, 21);

static void outside_wires_close(void)
{
	if (wires.fd >= 0) {
		(void)unlink(outside_options()->wires);
	}
}

NSI_TASK(outside_wires_close, ON_EXIT_PRE, 21);
