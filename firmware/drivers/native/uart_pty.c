/* SPDX-License-Identifier: Apache-2.0 */
/* A UART with interrupts whose far end is a pseudo-terminal of the host. */
#define DT_DRV_COMPAT resume_rig_pty_uart

#include "outside.h"

#include <zephyr/device.h>
#include <zephyr/drivers/uart.h>
#include <zephyr/irq.h>

BUILD_ASSERT(DT_NUM_INST_STATUS_OKAY(DT_DRV_COMPAT) == 1, "there is one pseudo-terminal");

struct uart_pty_data {
	uart_irq_callback_user_data_t callback;
	void *user_data;
	bool rx_enabled;
	bool tx_enabled;
};

static int uart_pty_poll_in(const struct device *dev, unsigned char *byte)
{
	return outside_pty_read(byte, 1) == 1u ? 0 : -1;
}

static void uart_pty_poll_out(const struct device *dev, unsigned char byte)
{
	outside_pty_write(byte);
}

static int uart_pty_fifo_fill(const struct device *dev, const uint8_t *bytes, int count)
{
	for (int i = 0; i < count; i++) {
		outside_pty_write(bytes[i]);
	}
	return count;
}

static int uart_pty_fifo_read(const struct device *dev, uint8_t *bytes, const int room)
{
	return (int)outside_pty_read(bytes, (size_t)room);
}

static void serve(const void *arg)
{
	const struct device *dev = arg;
	struct uart_pty_data *data = dev->data;

	uint8_t unheard;

	if (data->callback != NULL && (data->rx_enabled || data->tx_enabled)) {
		data->callback(dev, data->user_data);
	}
	/* A receiver that is off misses what comes, and the interrupt does not come back for it. */
	while (!data->rx_enabled && outside_pty_read(&unheard, 1) == 1u) {
	}
}

static void uart_pty_irq_tx_enable(const struct device *dev)
{
	struct uart_pty_data *data = dev->data;

	data->tx_enabled = true;
	/* There is always room, so the interrupt is due at once. */
	serve(dev);
}

static void uart_pty_irq_tx_disable(const struct device *dev)
{
	((struct uart_pty_data *)dev->data)->tx_enabled = false;
}

static int uart_pty_irq_tx_ready(const struct device *dev)
{
	return ((struct uart_pty_data *)dev->data)->tx_enabled ? 1 : 0;
}

static int uart_pty_irq_tx_complete(const struct device *dev)
{
	return 1;
}

static void uart_pty_irq_rx_enable(const struct device *dev)
{
	((struct uart_pty_data *)dev->data)->rx_enabled = true;
}

static void uart_pty_irq_rx_disable(const struct device *dev)
{
	((struct uart_pty_data *)dev->data)->rx_enabled = false;
}

static int uart_pty_irq_rx_ready(const struct device *dev)
{
	return ((struct uart_pty_data *)dev->data)->rx_enabled && outside_pty_has_input() ? 1 : 0;
}

static int uart_pty_irq_is_pending(const struct device *dev)
{
	return uart_pty_irq_rx_ready(dev) || uart_pty_irq_tx_ready(dev) ? 1 : 0;
}

static int uart_pty_irq_update(const struct device *dev)
{
	return 1;
}

static void uart_pty_irq_callback_set(const struct device *dev,
				      uart_irq_callback_user_data_t callback, void *user_data)
{
	struct uart_pty_data *data = dev->data;

	data->callback = callback;
	data->user_data = user_data;
}

static int uart_pty_init(const struct device *dev)
{
	IRQ_CONNECT(OUTSIDE_PTY_IRQ, 1, serve, DEVICE_DT_INST_GET(0), 0);
	irq_enable(OUTSIDE_PTY_IRQ);
	return 0;
}

static const struct uart_driver_api uart_pty_api = {
	.poll_in = uart_pty_poll_in,
	.poll_out = uart_pty_poll_out,
	.fifo_fill = uart_pty_fifo_fill,
	.fifo_read = uart_pty_fifo_read,
	.irq_tx_enable = uart_pty_irq_tx_enable,
	.irq_tx_disable = uart_pty_irq_tx_disable,
	.irq_tx_ready = uart_pty_irq_tx_ready,
	.irq_tx_complete = uart_pty_irq_tx_complete,
	.irq_rx_enable = uart_pty_irq_rx_enable,
	.irq_rx_disable = uart_pty_irq_rx_disable,
	.irq_rx_ready = uart_pty_irq_rx_ready,
	.irq_is_pending = uart_pty_irq_is_pending,
	.irq_update = uart_pty_irq_update,
	.irq_callback_set = uart_pty_irq_callback_set,
};

static struct uart_pty_data uart_pty_data;

DEVICE_DT_INST_DEFINE(0, uart_pty_init, NULL, &uart_pty_data, NULL, PRE_KERNEL_1,
		      CONFIG_SERIAL_INIT_PRIORITY, &uart_pty_api);
