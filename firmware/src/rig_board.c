/* SPDX-License-Identifier: Apache-2.0 */
#include "rig_board.h"

#include "edge_source.h"
#include "light_source.h"
#include "rig_clock.h"

#include <zephyr/devicetree.h>
#include <zephyr/drivers/gpio.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>
#include <zephyr/sys/util.h>

LOG_MODULE_REGISTER(rig_board, CONFIG_RIG_LOG_LEVEL);

#define CHANNELS_NODE DT_INST(0, resume_rig_channels)
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

/** The binding's kinds are "press", "hold". */
#define IS_PRESS(node) (DT_ENUM_IDX(node, kind) == 0)

#define ACTUATOR(node)                                                                             \
	{                                                                                          \
		.name = DT_PROP(node, actuator),                                                   \
		.kind = IS_PRESS(node) ? RIG_ACTUATOR_PRESS : RIG_ACTUATOR_HOLD,                   \
		.max_press_ns = IS_PRESS(node) ? DT_PROP(node, max_press_ms) * NS_PER_MS : 0,      \
		.max_force_ns = IS_PRESS(node) ? DT_PROP(node, max_force_ms) * NS_PER_MS : 0,      \
	},

#define ACTUATOR_GPIO(node) GPIO_DT_SPEC_GET(node, gpios),

static const struct rig_actuator_config actuators[] = {
	DT_FOREACH_CHILD_STATUS_OKAY(ACTUATORS_NODE, ACTUATOR)};

static const struct gpio_dt_spec outputs[] = {
	DT_FOREACH_CHILD_STATUS_OKAY(ACTUATORS_NODE, ACTUATOR_GPIO)};

static const struct gpio_dt_spec heartbeat =
	GPIO_DT_SPEC_GET_OR(ACTUATORS_NODE, heartbeat_gpios, {0});

static struct {
	/** everything is released for good, until the board starts anew */
	bool given_up;
	/** resolution is the counter's, which is known when it runs */
	struct rig_channel_config channels[DT_CHILD_NUM_STATUS_OKAY(CHANNELS_NODE)];
} board = {
	.channels = {DT_FOREACH_CHILD_STATUS_OKAY(CHANNELS_NODE, CHANNEL)},
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

int rig_board_init(void)
{
	int ret;

	board.given_up = false;
	/* Outputs first: from here on they are released whatever else fails. */
	for (size_t i = 0; i < ARRAY_SIZE(outputs); i++) {
		ret = init_output(&outputs[i]);
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
	ret = edge_source_init();
	if (ret < 0) {
		LOG_ERR("Could not start the edge source (%d)", ret);
		return ret;
	}
	if (IS_ENABLED(CONFIG_RIG_LIGHT)) {
		ret = light_source_init();
		if (ret < 0) {
			LOG_ERR("Could not start the light source (%d)", ret);
		}
	}
	return ret;
}

void rig_board_describe(struct rig_config *config)
{
	uint32_t hz = edge_source_hz();

	for (size_t i = 0; i < ARRAY_SIZE(board.channels); i++) {
		board.channels[i].resolution_ns = DIV_ROUND_UP(NSEC_PER_SEC, hz);
	}
	config->board = CONFIG_BOARD_TARGET;
	config->clock_source = rig_clock_source();
	config->crystal = rig_clock_is_crystal();
	config->edge_source = edge_source_name();
	config->clock_hz = hz;
	config->clock_tolerance_ppb = rig_clock_tolerance_ppb();
	config->channels = board.channels;
	config->channel_count = ARRAY_SIZE(board.channels);
	config->actuators = actuators;
	config->actuator_count = ARRAY_SIZE(actuators);
}

void rig_board_drive(uint32_t actuator, bool driven)
{
	if (driven && board.given_up) {
		return;
	}
	if (gpio_pin_set_dt(&outputs[actuator], driven ? 1 : 0) < 0) {
		LOG_ERR("Could not set the output of %s", actuators[actuator].name);
	}
}

void rig_board_release_all(void)
{
	board.given_up = true;
	for (size_t i = 0; i < ARRAY_SIZE(outputs); i++) {
		(void)gpio_pin_set_dt(&outputs[i], 0);
	}
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
