/* SPDX-License-Identifier: Apache-2.0 */
/* CBOR as this group uses it: what zcbor leaves open is narrowed here. */
#include "rig_internal.h"

#include <string.h>
#include <zcbor_decode.h>
#include <zcbor_encode.h>

#define MAX_DEPTH 8u
/** A head's major type lies above this bit (RFC 8949, section 3). */
#define MAJOR_SHIFT 5u

struct head {
	zcbor_major_type_t major;
	uint64_t argument;
	/** bytes of the head itself, 0 when it is none */
	size_t len;
};

/** Floats are exempt from "shortest": their bits are no count. */
static bool is_shortest(uint8_t additional, uint64_t argument)
{
	static const uint64_t least[] = {24u, 0x100u, 0x10000u, 0x100000000u};

	return argument >= least[additional - ZCBOR_VALUE_IS_1_BYTE];
}

static struct head read_head(const uint8_t *bytes, size_t len)
{
	struct head head = {.len = 0};
	uint8_t additional;
	size_t extra;

	if (len == 0u) {
		return head;
	}
	head.major = ZCBOR_MAJOR_TYPE(bytes[0]);
	additional = ZCBOR_ADDITIONAL(bytes[0]);
	if (additional <= ZCBOR_VALUE_IN_HEADER) {
		head.argument = additional;
		head.len = 1;
		return head;
	}
	if (additional > ZCBOR_VALUE_IS_8_BYTES) {
		return head;
	}
	extra = (size_t)1 << (additional - ZCBOR_VALUE_IS_1_BYTE);
	if (len - 1u < extra) {
		return head;
	}
	for (size_t i = 0; i < extra; i++) {
		head.argument = head.argument << 8 | bytes[1u + i];
	}
	if (head.major == ZCBOR_MAJOR_TYPE_SIMPLE) {
		/* RFC 8949, section 3.3: simple values below 32 have no second byte. */
		head.len = extra > 1u || head.argument >= 32u ? 1u + extra : 0u;
		return head;
	}
	head.len = is_shortest(additional, head.argument) ? 1u + extra : 0u;
	return head;
}

/** How many items follow a head on the level below it, and how many bytes of its own. */
static bool content_of(const struct head *head, size_t room, uint64_t *items, size_t *own_bytes)
{
	*items = 0;
	*own_bytes = 0;
	switch (head->major) {
	case ZCBOR_MAJOR_TYPE_PINT:
	case ZCBOR_MAJOR_TYPE_NINT:
	case ZCBOR_MAJOR_TYPE_SIMPLE:
		return true;
	case ZCBOR_MAJOR_TYPE_BSTR:
	case ZCBOR_MAJOR_TYPE_TSTR:
		*own_bytes = (size_t)head->argument;
		return head->argument <= room;
	case ZCBOR_MAJOR_TYPE_LIST:
		*items = head->argument;
		return head->argument <= room;
	case ZCBOR_MAJOR_TYPE_MAP:
		*items = head->argument * 2u;
		return head->argument <= room / 2u;
	case ZCBOR_MAJOR_TYPE_TAG:
		*items = 1;
		return true;
	}
	return false;
}

size_t rig_wire_item_len(const uint8_t *bytes, size_t len)
{
	uint64_t open[MAX_DEPTH + 1u] = {1};
	size_t depth = 0;
	size_t at = 0;

	while (true) {
		struct head head = read_head(bytes + at, len - at);
		uint64_t items;
		size_t own_bytes;

		if (head.len == 0u || !content_of(&head, len - at - head.len, &items, &own_bytes)) {
			return 0;
		}
		at += head.len + own_bytes;
		open[depth]--;
		if (items > 0u) {
			if (depth == MAX_DEPTH) {
				return 0;
			}
			open[++depth] = items;
		}
		while (open[depth] == 0u) {
			if (depth == 0u) {
				return at;
			}
			depth--;
		}
	}
}

static uint64_t greatest_of(enum rig_field_kind kind)
{
	switch (kind) {
	case RIG_FIELD_BOOL:
		return 1;
	case RIG_FIELD_U8:
		return UINT8_MAX;
	case RIG_FIELD_U32:
		return UINT32_MAX;
	case RIG_FIELD_U64:
	case RIG_FIELD_I32:
		return UINT64_MAX;
	}
	return 0;
}

static bool decode_value(zcbor_state_t *in, struct rig_field *field)
{
	if (field->present) {
		return false;
	}
	field->present = true;
	if (field->kind == RIG_FIELD_BOOL) {
		bool value = false;
		bool decoded = zcbor_bool_decode(in, &value);

		field->value = value ? 1u : 0u;
		return decoded;
	}
	if (field->kind == RIG_FIELD_I32) {
		int32_t value = 0;
		bool decoded = zcbor_int32_decode(in, &value);

		field->value = (uint64_t)(int64_t)value;
		return decoded;
	}
	return zcbor_uint64_decode(in, &field->value) && field->value <= greatest_of(field->kind);
}

/** The request as a whole is known to be well-formed, so the item is. */
static bool skip_value(zcbor_state_t *in)
{
	in->payload += rig_wire_item_len(in->payload, (size_t)(in->payload_end - in->payload));
	in->elem_count--;
	return true;
}

static struct rig_field *find_field(const struct zcbor_string *key, struct rig_field *fields,
				    size_t field_count)
{
	for (size_t i = 0; i < field_count; i++) {
		if (key->len == strlen(fields[i].key) &&
		    memcmp(key->value, fields[i].key, key->len) == 0) {
			return &fields[i];
		}
	}
	return NULL;
}

static bool decode_pairs(zcbor_state_t *in, struct rig_field *fields, size_t field_count)
{
	while (!zcbor_array_at_end(in)) {
		struct zcbor_string key;
		struct rig_field *field;

		if (!zcbor_tstr_decode(in, &key)) {
			return false;
		}
		field = find_field(&key, fields, field_count);
		if (field == NULL ? !skip_value(in) : !decode_value(in, field)) {
			return false;
		}
	}
	return true;
}

enum rig_error rig_wire_decode(const uint8_t *in, size_t in_len, struct rig_field *fields,
			       size_t field_count)
{
	if (in_len == 0u || rig_wire_item_len(in, in_len) != in_len) {
		return RIG_ERR_BAD_REQUEST;
	}

	ZCBOR_STATE_D(request, 1, in, in_len, 1, 0);
	if (!zcbor_map_start_decode(request) || !decode_pairs(request, fields, field_count)) {
		return RIG_ERR_BAD_REQUEST;
	}
	for (size_t i = 0; i < field_count; i++) {
		if (!fields[i].present && !fields[i].optional) {
			return RIG_ERR_BAD_REQUEST;
		}
	}
	return RIG_OK;
}

/**
 * zcbor's own starts write an indefinite length unless it is built canonical, which is the shell's
 * choice; the head of an unsigned integer differs only in its major type.
 */
static bool put_head(zcbor_state_t *out, zcbor_major_type_t major, uint32_t argument)
{
	uint8_t *first = out->payload_mut;

	if (!zcbor_uint32_put(out, argument)) {
		return false;
	}
	*first = (uint8_t)(*first | (unsigned int)major << MAJOR_SHIFT);
	return true;
}

bool rig_wire_put_map(zcbor_state_t *out, uint32_t pairs)
{
	return put_head(out, ZCBOR_MAJOR_TYPE_MAP, pairs);
}

bool rig_wire_put_list(zcbor_state_t *out, uint32_t items)
{
	return put_head(out, ZCBOR_MAJOR_TYPE_LIST, items);
}

bool rig_wire_put_text(zcbor_state_t *out, const char *text)
{
	return zcbor_tstr_encode_ptr(out, text == NULL ? "" : text,
				     text == NULL ? 0u : strlen(text));
}

bool rig_wire_put_u32(zcbor_state_t *out, const char *key, uint32_t value)
{
	return rig_wire_put_text(out, key) && zcbor_uint32_put(out, value);
}

bool rig_wire_put_u64(zcbor_state_t *out, const char *key, uint64_t value)
{
	return rig_wire_put_text(out, key) && zcbor_uint64_put(out, value);
}

bool rig_wire_put_i32(zcbor_state_t *out, const char *key, int32_t value)
{
	return rig_wire_put_text(out, key) && zcbor_int32_put(out, value);
}

bool rig_wire_put_bytes(zcbor_state_t *out, uint32_t len, uint8_t **bytes)
{
	if (!put_head(out, ZCBOR_MAJOR_TYPE_BSTR, len) || rig_wire_room(out) < len) {
		return false;
	}
	*bytes = out->payload_mut;
	out->payload_mut += len;
	return true;
}

size_t rig_wire_room(const zcbor_state_t *out)
{
	return (size_t)(out->payload_end - out->payload_mut);
}
