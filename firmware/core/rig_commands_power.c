/* SPDX-License-Identifier: Apache-2.0 */
/* The power monitor: a ring of samples, and the command that reads it by cursor. */
#include "rig_internal.h"

#include <errno.h>
#include <zcbor_encode.h>

/** The head of a list that has at most as many items as a reply has bytes. */
#define LIST_HEAD_MAX 5u

enum { FROM, MAX, FIELDS };

static const struct rig_field page_fields[FIELDS] = {
	[FROM] = {.key = "from", .kind = RIG_FIELD_U32},
	[MAX] = {.key = "max", .kind = RIG_FIELD_U32, .optional = true, .value = UINT32_MAX},
};

void rig_core_power(struct rig_core *core, const struct rig_power_sample *sample)
{
	if (core->config.power.slots != NULL) {
		core->config.power.slots[rig_numbering_claim(&core->power)] = *sample;
	}
}

static const struct rig_power_sample *sample_at(const struct rig_core *core, uint32_t number)
{
	return &core->config.power.slots[rig_numbering_slot(&core->power, number)];
}

static size_t int_len(int32_t value)
{
	return zcbor_header_len(value < 0 ? (uint64_t)(-1 - (int64_t)value) : (uint64_t)value);
}

static uint32_t fitting(const struct rig_core *core, uint32_t first, uint32_t count, size_t room)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct rig_power_sample *sample = sample_at(core, first + i);
		size_t len = zcbor_header_len(sample->t_ns) + int_len(sample->bus_uv) +
			     int_len(sample->current_ua);

		if (len > room) {
			return i;
		}
		room -= len;
	}
	return count;
}

static bool put_samples(const struct rig_core *core, uint32_t first, uint32_t count,
			zcbor_state_t *out)
{
	bool ok = rig_wire_put_text(out, "p");
	size_t room = rig_wire_room(out);

	count = fitting(core, first, count, room > LIST_HEAD_MAX ? room - LIST_HEAD_MAX : 0u);
	ok = ok && rig_wire_put_list(out, count * 3u);
	for (uint32_t i = 0; ok && i < count; i++) {
		const struct rig_power_sample *sample = sample_at(core, first + i);

		ok = zcbor_uint64_put(out, sample->t_ns) && zcbor_int32_put(out, sample->bus_uv) &&
		     zcbor_int32_put(out, sample->current_ua);
	}
	return ok;
}

static enum rig_error tell_power(struct rig_core *core, struct rig_request *request)
{
	const struct rig_field *fields = request->fields;
	zcbor_state_t *out = request->out;
	uint32_t first;
	uint32_t count;

	if (core->config.power.slots == NULL) {
		return RIG_ERR_NO_POWER;
	}
	if (rig_numbering_seek(&core->power, (uint32_t)fields[FROM].value, &first, &count) ==
	    -ERANGE) {
		return RIG_ERR_CURSOR;
	}
	count = count < fields[MAX].value ? count : (uint32_t)fields[MAX].value;
	request->fits = rig_wire_put_map(out, 5) &&
			rig_wire_put_u32(out, "boot", core->config.boot_id) &&
			rig_wire_put_u32(out, "first", first) &&
			rig_wire_put_u32(out, "next", core->power.next) &&
			rig_wire_put_u32(out, "ovr", core->power.overruns) &&
			put_samples(core, first, count, out);
	return RIG_OK;
}

const struct rig_handler rig_handler_power = {
	.command = RIG_CMD_POWER,
	.fields = page_fields,
	.field_count = FIELDS,
	.run = tell_power,
};
