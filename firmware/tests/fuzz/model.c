/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zcbor_decode.h>

#define CHANNELS 9u
#define LAST_ERROR RIG_ERR_NO_RESULT

void model_fail(const struct model *model, const char *what)
{
	fprintf(stderr, "fuzz: at %" PRIu64 " ns: %s\n", model->now_ns, what);
	abort();
}

static bool is_hold(uint32_t actuator)
{
	return actuator == MODEL_LID;
}

static uint64_t now_ns(void *context)
{
	return ((const struct model *)context)->now_ns;
}

static void drive(void *context, uint32_t actuator, bool driven)
{
	struct model *model = context;
	struct model_output *output = &model->outputs[actuator];

	if (driven && output->driven) {
		model_fail(model, "an actuator is driven that is driven already");
	}
	if (driven) {
		output->since_ns = model->now_ns;
	}
	output->driven = driven;
}

static int store(void *context, const struct rig_calibration *calibration)
{
	struct model *model = context;

	if (model->store_fails) {
		return -1;
	}
	model->stored = *calibration;
	return 0;
}

static const struct rig_channel_config channels[CHANNELS] = {
	{.name = "PWR_OK"}, {.name = "SLP_S3"}, {.name = "SLP_S4"},
	{.name = "SLP_S5"}, {.name = "PLTRST"}, {.name = "BACKLIGHT"},
	{.name = "LED"},    {.name = "BUTTON"}, {.name = "LID"},
};

static const struct rig_actuator_config actuators[MODEL_ACTUATORS] = {
	[MODEL_BUTTON] = {.name = "BUTTON",
			  .kind = RIG_ACTUATOR_PRESS,
			  .max_press_ns = MODEL_PRESS_NS,
			  .max_force_ns = MODEL_FORCE_NS},
	[MODEL_LID] = {.name = "LID", .kind = RIG_ACTUATOR_HOLD},
	[MODEL_FINGER] = {.name = "FINGER",
			  .kind = RIG_ACTUATOR_PRESS,
			  .max_press_ns = MODEL_PRESS_NS,
			  .max_force_ns = MODEL_FORCE_NS},
};

void model_start(struct model *model)
{
	struct rig_config config = {
		.firmware = "1.2.3",
		.board = "fuzz",
		.clock_source = "xtal",
		.clock_hz = 1000000,
		.crystal = true,
		.boot_id = MODEL_BOOT,
		.reset_reason = "power-on",
		.lease_ns = MODEL_LEASE_NS,
		.channels = channels,
		.channel_count = CHANNELS,
		.actuators = actuators,
		.actuator_count = MODEL_ACTUATORS,
		.edge_slots = model->edge_slots,
		.edge_capacity = MODEL_EDGES,
		.light_slots = model->light_slots,
		.light_capacity = MODEL_LIGHT,
		.now_ns = now_ns,
		.drive = drive,
		.store_name = "memory",
		.store = store,
		.context = model,
	};

	*model = (struct model){.now_ns = 10 * S, .levels = 0x1ff};
	if (rig_core_init(&model->core, &config, model->levels) != 0) {
		model_fail(model, "the board does not start");
	}
}

void model_advance(struct model *model, uint64_t step_ns, bool late)
{
	uint64_t end_ns = rig_add_ns(model->now_ns, step_ns);

	while (!late && rig_core_deadline(&model->core) <= end_ns) {
		model->now_ns = rig_max_ns(model->now_ns, rig_core_deadline(&model->core));
		rig_core_tick(&model->core, model->now_ns);
		model_check(model);
	}
	model->now_ns = end_ns;
	rig_core_tick(&model->core, model->now_ns);
}

void model_edge(struct model *model, uint32_t channel, bool level)
{
	const struct rig_loopback *loopback = &model->core.loopback;
	uint32_t bit = channel < CHANNELS ? 1u << channel : 0u;
	bool looped = loopback->state == RIG_LOOPBACK_RUNNING && (loopback->wired & bit) != 0u;

	rig_core_edge(&model->core, channel, level, model->now_ns);
	if (bit != 0u && ((model->levels & bit) != 0u) != level) {
		model->levels ^= bit;
		model->edges += looped ? 0u : 1u;
	}
}

void model_echo(struct model *model)
{
	const struct rig_loopback *loopback = &model->core.loopback;
	bool driven = model->outputs[loopback->actuator].driven;

	for (uint32_t i = 0; i < CHANNELS && loopback->state == RIG_LOOPBACK_RUNNING; i++) {
		if (((loopback->wired >> i) & 1u) != 0u) {
			model_edge(model, i, loopback->channels[i].idle_level != driven);
		}
	}
}

/** zcbor, not the core, reads the reply: one map, nothing behind it. */
static bool is_map(const uint8_t *reply, size_t len)
{
	ZCBOR_STATE_D(state, 4, reply, len, 1, 0);

	return len > 0u && reply[0] >> 5 == 5 && zcbor_any_skip(state, NULL) &&
	       state->payload == reply + len;
}

/** @return the code of an error reply, 0 for any other reply */
static uint32_t error_of(const uint8_t *reply, size_t len)
{
	static const uint8_t frame[] = {0xa1, 0x63, 'e', 'r',  'r',  0xa2, 0x65, 'g', 'r',
					'o',  'u',  'p', 0x18, 0x40, 0x62, 'r',  'c'};
	bool is_error = len == sizeof(frame) + 1u && memcmp(reply, frame, sizeof(frame)) == 0;

	return is_error ? reply[sizeof(frame)] : 0u;
}

/** Replies that hold texts may need any room; all others go on, if only with one item. */
static bool needs_more_room(uint32_t command)
{
	return command == RIG_CMD_INFO || command == RIG_CMD_SELFTEST ||
	       command == RIG_CMD_FAULTS || command == RIG_CMD_LOOPBACK ||
	       command == RIG_CMD_CALIBRATION;
}

static void check_refusal(const struct model *model, uint32_t command, int rc, size_t room)
{
	bool too_small = room < RIG_REPLY_MIN || needs_more_room(command);

	if (rc != RIG_SMP_ENOTSUP && !(rc == RIG_SMP_EMSGSIZE && too_small)) {
		model_fail(model, "a return code that is not in the contract");
	}
}

static bool check_reply(const struct model *model, uint32_t command, int rc, const uint8_t *reply,
			size_t len, size_t room)
{
	if (len > room || (rc == RIG_SMP_OK) != (len > 0u)) {
		model_fail(model, "return code and length of the reply do not agree");
	}
	if (rc != RIG_SMP_OK) {
		check_refusal(model, command, rc, room);
		return false;
	}
	if (!is_map(reply, len)) {
		model_fail(model, "the reply is no map");
	}
	if (error_of(reply, len) > (uint32_t)LAST_ERROR) {
		model_fail(model, "an error code that is not in the contract");
	}
	return error_of(reply, len) == 0u;
}

/** A request can only be a force_off press when it holds this pair, whatever else it holds. */
static bool names_force(const uint8_t *bytes, size_t len)
{
	static const uint8_t pair[] = {0x65, 'f', 'o', 'r', 'c', 'e', 0xf5};

	for (size_t i = 0; i + sizeof(pair) <= len; i++) {
		if (memcmp(bytes + i, pair, sizeof(pair)) == 0) {
			return true;
		}
	}
	return false;
}

static bool press_is_open(const struct model *model)
{
	return model->core.actuators[MODEL_BUTTON].state != RIG_ACTION_IDLE ||
	       model->core.actuators[MODEL_FINGER].state != RIG_ACTION_IDLE;
}

bool model_request(struct model *model, uint32_t command, bool write, uint64_t lag_ns,
		   const uint8_t *bytes, size_t len, size_t room)
{
	/* Both end where their memory ends, so that AddressSanitizer sees each step beyond. */
	uint8_t *request = malloc(len > 0u ? len : 1u);
	uint8_t *reply = malloc(room > 0u ? room : 1u);
	uint64_t rx_ns = lag_ns < model->now_ns ? model->now_ns - lag_ns : 0u;
	size_t reply_len;
	bool done;
	int rc;

	if (request == NULL || reply == NULL) {
		model_fail(model, "no memory");
	}
	memcpy(request, bytes, len);
	/* Before the request, as what it starts may be checked on the way. */
	model->forced = (model->forced && press_is_open(model)) ||
			(command == RIG_CMD_PRESS && names_force(bytes, len));
	model->contact_ns = rig_max_ns(model->contact_ns, rx_ns);
	model->heard = true;
	rc = rig_core_request(&model->core, command, write, rx_ns, request, len, reply, room,
			      &reply_len);
	done = check_reply(model, command, rc, reply, reply_len, room);
	free(request);
	free(reply);
	return done;
}

static void check_channel(const struct model *model, const struct rig_loopback_channel *channel)
{
	uint32_t awaited = (channel->awaited[0] ? 1u : 0u) + (channel->awaited[1] ? 1u : 0u);

	if (channel->latency.count + channel->missed + awaited != model->core.loopback.done) {
		model_fail(model, "a change is neither seen, missed nor awaited, or more than one");
	}
}

static void check_loopback(const struct model *model, bool leased)
{
	const struct rig_loopback *loopback = &model->core.loopback;
	const struct model_output *output = &model->outputs[loopback->actuator];

	if (loopback->done > loopback->count) {
		model_fail(model, "a loop-back goes on beyond its last change");
	}
	for (uint32_t i = 0; i < CHANNELS; i++) {
		if (((loopback->wired >> i) & 1u) != 0u) {
			check_channel(model, &loopback->channels[i]);
		}
	}
	if (loopback->state != RIG_LOOPBACK_RUNNING) {
		return;
	}
	if (!leased) {
		model_fail(model, "a loop-back runs though the host is silent");
	}
	for (uint32_t i = 0; i < MODEL_ACTUATORS; i++) {
		if (model->core.actuators[i].state != RIG_ACTION_IDLE) {
			model_fail(model, "an action is under way beside a loop-back");
		}
	}
	if (output->driven &&
	    model->now_ns - output->since_ns > loopback->gap_ns + loopback->gap_ns / 2u) {
		model_fail(model, "a loop-back drives for longer than its gap");
	}
}

static void check_calibration(const struct model *model)
{
	const struct rig_calibration *found = &model->core.calibration;
	const struct rig_calibration *stored = &model->stored;

	if (found->has_clock != stored->has_clock || found->clock_ppb != stored->clock_ppb ||
	    found->held_ns != stored->held_ns || found->latency_count != stored->latency_count) {
		model_fail(model, "the calibration in force is not the one that is stored");
	}
}

static void check_outputs(const struct model *model)
{
	uint64_t max_ns = model->forced ? MODEL_FORCE_NS : MODEL_PRESS_NS;
	bool leased = model->heard && model->now_ns < rig_add_ns(model->contact_ns, MODEL_LEASE_NS);

	for (uint32_t i = 0; i < MODEL_ACTUATORS; i++) {
		const struct model_output *output = &model->outputs[i];

		if (output->driven != rig_interlock_is_driven(&model->core, i)) {
			model_fail(model, "an output is not what the interlock takes it for");
		}
		if (output->driven && !leased) {
			model_fail(model, "an output is driven though the host is silent");
		}
		if (output->driven && !is_hold(i) && model->now_ns - output->since_ns >= max_ns) {
			model_fail(model, "a press is driven beyond its maximum");
		}
	}
	check_loopback(model, leased);
}

void model_check(const struct model *model)
{
	const struct rig_core *core = &model->core;

	check_outputs(model);
	check_calibration(model);
	if (rig_core_deadline(core) <= model->now_ns) {
		model_fail(model, "something that is due was not done");
	}
	if (core->levels != model->levels || core->edges.numbers.next != model->edges) {
		model_fail(model, "levels or edges are not those that came in");
	}
	if (!rig_numbering_is_sound(&core->edges.numbers) ||
	    !rig_numbering_is_sound(&core->light.numbers)) {
		model_fail(model, "the numbers of a ring do not agree");
	}
}
