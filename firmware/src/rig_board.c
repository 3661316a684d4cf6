/* SPDX-License-Identifier: Apache-2.0 */
#include "rig_board.h"

#include "rig_clock.h"
#include "rig_devices.h"

#include <resume_rig/edge_source.h>
#include <resume_rig/keyboard.h>

#include <zephyr/devicetree.h>
#include <zephyr/drivers/gpio.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>
#include <zephyr/sys/util.h>

LOG_MODULE_REGISTER(rig_board, CONFIG_RIG_LOG_LEVEL);

#define ACTUATORS_NODE DT_INST(0, resume_rig_actuators)
#define NS_PER_MS UINT64_C(1000000)

#define CHANNEL(node)                                                                              \
	{                                                                                          \
		.name = DT_PROP(node, channel),                                                    \
		.delay_ns = DT_PROP(node, delay_ns),                                               \
		.uncertainty_ns = DT_PROP(node, uncertainty_ns),                                   \
		.front_end_delay_ns = DT_PROP(node, front_end_delay_ns),                           \
		.front_end_uncertainty_ns =                                                        \
			DT_PROP_OR(node, front_end_uncertainty_ns, DT_PROP(node, uncertainty_ns)), \
	},

/** The binding's kinds are "press", "hold", "key", "contact", as those of the core. */
#define KIND(node) ((enum rig_actuator_kind)DT_ENUM_IDX(node, kind))
#define IS_KEY(node) (DT_ENUM_IDX(node, kind) == RIG_ACTUATOR_KEY)
#define IS_PRESS(node) (DT_ENUM_IDX(node, kind) == RIG_ACTUATOR_PRESS || IS_KEY(node))

#define ACTUATOR(node)                                                                             \
	{                                                                                          \
		.name = DT_PROP(node, actuator),                                                   \
		.kind = KIND(node),                                                                \
		.max_press_ns = IS_PRESS(node) ? DT_PROP(node, max_press_ms) * NS_PER_MS : 0,      \
		.max_force_ns = IS_PRESS(node) && !IS_KEY(node)                                    \
					? DT_PROP(node, max_force_ms) * NS_PER_MS                  \
					: 0,                                                       \
		.min_release_ns = DT_PROP(node, min_release_ms) * NS_PER_MS,                       \
		.window_ns = IS_PRESS(node) ? DT_PROP(node, window_ms) * NS_PER_MS : 0,            \
		.max_driven_ns = IS_PRESS(node) ? DT_PROP(node, max_driven_ms) * NS_PER_MS : 0,    \
		.max_hold_ns = IS_PRESS(node) ? 0 : DT_PROP(node, max_hold_ms) * NS_PER_MS,        \
	},

/** As rig_core_init() has it, found at build time. */
#define CHECK_ACTUATOR(node)                                                                       \
	BUILD_ASSERT(!IS_PRESS(node) || DT_PROP(node, window_ms) == 0 ||                           \
			     (DT_PROP(node, max_press_ms) <= DT_PROP(node, max_driven_ms) &&       \
			      DT_PROP(node, max_driven_ms) <= DT_PROP(node, window_ms)),           \
		     "an actuator's window has to have room for its longest press");               \
	BUILD_ASSERT(IS_KEY(node) ? DT_NODE_HAS_PROP(node, keyboard)                               \
				  : DT_NODE_HAS_PROP(node, gpios),                                 \
		     "a key is on a keyboard, anything else has an output");

#define ACTUATOR_GPIO(node) GPIO_DT_SPEC_GET_OR(node, gpios, {0}),
#define ACTUATOR_KEYBOARD(node) DEVICE_DT_GET_OR_NULL(DT_PHANDLE(node, keyboard)),

static const struct rig_actuator_config actuators[] = {
	DT_FOREACH_CHILD_STATUS_OKAY(ACTUATORS_NODE, ACTUATOR)};

DT_FOREACH_CHILD_STATUS_OKAY(ACTUATORS_NODE, CHECK_ACTUATOR)

static const struct gpio_dt_spec outputs[] = {
	DT_FOREACH_CHILD_STATUS_OKAY(ACTUATORS_NODE, ACTUATOR_GPIO)};

/** Of the actuators that are a key; NULL for the others. */
static const struct device *const keyboards[] = {
	DT_FOREACH_CHILD_STATUS_OKAY(ACTUATORS_NODE, ACTUATOR_KEYBOARD)};

static const struct gpio_dt_spec heartbeat =
	GPIO_DT_SPEC_GET_OR(ACTUATORS_NODE, heartbeat_gpios, {0});

static struct {
	/** everything is released for good, until the board starts anew */
	bool given_up;
	/** resolution is the counter's, which is known when it runs */
	struct rig_channel_config channels[DT_CHILD_NUM_STATUS_OKAY(RIG_CHANNELS_NODE)];
} board = {
	.channels = {DT_FOREACH_CHILD_STATUS_OKAY(RIG_CHANNELS_NODE, CHANNEL)},
};

BUILD_ASSERT(ARRAY_SIZE(board.channels) <= RIG_MAX_CHANNELS);
BUILD_ASSERT(ARRAY_SIZE(actuators) <= RIG_MAX_ACTUATORS);

static int init_output(const struct gpio_dt_spec *output)
{
	if (!gpio_is_ready_dt(output)) {
		LOG_ERR("Could not take pin %u of %s as an output: its controller is not ready",
			output->pin, output->port->name);
		return -ENODEV;
	}
	return gpio_pin_configure_dt(output, GPIO_OUTPUT_INACTIVE);
}

/** A board whose keyboard is none has no actuator of that name that works, and says so. */
static int check_keyboard(size_t actuator)
{
	if (!device_is_ready(keyboards[actuator])) {
		LOG_ERR("Could not take %s as a keyboard: it is not ready",
			keyboards[actuator]->name);
		return -ENODEV;
	}
	return 0;
}

int rig_board_init(void)
{
	int ret;

	board.given_up = false;
	/* Outputs first: from here on they are released whatever else fails. */
	for (size_t i = 0; i < ARRAY_SIZE(outputs); i++) {
		ret = keyboards[i] == NULL ? init_output(&outputs[i]) : check_keyboard(i);
		if (ret < 0) {
			return ret;
		}
	}
	if (rig_board_has_heartbeat()) {
		ret = init_output(&heartbeat);
		if (ret < 0) {
			return ret;
		}
	}
	if (!device_is_ready(RIG_EDGES)) {
		LOG_ERR("Could not start the edge source %s (%d)", RIG_EDGES->name,
			-RIG_EDGES->state->init_res);
		return -ENODEV;
	}
#ifdef CONFIG_RIG_LIGHT
	if (!device_is_ready(RIG_PHOTODIODE)) {
		LOG_ERR("Could not start the light source %s (%d)", RIG_PHOTODIODE->name,
			-RIG_PHOTODIODE->state->init_res);
		return -ENODEV;
	}
#endif
	return 0;
}

static void describe_keyboard(void *context, struct rig_keyboard *keyboard)
{
	struct keyboard_status status = {0};

	for (size_t i = 0; i < ARRAY_SIZE(keyboards); i++) {
		if (keyboards[i] != NULL) {
			keyboard_get_status(keyboards[i], &status);
		}
	}
	*keyboard = (struct rig_keyboard){
		.state = (enum rig_keyboard_state)status.bus,
		.armed = status.armed,
		.reports = status.reports,
		.wakeups = status.wakeups,
		.undelivered = status.undelivered,
	};
}

void rig_board_describe(struct rig_config *config)
{
	struct edge_source_info info;

	edge_source_get_info(RIG_EDGES, &info);
	for (size_t i = 0; i < ARRAY_SIZE(board.channels); i++) {
		board.channels[i].resolution_ns = DIV_ROUND_UP(NSEC_PER_SEC, info.hz);
	}
	config->board = CONFIG_BOARD_TARGET;
	config->clock_source = rig_clock_source();
	config->crystal = rig_clock_is_crystal();
	config->edge_source = info.name;
	config->clock_hz = info.hz;
	config->clock_tolerance_ppb = rig_clock_tolerance_ppb();
	config->channels = board.channels;
	config->channel_count = ARRAY_SIZE(board.channels);
	config->actuators = actuators;
	config->actuator_count = ARRAY_SIZE(actuators);
	for (size_t i = 0; i < ARRAY_SIZE(keyboards); i++) {
		config->keyboard = keyboards[i] == NULL ? config->keyboard : describe_keyboard;
	}
}

static int set_output(uint32_t actuator, bool driven)
{
	if (keyboards[actuator] != NULL) {
		keyboard_set(keyboards[actuator], driven);
		return 0;
	}
	return gpio_pin_set_dt(&outputs[actuator], driven ? 1 : 0);
}

void rig_board_drive(uint32_t actuator, bool driven)
{
	int ret = 0;
	unsigned int key = irq_lock();

	/* In one piece: who gives up meanwhile would have its release overwritten. */
	if (!driven || !board.given_up) {
		ret = set_output(actuator, driven);
	}
	irq_unlock(key);
	if (ret < 0) {
		LOG_ERR("Could not set the output of %s", actuators[actuator].name);
	}
}

void rig_board_release_all(void)
{
	unsigned int key = irq_lock();

	board.given_up = true;
	for (size_t i = 0; i < ARRAY_SIZE(outputs); i++) {
		(void)set_output(i, false);
	}
	irq_unlock(key);
}

bool rig_board_has_heartbeat(void)
{
	return heartbeat.port != NULL;
}

void rig_board_toggle_heartbeat(void)
{
	if (rig_board_has_heartbeat()) {
		(void)gpio_pin_toggle_dt(&heartbeat);
	}
}
