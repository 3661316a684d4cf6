/* SPDX-License-Identifier: Apache-2.0 */
/* The samples at full rate that are kept about the onset of light. */
#include "rig_internal.h"

/** The key, and the head of a byte string that is no longer than 2^32. */
#define SAMPLES_FRAME 7u
#define SAMPLE_BYTES 2u

static uint32_t fitting_samples(const zcbor_state_t *out, uint32_t count)
{
	size_t room = rig_wire_room(out);
	size_t fitting = room > SAMPLES_FRAME ? (room - SAMPLES_FRAME) / SAMPLE_BYTES : 0u;

	return fitting < count ? (uint32_t)fitting : count;
}

static bool put_samples(const struct rig_onset *onset, uint32_t first, uint32_t count,
			zcbor_state_t *out)
{
	uint32_t fitting = fitting_samples(out, count);
	uint8_t *bytes;

	if (!rig_wire_put_text(out, "s") ||
	    !rig_wire_put_bytes(out, fitting * SAMPLE_BYTES, &bytes)) {
		return false;
	}
	for (uint32_t i = 0; i < fitting; i++) {
		uint16_t counts = rig_onset_kept(onset, first + i);

		*bytes++ = (uint8_t)(counts & UINT8_MAX);
		*bytes++ = (uint8_t)(counts >> 8);
	}
	return true;
}

enum { FROM, MAX, FIELDS };

static const struct rig_field page_fields[FIELDS] = {
	[FROM] = {.key = "from", .kind = RIG_FIELD_U32},
	[MAX] = {.key = "max", .kind = RIG_FIELD_U32, .optional = true, .value = UINT32_MAX},
};

static enum rig_error tell(struct rig_core *core, struct rig_request *request)
{
	const struct rig_field *fields = request->fields;
	const struct rig_onset *onset = &core->light.onset;
	zcbor_state_t *out = request->out;
	struct rig_onset_result result;
	uint32_t first;
	uint32_t count;

	if (core->light.slots == NULL) {
		return RIG_ERR_NO_LIGHT;
	}
	if (onset->config.slots == NULL) {
		return RIG_ERR_NO_ONSET;
	}
	if (fields[FROM].value > onset->end) {
		return RIG_ERR_CURSOR;
	}
	first = (uint32_t)rig_max_ns(fields[FROM].value, rig_onset_oldest(onset));
	count = onset->end - first;
	count = count < fields[MAX].value ? count : (uint32_t)fields[MAX].value;
	rig_light_onset(&core->light, request->now_ns, &result);
	request->fits =
		rig_wire_put_map(out, 6) && rig_wire_put_u32(out, "boot", core->config.boot_id) &&
		rig_wire_put_u32(out, "st", (uint32_t)result.state) &&
		rig_wire_put_u64(out, "t0", onset->begun_ns) &&
		rig_wire_put_u32(out, "first", first) &&
		rig_wire_put_u32(out, "next", onset->end) && put_samples(onset, first, count, out);
	return RIG_OK;
}

const struct rig_handler rig_handler_samples = {
	.command = RIG_CMD_SAMPLES,
	.fields = page_fields,
	.field_count = FIELDS,
	.run = tell,
};
