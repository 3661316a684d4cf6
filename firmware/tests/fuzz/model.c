/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zcbor_decode.h>

#define CHANNELS 9u
#define LAST_ERROR RIG_ERR_NO_NONCE

void model_fail(const struct model *model, const char *what)
{
	fprintf(stderr, "fuzz: at %" PRIu64 " ns: %s\n", model->now_ns, what);
	abort();
}

bool model_is_hold(uint32_t actuator)
{
	return actuator == MODEL_LID || actuator == MODEL_CONTACT;
}

static uint64_t least_release_ns(uint32_t actuator)
{
	return actuator == MODEL_CONTACT ? MODEL_CONTACT_RELEASE_NS : MODEL_RELEASE_NS;
}

static uint64_t most_hold_ns(uint32_t actuator)
{
	return actuator == MODEL_CONTACT ? MODEL_CONTACT_HOLD_NS : MODEL_HOLD_NS;
}

static uint64_t now_ns(void *context)
{
	return ((const struct model *)context)->now_ns;
}

static bool is_looping(const struct model *model)
{
	return model->core.loopback.state == RIG_LOOPBACK_RUNNING;
}

/** For how long a pulse lies behind from_ns. */
static uint64_t since(const struct model_pulse *pulse, uint64_t from_ns)
{
	uint64_t begin_ns = rig_max_ns(pulse->begin_ns, from_ns);

	return pulse->end_ns > begin_ns ? pulse->end_ns - begin_ns : 0u;
}

/** Exact, pulse by pulse: what a window has in it that ends with the press that now begins. */
static uint64_t driven_in_window(const struct model_output *output, uint64_t now_ns,
				 uint64_t end_ns)
{
	uint64_t from_ns = end_ns > MODEL_WINDOW_NS ? end_ns - MODEL_WINDOW_NS : 0u;
	uint64_t sum_ns = end_ns - now_ns;

	for (uint32_t i = 0; i < MODEL_PULSES; i++) {
		sum_ns += since(&output->pulses[i], from_ns);
	}
	return sum_ns;
}

/** What the DUT sees begins: not too soon behind what it saw, and not too much. */
static void check_pulse(const struct model *model, uint32_t actuator)
{
	const struct model_output *output = &model->outputs[actuator];
	uint64_t end_ns = model->core.actuators[actuator].end_ns;

	if (output->driven) {
		model_fail(model, "an actuator is driven that is driven already");
	}
	if (is_looping(model)) {
		return;
	}
	if (model->now_ns - output->released_ns < least_release_ns(actuator)) {
		model_fail(model, "an actuator is driven too soon behind its release");
	}
	/* Of one that starts late the end may be over. */
	if (!model_is_hold(actuator) && !model->forced && end_ns > model->now_ns &&
	    driven_in_window(output, model->now_ns, end_ns) > MODEL_DRIVEN_NS) {
		model_fail(model, "presses drive an actuator for too much of a window");
	}
}

static void drive(void *context, uint32_t actuator, bool driven)
{
	struct model *model = context;
	struct model_output *output = &model->outputs[actuator];

	if (driven) {
		if (model->leaving) {
			model_fail(model,
				   "an actuator is driven by a board that is about to leave");
		}
		check_pulse(model, actuator);
		output->since_ns = model->now_ns;
	} else if (output->driven) {
		output->released_ns = model->now_ns;
		if (!is_looping(model) && !model->forced) {
			output->pulses[output->pulse_count++ % MODEL_PULSES] = (struct model_pulse){
				.begin_ns = output->since_ns, .end_ns = model->now_ns};
		}
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

/** The board stays, as one does whose bootloader cannot be started after all. */
static void leave(void *context)
{
	struct model *model = context;

	for (uint32_t i = 0; i < MODEL_ACTUATORS; i++) {
		if (model->outputs[i].driven) {
			model_fail(model, "the board leaves while it drives");
		}
	}
	if (!model->leaving) {
		model_fail(model, "the board leaves though nobody asked it to");
	}
	model->leaving = false;
}

static void keyboard(void *context, struct rig_keyboard *found)
{
	const struct model *model = context;

	*found = (struct rig_keyboard){.state = RIG_KEYBOARD_READY,
				       .armed = true,
				       .reports = model->outputs[MODEL_KEY].pulse_count};
}

static const struct rig_channel_config channels[CHANNELS] = {
	{.name = "PWR_OK"}, {.name = "SLP_S3"}, {.name = "SLP_S4"},
	{.name = "SLP_S5"}, {.name = "PLTRST"}, {.name = "BACKLIGHT"},
	{.name = "LED"},    {.name = "BUTTON"}, {.name = "LID"},
};

#define MODEL_PRESS(text, of_kind, force_ns)                                                       \
	{                                                                                          \
		.name = (text),                                                                    \
		.kind = (of_kind),                                                                 \
		.max_press_ns = MODEL_PRESS_NS,                                                    \
		.max_force_ns = (force_ns),                                                        \
		.min_release_ns = MODEL_RELEASE_NS,                                                \
		.window_ns = MODEL_WINDOW_NS,                                                      \
		.max_driven_ns = MODEL_DRIVEN_NS,                                                  \
	}

static const struct rig_actuator_config actuators[MODEL_ACTUATORS] = {
	[MODEL_BUTTON] = MODEL_PRESS("BUTTON", RIG_ACTUATOR_PRESS, MODEL_FORCE_NS),
	[MODEL_LID] = {.name = "LID",
		       .kind = RIG_ACTUATOR_HOLD,
		       .min_release_ns = MODEL_RELEASE_NS,
		       .max_hold_ns = MODEL_HOLD_NS},
	[MODEL_KEY] = MODEL_PRESS("KEYBOARD", RIG_ACTUATOR_KEY, 0),
	[MODEL_CONTACT] = {.name = "CONTACT",
			   .kind = RIG_ACTUATOR_CONTACT,
			   .min_release_ns = MODEL_CONTACT_RELEASE_NS,
			   .max_hold_ns = MODEL_CONTACT_HOLD_NS},
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
		.nonce = MODEL_NONCE,
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
		.power = {.slots = model->power_slots,
			  .capacity = MODEL_POWER,
			  .period_ns = 20 * MS,
			  .window_ns = 17 * MS,
			  .shunt_uohm = 20000,
			  .shunt_tolerance_ppm = 10000},
		.keyboard = keyboard,
		.now_ns = now_ns,
		.drive = drive,
		.store_name = "memory",
		.store = store,
		.leave = leave,
		.context = model,
	};

	*model = (struct model){.now_ns = 10 * S, .levels = 0x1ff};
	for (uint32_t i = 0; i < MODEL_ACTUATORS; i++) {
		model->outputs[i].released_ns = model->now_ns;
	}
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

void model_power(struct model *model, int32_t bus_uv, int32_t current_ua)
{
	rig_core_power(&model->core, &(struct rig_power_sample){.t_ns = model->now_ns,
								.bus_uv = bus_uv,
								.current_ua = current_ua});
	model->powers++;
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

/** @return the code of an error reply, with or without the time left, 0 for any other reply */
static uint32_t error_of(const uint8_t *reply, size_t len)
{
	static const uint8_t frame[] = {0x63, 'e', 'r', 'r',  0xa2, 0x65, 'g', 'r',
					'o',  'u', 'p', 0x18, 0x40, 0x62, 'r', 'c'};
	bool is_error = len >= sizeof(frame) + 2u && (reply[0] == 0xa1 || reply[0] == 0xa2) &&
			memcmp(reply + 1, frame, sizeof(frame)) == 0;

	return is_error ? reply[sizeof(frame) + 1u] : 0u;
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

/** Whether a request holds a pair, whatever else it holds. */
static bool holds(const uint8_t *bytes, size_t len, const void *pair, size_t pair_len)
{
	for (size_t i = 0; i + pair_len <= len; i++) {
		if (memcmp(bytes + i, pair, pair_len) == 0) {
			return true;
		}
	}
	return false;
}

static bool names_force(const uint8_t *bytes, size_t len)
{
	static const uint8_t pair[] = {0x65, 'f', 'o', 'r', 'c', 'e', 0xf5};

	return holds(bytes, len, pair, sizeof(pair));
}

static bool names_this_boot(const uint8_t *bytes, size_t len)
{
	static const uint8_t pair[] = {0x64, 'b', 'o', 'o', 't', MODEL_BOOT};

	return holds(bytes, len, pair, sizeof(pair));
}

static bool shows_nonce(const uint8_t *bytes, size_t len)
{
	uint8_t pair[15] = {0x65, 'n', 'o', 'n', 'c', 'e', 0x1b};

	for (uint32_t i = 0; i < 8u; i++) {
		pair[7u + i] = (uint8_t)(MODEL_NONCE >> (56u - 8u * i));
	}
	return holds(bytes, len, pair, sizeof(pair));
}

/** Nobody acts blind: what was done names this boot, and what is hard to undo its nonce. */
static void check_sight(const struct model *model, uint32_t command, bool write,
			const uint8_t *bytes, size_t len)
{
	bool free = !write || command == RIG_CMD_RELEASE || command == RIG_CMD_LIGHT ||
		    command == RIG_CMD_SELFTEST;
	bool hard = command == RIG_CMD_BOOTLOADER || command == RIG_CMD_PERMIT;

	if (!free && !names_this_boot(bytes, len)) {
		model_fail(model, "something was done for whoever does not know the boot");
	}
	if (hard && !shows_nonce(bytes, len)) {
		model_fail(model, "something was done for whoever does not know the nonce");
	}
}

static bool press_is_open(const struct model *model)
{
	return model->core.actuators[MODEL_BUTTON].state != RIG_ACTION_IDLE ||
	       model->core.actuators[MODEL_KEY].state != RIG_ACTION_IDLE;
}

static bool is_idle(const struct model *model)
{
	bool idle = !is_looping(model);

	for (uint32_t i = 0; i < MODEL_ACTUATORS; i++) {
		idle = idle && model->core.actuators[i].state == RIG_ACTION_IDLE;
	}
	return idle;
}

/** Whether a request may renew the lease; what is any bytes may, if it is understood. */
static bool is_owner(const struct model *model, const struct model_host *host)
{
	const struct model_host *owner = &model->owner;

	return host->doubtful || owner->doubtful ||
	       (host->named == owner->named && host->number == owner->number);
}

/** A request that gets a reply was understood, unless the reply says otherwise. */
static bool is_understood(int rc, size_t room, const uint8_t *reply, size_t len)
{
	bool at_work = rc == RIG_SMP_EMSGSIZE && room >= RIG_REPLY_MIN;

	return at_work || (rc == RIG_SMP_OK && error_of(reply, len) != RIG_ERR_BAD_REQUEST);
}

static void hear(struct model *model, const struct model_host *host, bool was_idle, uint64_t rx_ns)
{
	if (was_idle || is_owner(model, host)) {
		model->contact_ns = rig_max_ns(model->contact_ns, rx_ns);
		model->heard = true;
	}
	if (was_idle) {
		model->owner = *host;
	}
}

bool model_request(struct model *model, uint32_t command, bool write, uint64_t lag_ns,
		   const struct model_host *host, const uint8_t *bytes, size_t len, size_t room)
{
	/* Both end where their memory ends, so that AddressSanitizer sees each step beyond. */
	uint8_t *request = malloc(len > 0u ? len : 1u);
	uint8_t *reply = malloc(room > 0u ? room : 1u);
	uint64_t rx_ns = lag_ns < model->now_ns ? model->now_ns - lag_ns : 0u;
	size_t reply_len;
	bool was_idle;
	bool done;
	int rc;

	if (request == NULL || reply == NULL) {
		model_fail(model, "no memory");
	}
	memcpy(request, bytes, len);
	/* Before the request, as what it starts may be checked on the way. */
	model->forced =
		(model->forced && press_is_open(model)) ||
		(command == RIG_CMD_PRESS && names_force(bytes, len) && shows_nonce(bytes, len));
	/* What is due is done at its arrival; what is active then keeps its owner. */
	rig_core_tick(&model->core, rx_ns);
	was_idle = is_idle(model);
	rc = rig_core_request(&model->core, command, write, rx_ns, request, len, reply, room,
			      &reply_len);
	done = check_reply(model, command, rc, reply, reply_len, room);
	if (done) {
		check_sight(model, command, write, bytes, len);
		model->leaving = model->leaving || command == RIG_CMD_BOOTLOADER;
		model->permit_until_ns = command == RIG_CMD_PERMIT ? model->now_ns + MODEL_LEASE_NS
								   : model->permit_until_ns;
	}
	if (is_understood(rc, room, reply, reply_len)) {
		hear(model, host, was_idle, rx_ns);
	}
	free(request);
	free(reply);
	return done;
}

void model_take_permit(struct model *model)
{
	bool permitted = model->now_ns < model->permit_until_ns;

	model->permit_until_ns = 0;
	if (rig_core_take_permit(&model->core, model->now_ns) != permitted) {
		model_fail(model,
			   "a command of another group is not permitted as it was asked for");
	}
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
	if (loopback->actuator == MODEL_KEY) {
		model_fail(model, "a loop-back drives what has no wire");
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
		if (output->driven && model_is_hold(i) && !is_looping(model) &&
		    model->now_ns - output->since_ns >= most_hold_ns(i)) {
			model_fail(model, "a hold is driven beyond its maximum");
		}
		if (output->driven && !model_is_hold(i) &&
		    model->now_ns - output->since_ns >=
			    (i == MODEL_KEY ? MODEL_PRESS_NS : max_ns)) {
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
	if (core->power.next != model->powers) {
		model_fail(model, "samples of power are not those that came in");
	}
	if (!rig_numbering_is_sound(&core->edges.numbers) ||
	    !rig_numbering_is_sound(&core->light.numbers) ||
	    !rig_numbering_is_sound(&core->power)) {
		model_fail(model, "the numbers of a ring do not agree");
	}
}
