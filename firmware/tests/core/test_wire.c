/* SPDX-License-Identifier: Apache-2.0 */
#include "rig_internal.h"
#include "suites.h"

#include <stdlib.h>
#include <zcbor_encode.h>

struct item_case {
	const char *what;
	const char *bytes;
	size_t len;
	size_t expected;
};

#define ITEM(what, literal, expected) {what, literal, sizeof(literal) - 1u, expected}

/** A copy that ends where the bytes end, so that AddressSanitizer sees a read beyond. */
static size_t item_len(const char *bytes, size_t len)
{
	uint8_t *copy = malloc(len + 1u);
	size_t found = 0;

	if (copy != NULL) {
		memcpy(copy + 1, bytes, len);
		found = rig_wire_item_len(copy + 1, len);
	}
	free(copy);
	return found;
}

static void items_are_measured_and_others_refused(struct check_tally *tally)
{
	static const struct item_case cases[] = {
		ITEM("small integer", "\x17", 1),
		ITEM("integer of one byte", "\x18\x18", 2),
		ITEM("integer of eight bytes", "\x1b\x00\x00\x00\x01\x00\x00\x00\x00", 9),
		ITEM("negative integer", "\x38\xff", 2),
		ITEM("text", "\x62zz", 3),
		ITEM("bytes", "\x41\x00", 2),
		ITEM("list in a map", "\xa1\x61q\x82\x01\x02", 6),
		ITEM("tag", "\xc1\x01", 2),
		ITEM("false", "\xf4", 1),
		ITEM("float whose bits are few", "\xf9\x00\x00", 3),
		ITEM("simple value 32", "\xf8\x20", 2),
		ITEM("something behind it", "\x01\x02", 1),
		ITEM("eight levels", "\x81\x81\x81\x81\x81\x81\x81\x81\x01", 9),
		ITEM("nine levels", "\x81\x81\x81\x81\x81\x81\x81\x81\x81\x01", 0),
		ITEM("nothing", "", 0),
		ITEM("head cut", "\x19\x01", 0),
		ITEM("text cut", "\x63zz", 0),
		ITEM("list cut", "\x82\x01", 0),
		ITEM("map without its value", "\xa1\x01", 0),
		ITEM("tag without its item", "\xc1", 0),
		ITEM("text of 2^64-1 bytes", "\x7b\xff\xff\xff\xff\xff\xff\xff\xff", 0),
		ITEM("map of 2^63 pairs", "\xbb\x80\x00\x00\x00\x00\x00\x00\x00", 0),
		ITEM("longer head than needed", "\x18\x17", 0),
		ITEM("simple value in a longer head", "\xf8\x14", 0),
		ITEM("reserved head", "\x1c", 0),
		ITEM("indefinite list", "\x9f\xff", 0),
		ITEM("break", "\xff", 0),
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tally->test = cases[i].what;
		CHECK_EQ(item_len(cases[i].bytes, cases[i].len), cases[i].expected);
	}
}

static void depth_costs_no_stack(struct check_tally *tally)
{
	static uint8_t nested[1u << 20];

	memset(nested, 0x81, sizeof(nested));
	CHECK_EQ(rig_wire_item_len(nested, sizeof(nested)), 0);
	memset(nested, 0xc1, sizeof(nested));
	CHECK_EQ(rig_wire_item_len(nested, sizeof(nested)), 0);
}

static void fields_are_found_in_any_order_among_others(struct check_tally *tally)
{
	static const uint8_t in[] = {0xa3, 0x61, 'b',  0xf5, 0x61, 'z',  0x81,
				     0xf9, 0x00, 0x00, 0x61, 'a',  0x18, 0xff};
	struct rig_field fields[] = {
		{.key = "a", .kind = RIG_FIELD_U8},
		{.key = "b", .kind = RIG_FIELD_BOOL},
		{.key = "c", .kind = RIG_FIELD_U32, .optional = true, .value = 9},
	};

	CHECK_EQ(rig_wire_decode(in, sizeof(in), fields, 3), RIG_OK);
	CHECK_EQ(fields[0].value, 255);
	CHECK_EQ(fields[1].value, 1);
	CHECK(!fields[2].present);
	CHECK_EQ(fields[2].value, 9);
}

static void a_key_is_compared_whole(struct check_tally *tally)
{
	static const uint8_t in[] = {0xa2, 0x62, 'a', 'b', 0x01, 0x61, 'b', 0x02};
	struct rig_field a = {.key = "a", .kind = RIG_FIELD_U8};

	CHECK_EQ(rig_wire_decode(in, sizeof(in), &a, 1), RIG_ERR_BAD_REQUEST);
}

static void heads_have_a_definite_length(struct check_tally *tally)
{
	uint8_t bytes[8];

	ZCBOR_STATE_E(out, 0, bytes, sizeof(bytes), 1);
	CHECK(rig_wire_put_map(out, 1));
	CHECK(rig_wire_put_text(out, NULL));
	CHECK(rig_wire_put_list(out, 256));
	CHECK_EQ(rig_wire_room(out), 3);
	CHECK(memcmp(bytes, "\xa1\x60\x99\x01\x00", 5) == 0);
}

static void a_full_reply_takes_no_more(struct check_tally *tally)
{
	uint8_t bytes[2] = {0, 0x55};

	ZCBOR_STATE_E(out, 0, bytes, 1, 1);
	CHECK(!rig_wire_put_list(out, 24));
	CHECK(!rig_wire_put_u32(out, "a", 1));
	CHECK(rig_wire_put_map(out, 0));
	CHECK(!rig_wire_put_map(out, 0));
	CHECK_EQ(bytes[1], 0x55);
}

void test_wire(struct check_tally *tally)
{
	RUN(tally, items_are_measured_and_others_refused);
	RUN(tally, depth_costs_no_stack);
	RUN(tally, fields_are_found_in_any_order_among_others);
	RUN(tally, a_key_is_compared_whole);
	RUN(tally, heads_have_a_definite_length);
	RUN(tally, a_full_reply_takes_no_more);
}
