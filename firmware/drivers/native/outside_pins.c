/* SPDX-License-Identifier: Apache-2.0 */
/* Ties the emulated GPIO controller to the wires outside. */
#define DT_DRV_COMPAT resume_rig_wires

#include "outside.h"
#include "outside_light.h"

#include <zephyr/device.h>
#include <zephyr/drivers/gpio/gpio_emul.h>
#include <zephyr/init.h>
#include <zephyr/irq.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>

LOG_MODULE_REGISTER(outside_pins, CONFIG_RIG_LOG_LEVEL);

static const struct device *const port = DEVICE_DT_GET(DT_INST_PHANDLE(0, port));

static struct gpio_callback outputs;

static bool is_input(gpio_pin_t pin)
{
	gpio_flags_t flags;

	return gpio_emul_flags_get(port, pin, &flags) == 0 && (flags & GPIO_INPUT) != 0u;
}

/** Pins that are not configured as inputs are not wired: what comes for them is dropped. */
static void set_inputs(struct outside_change change)
{
	for (gpio_pin_t pin = 0; pin < 32u; pin++) {
		if ((change.mask & BIT(pin)) != 0u && is_input(pin)) {
			(void)gpio_emul_input_set(port, pin, (change.values & BIT(pin)) != 0u);
		}
	}
}

static void set_light(uint16_t voltage_mv)
{
	if (IS_ENABLED(CONFIG_RIG_LIGHT_SOURCE_OUTSIDE)) {
		outside_light_changed(voltage_mv);
	}
}

static void wires_changed(const void *unused)
{
	struct outside_change change;

	while (outside_wires_take(&change)) {
		if ((change.mask & OUTSIDE_LIGHT) != 0u) {
			set_light((uint16_t)change.values);
		} else if ((change.mask & OUTSIDE_LOAD) == 0u) {
			set_inputs(change);
		}
	}
}

static void outputs_changed(const struct device *device, struct gpio_callback *callback,
			    gpio_port_pins_t changed)
{
	gpio_port_value_t values;
	gpio_flags_t flags;

	for (gpio_pin_t pin = 0; pin < 32u; pin++) {
		if ((changed & BIT(pin)) == 0u || gpio_emul_flags_get(port, pin, &flags) != 0) {
			continue;
		}
		if ((flags & GPIO_OUTPUT) != 0u &&
		    gpio_emul_output_get_masked(port, BIT(pin), &values) == 0) {
			outside_wires_report(BIT(pin), values);
		} else if ((flags & GPIO_INPUT) != 0u) {
			/* Just configured: its pull resistor gives way to a wire with a level. */
			struct outside_change now = outside_wires_now();

			set_inputs((struct outside_change){now.mask & BIT(pin), now.values});
		}
	}
}

static int outside_pins_init(void)
{
	gpio_init_callback(&outputs, outputs_changed, UINT32_MAX);
	IRQ_CONNECT(OUTSIDE_WIRES_IRQ, 1, wires_changed, NULL, 0);
	irq_enable(OUTSIDE_WIRES_IRQ);
	return gpio_add_callback(port, &outputs);
}

/* After the emulated controller (40), before edge sources and keyboard configure their inputs (80),
 * which then take the wires' levels. */
SYS_INIT(outside_pins_init, POST_KERNEL, 70);
