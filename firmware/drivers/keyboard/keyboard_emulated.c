/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A keyboard of native_sim: its reports and its bus are pins of the emulated GPIO controller, so
 * that the world outside sees the one and drives the other.
 */
#define DT_DRV_COMPAT resume_rig_emulated_keyboard

#include <resume_rig/keyboard.h>

#include <zephyr/drivers/gpio.h>

struct keyboard_emulated_config {
	struct gpio_dt_spec key;
	struct gpio_dt_spec powered;
	struct gpio_dt_spec active;
	struct gpio_dt_spec armed;
};

struct keyboard_emulated_data {
	bool down;
	uint32_t reports;
	uint32_t wakeups;
	uint32_t undelivered;
};

static enum keyboard_bus bus_of(const struct keyboard_emulated_config *config)
{
	if (gpio_pin_get_dt(&config->powered) <= 0) {
		return KEYBOARD_DETACHED;
	}
	return gpio_pin_get_dt(&config->active) > 0 ? KEYBOARD_READY : KEYBOARD_SUSPENDED;
}

static void count(const struct keyboard_emulated_config *config,
		  struct keyboard_emulated_data *data)
{
	switch (bus_of(config)) {
	case KEYBOARD_READY:
		data->reports++;
		break;
	case KEYBOARD_SUSPENDED:
		if (gpio_pin_get_dt(&config->armed) > 0) {
			data->wakeups++;
		} else {
			data->undelivered++;
		}
		break;
	case KEYBOARD_DETACHED:
		data->undelivered++;
		break;
	}
}

static void keyboard_emulated_set(const struct device *dev, bool down)
{
	const struct keyboard_emulated_config *config = dev->config;
	struct keyboard_emulated_data *data = dev->data;

	if (down && !data->down) {
		count(config, data);
	}
	data->down = down;
	(void)gpio_pin_set_dt(&config->key, down ? 1 : 0);
}

static void keyboard_emulated_get_status(const struct device *dev, struct keyboard_status *status)
{
	const struct keyboard_emulated_config *config = dev->config;
	const struct keyboard_emulated_data *data = dev->data;

	*status = (struct keyboard_status){
		.bus = bus_of(config),
		.armed = gpio_pin_get_dt(&config->armed) > 0,
		.reports = data->reports,
		.wakeups = data->wakeups,
		.undelivered = data->undelivered,
	};
}

static int keyboard_emulated_init(const struct device *dev)
{
	const struct keyboard_emulated_config *config = dev->config;
	const struct gpio_dt_spec *inputs[] = {&config->powered, &config->active, &config->armed};
	int ret = gpio_pin_configure_dt(&config->key, GPIO_OUTPUT_INACTIVE);

	for (size_t i = 0; i < ARRAY_SIZE(inputs) && ret == 0; i++) {
		ret = gpio_pin_configure_dt(inputs[i], GPIO_INPUT);
	}
	return ret;
}

static const struct keyboard_driver_api api = {
	.set = keyboard_emulated_set,
	.get_status = keyboard_emulated_get_status,
};

#define KEYBOARD(inst)                                                                             \
	static struct keyboard_emulated_data data_##inst;                                          \
	static const struct keyboard_emulated_config config_##inst = {                             \
		.key = GPIO_DT_SPEC_INST_GET(inst, key_gpios),                                     \
		.powered = GPIO_DT_SPEC_INST_GET(inst, powered_gpios),                             \
		.active = GPIO_DT_SPEC_INST_GET(inst, active_gpios),                               \
		.armed = GPIO_DT_SPEC_INST_GET(inst, armed_gpios),                                 \
	};                                                                                         \
	DEVICE_DT_INST_DEFINE(inst, keyboard_emulated_init, NULL, &data_##inst, &config_##inst,    \
			      POST_KERNEL, CONFIG_APPLICATION_INIT_PRIORITY, &api);

DT_INST_FOREACH_STATUS_OKAY(KEYBOARD)
