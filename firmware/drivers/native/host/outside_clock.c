/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simulated time follows the host's CLOCK_MONOTONIC.
 *
 * An event of the simulator that comes last at each instant waits, on the host, for the next instant
 * or for something to arrive from outside, whichever is first. What arrives wakes the board at the
 * simulated time that belongs to the host's.
 */
#define _GNU_SOURCE
#include "outside_host.h"

#include <errno.h>
#include <poll.h>
#include <sys/prctl.h>
#include <time.h>

#include "irq_ctrl.h"
#include "nsi_hw_scheduler.h"
#include "nsi_hws_models_if.h"
#include "nsi_tasks.h"
#include "nsi_tracing.h"

#define NS_PER_US UINT64_C(1000)
#define NS_PER_S UINT64_C(1000000000)

/** Simulated time of our next turn; the scheduler reads it. */
static uint64_t outside_turn_us;

static struct {
	uint64_t start_ns;
} outside_clock;

static uint64_t host_now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t outside_clock_host_ns(uint64_t simulated_us)
{
	return outside_clock.start_ns + simulated_us * NS_PER_US;
}

uint64_t outside_clock_simulated_us(uint64_t host_ns)
{
	return host_ns < outside_clock.start_ns ? 0
						: (host_ns - outside_clock.start_ns) / NS_PER_US;
}

/** Wait for input until a host time; true when there is some. */
static bool wait_until(uint64_t until_ns)
{
	struct pollfd wanted[] = {outside_pty_pollfd(), outside_wires_pollfd()};
	uint64_t now_ns = host_now_ns();
	struct timespec timeout = {0};
	struct timespec *limit = until_ns == OUTSIDE_NEVER ? NULL : &timeout;

	if (until_ns > now_ns) {
		timeout.tv_sec = (time_t)((until_ns - now_ns) / NS_PER_S);
		timeout.tv_nsec = (long)((until_ns - now_ns) % NS_PER_S);
	}
	/* A signal ends the wait as input does: the scheduler looks for one at each turn. */
	return ppoll(wanted, 2, limit, NULL) != 0;
}

/** Raise the interrupts of what has arrived and is due; true when there were any. */
static bool deliver(uint64_t now_us)
{
	bool pty = outside_pty_has_input();
	bool wires = outside_wires_due_us() <= now_us;

	if (pty) {
		hw_irq_ctrl_set_irq(OUTSIDE_PTY_IRQ);
	}
	if (wires) {
		hw_irq_ctrl_set_irq(OUTSIDE_WIRES_IRQ);
	}
	return pty || wires;
}

static uint64_t next_event_us(uint64_t now_us)
{
	uint64_t next_us;
	uint64_t due_us = outside_wires_due_us();

	outside_turn_us = NSI_NEVER;
	nsi_hws_find_next_event();
	next_us = nsi_hws_get_next_event_time();
	next_us = due_us < next_us ? due_us : next_us;
	return next_us < now_us ? now_us : next_us;
}

static void outside_turn(void)
{
	uint64_t now_us = nsi_hws_get_time();
	uint64_t next_us;
	uint64_t arrived_us;

	outside_pty_flush();
	if (deliver(now_us)) {
		outside_turn_us = now_us;
		return;
	}
	next_us = next_event_us(now_us);
	if (next_us > now_us &&
	    wait_until(next_us == NSI_NEVER ? OUTSIDE_NEVER : outside_clock_host_ns(next_us))) {
		arrived_us = outside_clock_simulated_us(host_now_ns());
		arrived_us = arrived_us > now_us ? arrived_us : now_us;
		next_us = arrived_us < next_us ? arrived_us : next_us;
		outside_pty_fill();
		outside_wires_fill(next_us);
	}
	outside_turn_us = next_us;
}

/* After every other model at the same instant, the interrupt controller (900) included. */
NSI_HW_EVENT(outside_turn_us, outside_turn, 990);

static void outside_clock_start(void)
{
	/* The default slack of 50 us would be in every wait. */
	(void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	outside_clock.start_ns = host_now_ns();
}

NSI_TASK(outside_clock_start, PRE_BOOT_3, 10);
