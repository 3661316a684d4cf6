/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The emulated UART raises no interrupt for a byte that came while interrupts were off, and takes
 * no other one until it is read. A host that asks while the board boots would wait for ever, so
 * what stands there shortly after the start is thrown away. Its request is repeated.
 */
#include <zephyr/device.h>
#include <zephyr/devicetree.h>
#include <zephyr/drivers/uart.h>
#include <zephyr/init.h>
#include <zephyr/kernel.h>

#define AFTER_START_MS 10

static void throw_away(struct k_timer *timer)
{
	const struct device *uart = DEVICE_DT_GET(DT_CHOSEN(zephyr_uart_mcumgr));
	uint8_t byte;

	(void)uart_fifo_read(uart, &byte, sizeof(byte));
}

static K_TIMER_DEFINE(after_start, throw_away, NULL);

static int start(void)
{
	k_timer_start(&after_start, K_MSEC(AFTER_START_MS), K_NO_WAIT);
	return 0;
}

SYS_INIT(start, APPLICATION, 99);
