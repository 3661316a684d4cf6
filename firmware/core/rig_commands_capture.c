/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that read what the board captured: edges, levels, light. */
#include "rig_internal.h"

#include <errno.h>
#include <zcbor_encode.h>

/** The head of a list that has at most as many items as a reply has bytes. */
#define LIST_HEAD_MAX 5u

/** What a read by cursor found in a ring. */
struct found {
	uint32_t first;
	uint32_t count;
};

enum { FROM, MAX, FIELDS };

static const struct rig_field page_fields[FIELDS] = {
	[FROM] = {.key = "from", .kind = RIG_FIELD_U32},
	[MAX] = {.key = "max", .kind = RIG_FIELD_U32, .optional = true, .value = UINT32_MAX},
};

static enum rig_error find(const struct rig_request *request, struct rig_numbering *numbers,
			   struct found *found)
{
	const struct rig_field *fields = request->fields;

	if (rig_numbering_seek(numbers, (uint32_t)fields[FROM].value, &found->first,
			       &found->count) == -ERANGE) {
		return RIG_ERR_CURSOR;
	}
	if (found->count > fields[MAX].value) {
		found->count = (uint32_t)fields[MAX].value;
	}
	return RIG_OK;
}

static bool put_frame(const struct rig_core *core, const struct rig_numbering *numbers,
		      const struct found *found, zcbor_state_t *out)
{
	return rig_wire_put_map(out, 5) && rig_wire_put_u32(out, "boot", core->config.boot_id) &&
	       rig_wire_put_u32(out, "first", found->first) &&
	       rig_wire_put_u32(out, "next", numbers->next) &&
	       rig_wire_put_u32(out, "ovr", numbers->overruns);
}

static size_t list_room(const zcbor_state_t *out)
{
	size_t room = rig_wire_room(out);

	return room > LIST_HEAD_MAX ? room - LIST_HEAD_MAX : 0u;
}

/* -------------------------------------------------------------------------------- edges -- */

static const struct rig_edge *edge_at(const struct rig_core *core, uint32_t number)
{
	return &core->edges.slots[rig_numbering_slot(&core->edges.numbers, number)];
}

static uint32_t edge_code(const struct rig_edge *edge)
{
	return edge->channel * 2u + edge->level;
}

static size_t edge_len(const struct rig_edge *edge)
{
	return zcbor_header_len(edge->t_ns) + zcbor_header_len(edge_code(edge));
}

static uint32_t fitting_edges(const struct rig_core *core, const struct found *found, size_t room)
{
	for (uint32_t i = 0; i < found->count; i++) {
		size_t len = edge_len(edge_at(core, found->first + i));

		if (len > room) {
			return i;
		}
		room -= len;
	}
	return found->count;
}

static bool put_edges(const struct rig_core *core, const struct found *found, zcbor_state_t *out)
{
	uint32_t count;
	bool ok = rig_wire_put_text(out, "e");

	count = fitting_edges(core, found, list_room(out));
	ok = ok && rig_wire_put_list(out, count * 2u);
	for (uint32_t i = 0; ok && i < count; i++) {
		const struct rig_edge *edge = edge_at(core, found->first + i);

		ok = zcbor_uint64_put(out, edge->t_ns) && zcbor_uint32_put(out, edge_code(edge));
	}
	return ok;
}

static enum rig_error tell_edges(struct rig_core *core, struct rig_request *request)
{
	struct found found;
	enum rig_error error = find(request, &core->edges.numbers, &found);

	if (error != RIG_OK) {
		return error;
	}
	request->fits = put_frame(core, &core->edges.numbers, &found, request->out) &&
			put_edges(core, &found, request->out);
	return RIG_OK;
}

const struct rig_handler rig_handler_edges = {
	.command = RIG_CMD_EDGES,
	.fields = page_fields,
	.field_count = FIELDS,
	.run = tell_edges,
};

static enum rig_error tell_levels(struct rig_core *core, struct rig_request *request)
{
	zcbor_state_t *out = request->out;

	request->fits = rig_wire_put_map(out, 3) &&
			rig_wire_put_u32(out, "boot", core->config.boot_id) &&
			rig_wire_put_u64(out, "t", request->now_ns) &&
			rig_wire_put_u32(out, "lv", core->levels);
	return RIG_OK;
}

const struct rig_handler rig_handler_levels = {
	.command = RIG_CMD_LEVELS,
	.run = tell_levels,
};

/* -------------------------------------------------------------------------------- light -- */

static const struct rig_light_block *block_at(const struct rig_core *core, uint32_t number)
{
	return &core->light.slots[rig_numbering_slot(&core->light.numbers, number)];
}

static size_t block_len(const struct rig_light_block *block)
{
	return zcbor_header_len(block->t_ns) + zcbor_header_len(block->min) +
	       zcbor_header_len(block->mean) + zcbor_header_len(block->max);
}

static uint32_t fitting_blocks(const struct rig_core *core, const struct found *found, size_t room)
{
	for (uint32_t i = 0; i < found->count; i++) {
		size_t len = block_len(block_at(core, found->first + i));

		if (len > room) {
			return i;
		}
		room -= len;
	}
	return found->count;
}

static bool put_blocks(const struct rig_core *core, const struct found *found, zcbor_state_t *out)
{
	uint32_t count;
	bool ok = rig_wire_put_text(out, "b");

	count = fitting_blocks(core, found, list_room(out));
	ok = ok && rig_wire_put_list(out, count * 4u);
	for (uint32_t i = 0; ok && i < count; i++) {
		const struct rig_light_block *block = block_at(core, found->first + i);

		ok = zcbor_uint64_put(out, block->t_ns) && zcbor_uint32_put(out, block->min) &&
		     zcbor_uint32_put(out, block->mean) && zcbor_uint32_put(out, block->max);
	}
	return ok;
}

static enum rig_error tell_light(struct rig_core *core, struct rig_request *request)
{
	struct found found;
	enum rig_error error;

	if (core->light.slots == NULL) {
		return RIG_ERR_NO_LIGHT;
	}
	error = find(request, &core->light.numbers, &found);
	if (error != RIG_OK) {
		return error;
	}
	request->fits = put_frame(core, &core->light.numbers, &found, request->out) &&
			put_blocks(core, &found, request->out);
	return RIG_OK;
}

const struct rig_handler rig_handler_light = {
	.command = RIG_CMD_LIGHT,
	.fields = page_fields,
	.field_count = FIELDS,
	.run = tell_light,
};
