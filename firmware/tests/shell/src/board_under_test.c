/* SPDX-License-Identifier: Apache-2.0 */
#include "board_under_test.h"

#include "rig_board.h"
#include "rig_engine.h"
#include "rig_internal.h"
#include "rig_light.h"
#include "rig_past.h"

#include <string.h>
#include <zcbor_decode.h>
#include <zcbor_encode.h>
#include <zephyr/drivers/gpio/gpio_emul.h>
#include <zephyr/ztest.h>

#define CHANNELS_NODE DT_NODELABEL(edges)
#define ACTUATORS_NODE DT_INST(0, resume_rig_actuators)
#define GPIO(node) GPIO_DT_SPEC_GET(node, gpios),

static const struct gpio_dt_spec inputs[] = {DT_FOREACH_CHILD(CHANNELS_NODE, GPIO)};
/** A key has no pin of its own. */
#define OUTPUT(node) GPIO_DT_SPEC_GET_OR(node, gpios, {0}),
static const struct gpio_dt_spec outputs[] = {DT_FOREACH_CHILD(ACTUATORS_NODE, OUTPUT)};

static struct {
	uint32_t boots;
	uint32_t token;
	uint8_t reply[1024];
	size_t reply_len;
} board;

void board_set(uint32_t channel, int level)
{
	zassert_ok(gpio_emul_input_set(inputs[channel].port, inputs[channel].pin, level));
}

void board_boot(void *unused)
{
	const struct rig_identity identity = {
		.boot_id = ++board.boots,
		.nonce = BOARD_NONCE,
		.reset_reason = "power-on",
	};
	const struct rig_part *const parts[] = {rig_light_part()};

	/* The wires' levels are their pull resistors', whatever the test before left there. */
	for (size_t i = 0; i < ARRAY_SIZE(inputs); i++) {
		board_set(i, 1);
	}
	rig_past_begin(&identity, rig_past_memory());
	zassert_ok(rig_board_init());
	zassert_ok(rig_engine_start(&identity, parts, ARRAY_SIZE(parts)));
	/* The start counts as a release. */
	k_sleep(K_MSEC(BOARD_RELEASE_MS));
}

void board_halt(void *unused)
{
	rig_engine_stop();
}

bool board_is_driven(uint32_t actuator)
{
	return gpio_emul_output_get(outputs[actuator].port, outputs[actuator].pin) == 1;
}

static void request(uint32_t command, bool write, const uint8_t *in, size_t in_len)
{
	zassert_ok(rig_engine_request(command, write, in, in_len, board.reply, sizeof(board.reply),
				      &board.reply_len));
}

/** Go to the value of a key; false when the map has none. */
static bool find(zcbor_state_t *map, const char *key)
{
	struct zcbor_string found;

	if (!zcbor_map_start_decode(map)) {
		return false;
	}
	while (zcbor_tstr_decode(map, &found)) {
		if (found.len == strlen(key) && memcmp(found.value, key, found.len) == 0) {
			return true;
		}
		if (!zcbor_any_skip(map, NULL)) {
			return false;
		}
	}
	return false;
}

static uint64_t number(const char *key)
{
	ZCBOR_STATE_D(map, 4, board.reply, board.reply_len, 1, 0);
	uint64_t value = 0;

	zassert_true(find(map, key) && zcbor_uint64_decode(map, &value), "no number %s", key);
	return value;
}

/** "rc" of {"err": {"group": 64, "rc": N}}, 0 for any other reply. */
static uint32_t group_error(void)
{
	ZCBOR_STATE_D(map, 4, board.reply, board.reply_len, 1, 0);
	uint32_t rc = 0;

	if (find(map, "err")) {
		zassert_true(find(map, "rc") && zcbor_uint32_decode(map, &rc));
	}
	return rc;
}

uint32_t board_press(uint32_t actuator, uint64_t duration_ns, bool force)
{
	uint8_t in[80];

	ZCBOR_STATE_E(out, 0, in, sizeof(in), 1);
	zassert_true(rig_wire_put_map(out, 6) && rig_wire_put_u32(out, "boot", board.boots) &&
		     rig_wire_put_u64(out, "nonce", BOARD_NONCE) &&
		     rig_wire_put_u32(out, "act", actuator) &&
		     rig_wire_put_u64(out, "dur", duration_ns) &&
		     rig_wire_put_u32(out, "tok", ++board.token) &&
		     rig_wire_put_text(out, "force") && zcbor_bool_put(out, force));
	request(RIG_CMD_PRESS, true, in, (size_t)(out->payload - in));
	return group_error();
}

uint32_t board_lid(bool closed)
{
	uint8_t in[32];

	ZCBOR_STATE_E(out, 0, in, sizeof(in), 1);
	zassert_true(rig_wire_put_map(out, 3) && rig_wire_put_u32(out, "boot", board.boots) &&
		     rig_wire_put_u32(out, "tok", ++board.token) &&
		     rig_wire_put_text(out, "closed") && zcbor_bool_put(out, closed));
	request(RIG_CMD_LID, true, in, (size_t)(out->payload - in));
	return group_error();
}

uint32_t board_permit(uint64_t nonce)
{
	uint8_t in[32];

	ZCBOR_STATE_E(out, 0, in, sizeof(in), 1);
	zassert_true(rig_wire_put_map(out, 2) && rig_wire_put_u32(out, "boot", board.boots) &&
		     rig_wire_put_u64(out, "nonce", nonce));
	request(RIG_CMD_PERMIT, true, in, (size_t)(out->payload - in));
	return group_error();
}

uint32_t board_garbage(void)
{
	static const uint8_t garbage[] = {0xff};

	request(RIG_CMD_TIME, false, garbage, sizeof(garbage));
	return group_error();
}

uint32_t board_calibrate(uint32_t clock_ppb)
{
	uint8_t in[32];

	ZCBOR_STATE_E(out, 0, in, sizeof(in), 1);
	zassert_true(rig_wire_put_map(out, 2) && rig_wire_put_u32(out, "boot", board.boots) &&
		     rig_wire_put_u32(out, "cal", clock_ppb));
	request(RIG_CMD_CALIBRATION, true, in, (size_t)(out->payload - in));
	return group_error();
}

uint32_t board_arm_light(uint64_t duration_ns)
{
	uint8_t in[32];

	ZCBOR_STATE_E(out, 0, in, sizeof(in), 1);
	zassert_true(rig_wire_put_map(out, 1) && rig_wire_put_u64(out, "dur", duration_ns));
	request(RIG_CMD_LIGHT, true, in, (size_t)(out->payload - in));
	return group_error();
}

uint32_t board_light(void)
{
	uint8_t in[32];
	uint32_t from = 0;

	while (true) {
		uint32_t next;

		ZCBOR_STATE_E(out, 0, in, sizeof(in), 1);
		zassert_true(rig_wire_put_map(out, 1) && rig_wire_put_u32(out, "from", from));
		request(RIG_CMD_LIGHT, false, in, (size_t)(out->payload - in));
		next = (uint32_t)number("next");
		if (next == from) {
			return next;
		}
		from = next;
	}
}

uint64_t board_read(enum rig_command command, const char *key)
{
	static const uint8_t nothing[] = {0xa0};

	request(command, false, nothing, sizeof(nothing));
	return number(key);
}

void board_edges(uint32_t from, struct edges_reply *reply)
{
	uint8_t in[32];

	ZCBOR_STATE_E(out, 0, in, sizeof(in), 1);
	zassert_true(rig_wire_put_map(out, 2) && rig_wire_put_u32(out, "from", from) &&
		     rig_wire_put_u32(out, "max", ARRAY_SIZE(reply->t_ns)));
	request(RIG_CMD_EDGES, false, in, (size_t)(out->payload - in));
	*reply = (struct edges_reply){
		.first = (uint32_t)number("first"),
		.next = (uint32_t)number("next"),
		.overruns = (uint32_t)number("ovr"),
	};

	ZCBOR_STATE_D(map, 4, board.reply, board.reply_len, 1, 0);
	zassert_true(find(map, "e") && zcbor_list_start_decode(map));
	while (reply->count < ARRAY_SIZE(reply->t_ns) &&
	       zcbor_uint64_decode(map, &reply->t_ns[reply->count]) &&
	       zcbor_uint32_decode(map, &reply->code[reply->count])) {
		reply->count++;
	}
}
