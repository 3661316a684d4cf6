/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer's way in: its bytes are a sequence of requests, edges, samples and time.
 *
 * A step is one byte and what it takes; seeds.py writes the same format:
 *   0 request  command+flags, length, room, that many bytes: any bytes as the request
 *   1 action   flags, duration, token and host, at: a press or lid move that is well formed
 *   2 edge     channel * 2 + level
 *   3 sample   two bytes
 *   4 time     exponent and mantissa: time goes on, ticks at each deadline
 *   5 late     the same, with one tick at the end
 *   6 due      time goes on to the next deadline, or one nanosecond short of it
 *   7 release  the shell lets go of everything
 *   8 loop     flags, channels, token and host, count, gap: a loop-back that is well formed
 *   9 echo     the wires of a loop-back follow its output
 *  10 store    storing fails from now on, or works again
 *  11 power    four bytes: a sample of the power monitor
 *  12 take     a command of another group asks for its permit
 */
#include "model.h"

#include <zcbor_encode.h>

#define REQUEST_MAX 104u

enum step {
	REQUEST,
	ACTION,
	EDGE,
	SAMPLE,
	TIME,
	LATE,
	DUE,
	RELEASE,
	LOOP,
	ECHO,
	STORE,
	POWER,
	TAKE,
	STEPS
};

struct sequence {
	const uint8_t *bytes;
	size_t left;
};

static uint32_t next(struct sequence *sequence)
{
	if (sequence->left == 0u) {
		return 0;
	}
	sequence->left--;
	return *sequence->bytes++;
}

/** 0 to 16 s, on a scale that has short ones and long ones. */
static uint64_t next_time(struct sequence *sequence)
{
	uint32_t byte = next(sequence);

	return (uint64_t)(byte & 0x0fu) << ((byte >> 4) * 2u);
}

/** Any size about the smallest that will do, and some that always do. */
static size_t next_room(struct sequence *sequence)
{
	uint32_t byte = next(sequence);

	return byte < 0x80u ? byte : byte * 4u;
}

/** Which token a request of any bytes left behind is not known. */
static void forget_tokens(struct model *model)
{
	for (uint32_t i = 0; i < MODEL_ACTUATORS; i++) {
		model->outputs[i].doubtful = true;
	}
}

static void do_request(struct model *model, struct sequence *sequence)
{
	uint32_t head = next(sequence);
	size_t len = next(sequence);
	size_t room = next_room(sequence);
	uint64_t lag_ns = (head & 0x40u) != 0u ? next_time(sequence) : 0u;

	len = len < sequence->left ? len : sequence->left;
	if (model_request(model, head & 0x3fu, (head & 0x80u) != 0u, lag_ns,
			  &(struct model_host){.doubtful = true}, sequence->bytes, len, room)) {
		forget_tokens(model);
	}
	sequence->bytes += len;
	sequence->left -= len;
}

/** Which boot a request names: none, this one, another one. */
enum named_boot { NO_BOOT, THIS_BOOT, OTHER_BOOT };

static enum named_boot next_boot(uint32_t flags)
{
	if ((flags & 32u) != 0u) {
		return NO_BOOT;
	}
	return (flags & 64u) == 0u ? THIS_BOOT : OTHER_BOOT;
}

static bool put_boot(zcbor_state_t *state, enum named_boot boot)
{
	return boot == NO_BOOT ||
	       (zcbor_tstr_put_lit(state, "boot") &&
		zcbor_uint32_put(state, boot == THIS_BOOT ? MODEL_BOOT : MODEL_BOOT + 1u));
}

/** Nobody, or one of three. */
static struct model_host host_of(uint32_t byte)
{
	uint32_t number = byte >> 3 & 3u;

	return (struct model_host){.named = number != 0u, .number = number};
}

static bool put_host(zcbor_state_t *state, const struct model_host *host)
{
	return !host->named ||
	       (zcbor_tstr_put_lit(state, "host") && zcbor_uint32_put(state, host->number));
}

struct action {
	struct model_host host;
	uint32_t actuator;
	enum named_boot boot;
	bool force;
	bool closed;
	bool has_at;
	/** of a press; 0: none */
	uint64_t nonce;
	uint64_t duration_ns;
	uint64_t at_ns;
	uint32_t token;
};

static struct action next_action(struct sequence *sequence, uint64_t now_ns)
{
	uint32_t flags = next(sequence);
	struct action action = {
		.actuator = flags & 3u,
		.boot = next_boot(flags),
		.force = (flags & 4u) != 0u,
		.closed = (flags & 8u) != 0u,
		.has_at = (flags & 16u) != 0u,
		.nonce = (flags & 4u) != 0u ? MODEL_NONCE : 0u,
		.duration_ns = next_time(sequence),
		.token = next(sequence),
	};

	if ((flags & 128u) != 0u) {
		action.nonce = (action.token & 1u) != 0u ? MODEL_NONCE + 1u : 0u;
	}
	action.host = host_of(action.token);
	action.token &= 7u;
	action.at_ns = now_ns + next_time(sequence);
	return action;
}

/** @return length of the request, written without the core's own encoder */
static size_t encode(const struct action *action, uint8_t *bytes)
{
	bool is_hold = model_is_hold(action->actuator);
	uint64_t pairs = (is_hold ? 2u : 4u) + (action->has_at ? 1u : 0u) +
			 (action->boot != NO_BOOT ? 1u : 0u) + (action->host.named ? 1u : 0u) +
			 (!is_hold && action->nonce != 0u ? 1u : 0u);
	bool ok;

	ZCBOR_STATE_E(state, 0, bytes, REQUEST_MAX, 1);
	bytes[0] = (uint8_t)(0xa0u | pairs);
	state->payload_mut++;
	ok = zcbor_tstr_put_lit(state, "tok") && zcbor_uint32_put(state, action->token);
	if (is_hold) {
		ok = ok && zcbor_tstr_put_lit(state, "closed") &&
		     zcbor_bool_put(state, action->closed);
	} else {
		ok = ok && zcbor_tstr_put_lit(state, "act") &&
		     zcbor_uint32_put(state, action->actuator) &&
		     zcbor_tstr_put_lit(state, "dur") &&
		     zcbor_uint64_put(state, action->duration_ns) &&
		     zcbor_tstr_put_lit(state, "force") && zcbor_bool_put(state, action->force);
		ok = ok && (action->nonce == 0u || (zcbor_tstr_put_lit(state, "nonce") &&
						    zcbor_uint64_put(state, action->nonce)));
	}
	if (action->has_at) {
		ok = ok && zcbor_tstr_put_lit(state, "at") &&
		     zcbor_uint64_put(state, action->at_ns);
	}
	ok = ok && put_boot(state, action->boot) && put_host(state, &action->host);
	return ok ? (size_t)(state->payload - bytes) : 0u;
}

/** A held actuator is named by the command, all others by their number. */
static uint32_t command_of(uint32_t actuator)
{
	if (actuator == MODEL_LID) {
		return RIG_CMD_LID;
	}
	return actuator == MODEL_CONTACT ? RIG_CMD_CONTACT : RIG_CMD_PRESS;
}

static uint64_t longest_press_ns(const struct action *action)
{
	if (!action->force) {
		return MODEL_PRESS_NS;
	}
	return action->actuator == MODEL_KEY ? 0u : MODEL_FORCE_NS;
}

/** What the board may do with an action, from what is known before it. */
static void do_action(struct model *model, struct sequence *sequence)
{
	struct action action = next_action(sequence, model->now_ns);
	bool is_hold = model_is_hold(action.actuator);
	uint8_t bytes[REQUEST_MAX];
	struct model_output *output;
	enum rig_action_state before;
	bool may_repeat;
	bool others;
	bool done;

	output = &model->outputs[action.actuator];
	before = model->core.actuators[action.actuator].state;
	others = before != RIG_ACTION_IDLE && !model->owner.doubtful &&
		 (model->owner.named != action.host.named ||
		  model->owner.number != action.host.number);
	done = model_request(model, command_of(action.actuator), true, 0, &action.host, bytes,
			     encode(&action, bytes), 128);
	if (!done) {
		return;
	}
	if (action.boot != THIS_BOOT) {
		model_fail(model, "an action was accepted that does not name this boot");
	}
	if (!is_hold && action.force && action.nonce != MODEL_NONCE) {
		model_fail(model, "a forced press was accepted without the nonce");
	}
	may_repeat = output->doubtful || (output->tokens >> action.token & 1u) != 0u;
	output->tokens |= 1u << action.token;
	if (may_repeat) {
		return;
	}
	if (others) {
		model_fail(model, "an action was accepted beside another host's");
	}
	if (before == RIG_ACTION_SCHEDULED || (before == RIG_ACTION_DRIVEN && !is_hold)) {
		model_fail(model, "a second action was accepted on one actuator");
	}
	if (!is_hold &&
	    (action.duration_ns == 0u || action.duration_ns > longest_press_ns(&action))) {
		model_fail(model, "a press was accepted that is too short or too long");
	}
	if (action.has_at && action.at_ns > model->now_ns + MODEL_LEASE_NS) {
		model_fail(model, "an action was accepted that lies beyond the lease");
	}
}

struct loop {
	struct model_host host;
	uint32_t actuator;
	enum named_boot boot;
	uint32_t wired;
	uint32_t token;
	uint32_t count;
	uint64_t gap_ns;
};

static struct loop next_loop(struct sequence *sequence)
{
	uint32_t flags = next(sequence);
	struct loop loop = {
		.actuator = flags & 3u,
		.boot = next_boot(flags),
		.wired = next(sequence),
		.token = next(sequence),
		.count = next(sequence) & 15u,
		.gap_ns = next_time(sequence),
	};

	loop.host = host_of(loop.token);
	loop.token &= 7u;
	return loop;
}

static size_t encode_loop(const struct loop *loop, uint8_t *bytes)
{
	bool ok;

	ZCBOR_STATE_E(state, 0, bytes, REQUEST_MAX, 1);
	bytes[0] = (uint8_t)(0xa0u | (5u + (loop->boot != NO_BOOT ? 1u : 0u) +
				      (loop->host.named ? 1u : 0u)));
	state->payload_mut++;
	ok = zcbor_tstr_put_lit(state, "act") && zcbor_uint32_put(state, loop->actuator) &&
	     zcbor_tstr_put_lit(state, "ch") && zcbor_uint32_put(state, loop->wired) &&
	     zcbor_tstr_put_lit(state, "tok") && zcbor_uint32_put(state, loop->token) &&
	     zcbor_tstr_put_lit(state, "n") && zcbor_uint32_put(state, loop->count) &&
	     zcbor_tstr_put_lit(state, "gap") && zcbor_uint64_put(state, loop->gap_ns) &&
	     put_boot(state, loop->boot) && put_host(state, &loop->host);
	return ok ? (size_t)(state->payload - bytes) : 0u;
}

/** What is accepted is either new, and then nothing was under way, or the answer once more. */
static void do_loop(struct model *model, struct sequence *sequence)
{
	struct loop loop = next_loop(sequence);
	const struct rig_loopback *loopback = &model->core.loopback;
	bool is_repeat = rig_replay_find(&loopback->replay, loop.token) != NULL;
	bool idle = rig_core_deadline(&model->core) == UINT64_MAX;
	uint8_t bytes[REQUEST_MAX];

	for (uint32_t i = 0; i < MODEL_ACTUATORS; i++) {
		idle = idle && !model->outputs[i].driven;
	}
	if (!model_request(model, RIG_CMD_LOOPBACK, true, 0, &loop.host, bytes,
			   encode_loop(&loop, bytes), 128)) {
		return;
	}
	if (loop.boot != THIS_BOOT || loop.actuator == MODEL_KEY) {
		model_fail(model, "a loop-back of another boot or actuator was accepted");
	}
	if (!is_repeat &&
	    (!idle || loop.wired == 0u || loop.count < RIG_LOOPBACK_CHANGES_MIN ||
	     loop.gap_ns < RIG_LOOPBACK_GAP_MIN_NS || loop.gap_ns > RIG_LOOPBACK_GAP_MAX_NS)) {
		model_fail(model, "a loop-back was accepted that may not be");
	}
}

static void do_due(struct model *model, struct sequence *sequence)
{
	uint64_t due_ns = rig_core_deadline(&model->core);

	if (due_ns != UINT64_MAX) {
		model_advance(model, due_ns - model->now_ns - (next(sequence) & 1u), false);
	}
}

static void do_power(struct model *model, struct sequence *sequence)
{
	int32_t bus = (int32_t)(next(sequence) << 8 | next(sequence)) * 1250;
	int32_t current = (int32_t)(next(sequence) << 8 | next(sequence)) - 32768;

	model_power(model, bus, current * 125);
}

static void do_step(struct model *model, struct sequence *sequence)
{
	uint32_t value;

	switch ((enum step)(next(sequence) % STEPS)) {
	case REQUEST:
		do_request(model, sequence);
		break;
	case ACTION:
		do_action(model, sequence);
		break;
	case EDGE:
		value = next(sequence);
		model_edge(model, value >> 1, (value & 1u) != 0u);
		break;
	case SAMPLE:
		value = next(sequence);
		rig_light_sample(&model->core.light, model->now_ns,
				 (uint16_t)(value << 8 | next(sequence)));
		break;
	case TIME:
		model_advance(model, next_time(sequence), false);
		break;
	case LATE:
		model_advance(model, next_time(sequence), true);
		break;
	case DUE:
		do_due(model, sequence);
		break;
	case RELEASE:
		rig_core_release(&model->core);
		break;
	case LOOP:
		do_loop(model, sequence);
		break;
	case ECHO:
		model_echo(model);
		break;
	case STORE:
		model->store_fails = !model->store_fails;
		break;
	case POWER:
		do_power(model, sequence);
		break;
	case TAKE:
		model_take_permit(model);
		break;
	case STEPS:
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct model model;
	struct sequence sequence = {.bytes = data, .left = size};

	model_start(&model);
	while (sequence.left > 0u) {
		do_step(&model, &sequence);
		model_check(&model);
	}
	return 0;
}
