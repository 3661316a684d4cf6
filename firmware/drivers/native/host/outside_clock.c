/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simulated time follows the host's CLOCK_MONOTONIC_RAW: the clock that the host's client stamps
 * with, and one that NTP does not slew, as a board's crystal is not slewed.
 *
 * An event of the simulator that comes last at each instant waits, on the host, for the next
 * instant or for something to arrive from outside, whichever is first. What arrives wakes the board
 * at the simulated time that belongs to the host's, never before: on a busy machine simulated time
 * lags and catches up, and nothing may reach the board before it was sent.
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

#define NS_PER_S UINT64_C(1000000000)

/** Simulated time of our next turn; the scheduler reads it. */
static uint64_t outside_turn_us;

/** Simulated time at which what the terminal brought last reaches the board. */
static uint64_t pty_due_us;

/**
 * Wait for input until a host time; true when there is some.
 *
 * A signal ends the wait as input does: the scheduler looks for one at each turn. The kernel waits
 * by the slewed clock, so the raw one is asked again.
 */
static bool wait_until(uint64_t until_ns)
{
	struct pollfd wanted[] = {outside_pty_pollfd(), outside_wires_pollfd()};
	uint64_t now_ns = outside_time_now_ns();
	int ready;

	do {
		uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
		struct timespec limit = {
			.tv_sec = (time_t)(left_ns / NS_PER_S),
			.tv_nsec = (long)(left_ns % NS_PER_S),
		};

		ready = ppoll(wanted, 2, until_ns == OUTSIDE_NEVER ? NULL : &limit, NULL);
		now_ns = outside_time_now_ns();
	} while (ready == 0 && now_ns < until_ns);
	return ready != 0;
}

/** @return simulated time at which something that has arrived is due, or OUTSIDE_NEVER */
static uint64_t due_us(void)
{
	uint64_t wires_us = outside_wires_due_us();
	uint64_t pty_us = outside_pty_has_input() ? pty_due_us : OUTSIDE_NEVER;

	return pty_us < wires_us ? pty_us : wires_us;
}

/** Raise the interrupts of what is due. */
static void deliver(uint64_t now_us)
{
	if (outside_pty_has_input() && pty_due_us <= now_us) {
		hw_irq_ctrl_set_irq(OUTSIDE_PTY_IRQ);
	}
	if (outside_wires_due_us() <= now_us) {
		hw_irq_ctrl_set_irq(OUTSIDE_WIRES_IRQ);
	}
}

/** @return simulated time of the next event, of the board or from outside; never before now */
static uint64_t next_us(uint64_t now_us)
{
	uint64_t event_us;
	uint64_t first_us = due_us();

	outside_turn_us = NSI_NEVER;
	nsi_hws_find_next_event();
	event_us = nsi_hws_get_next_event_time();
	first_us = event_us < first_us ? event_us : first_us;
	return first_us < now_us ? now_us : first_us;
}

/** Take in what has arrived; @return simulated time at which it reaches the board */
static uint64_t take_in(uint64_t now_us)
{
	uint64_t arrived_us = outside_time_simulated_us(outside_time_now_ns());

	arrived_us = arrived_us > now_us ? arrived_us : now_us;
	if (!outside_pty_has_input()) {
		outside_pty_fill();
		pty_due_us = arrived_us;
	}
	outside_wires_fill(arrived_us);
	return arrived_us;
}

static void outside_turn(void)
{
	uint64_t now_us = nsi_hws_get_time();
	uint64_t until_us;

	outside_pty_flush();
	if (due_us() <= now_us) {
		deliver(now_us);
		outside_turn_us = now_us;
		return;
	}
	until_us = next_us(now_us);
	if (until_us > now_us &&
	    wait_until(until_us == NSI_NEVER ? OUTSIDE_NEVER : outside_time_host_ns(until_us))) {
		uint64_t arrived_us = take_in(now_us);

		until_us = arrived_us < until_us ? arrived_us : until_us;
	}
	outside_turn_us = until_us;
}

/* After every other model at the same instant, the interrupt controller (900) included. */
NSI_HW_EVENT(outside_turn_us, outside_turn, 990);

static void outside_clock_start(void)
{
	/* The default slack of 50 us would be in every wait. */
	(void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	outside_time_start();
}

NSI_TASK(outside_clock_start, PRE_BOOT_3, 10);
