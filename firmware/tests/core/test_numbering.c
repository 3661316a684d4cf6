/* SPDX-License-Identifier: Apache-2.0 */
#include "rig_internal.h"
#include "suites.h"

#include <errno.h>

static void claim(struct rig_numbering *numbers, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		(void)rig_numbering_claim(numbers);
	}
}

static void slots_are_claimed_in_turn(struct check_tally *tally)
{
	struct rig_numbering numbers;

	rig_numbering_init(&numbers, 3);
	CHECK_EQ(rig_numbering_claim(&numbers), 0);
	CHECK_EQ(rig_numbering_claim(&numbers), 1);
	CHECK_EQ(rig_numbering_claim(&numbers), 2);
	CHECK_EQ(rig_numbering_claim(&numbers), 0);
}

static void only_unread_items_count_as_overrun(struct check_tally *tally)
{
	struct rig_numbering numbers;
	uint32_t first;
	uint32_t count;

	rig_numbering_init(&numbers, 3);
	claim(&numbers, 3);
	CHECK_EQ(rig_numbering_seek(&numbers, 2, &first, &count), 0);
	claim(&numbers, 2);
	CHECK_EQ(numbers.overruns, 0);
	claim(&numbers, 2);
	CHECK_EQ(numbers.overruns, 2);
}

static void reading_again_from_further_back_unreads_nothing(struct check_tally *tally)
{
	struct rig_numbering numbers;
	uint32_t first;
	uint32_t count;

	rig_numbering_init(&numbers, 3);
	claim(&numbers, 3);
	CHECK_EQ(rig_numbering_seek(&numbers, 3, &first, &count), 0);
	CHECK_EQ(rig_numbering_seek(&numbers, 0, &first, &count), 0);
	CHECK_EQ(first, 0);
	CHECK_EQ(count, 3);
	claim(&numbers, 3);
	CHECK_EQ(numbers.overruns, 0);
}

static void a_cursor_ahead_is_out_of_range(struct check_tally *tally)
{
	struct rig_numbering numbers;
	uint32_t first;
	uint32_t count;

	rig_numbering_init(&numbers, 3);
	claim(&numbers, 2);
	CHECK_EQ(rig_numbering_seek(&numbers, 3, &first, &count), -ERANGE);
	CHECK_EQ(numbers.read_to, 0);
}

/* 2^32 is no multiple of 3, so slots and numbers part ways here. */
static void numbers_wrap_where_slots_do_not(struct check_tally *tally)
{
	struct rig_numbering numbers;
	uint32_t first;
	uint32_t count;

	rig_numbering_init(&numbers, 3);
	numbers.next = UINT32_MAX;
	numbers.read_to = UINT32_MAX;
	claim(&numbers, 4);
	CHECK_EQ(numbers.next, 3);
	CHECK_EQ(numbers.overruns, 1);
	CHECK_EQ(rig_numbering_seek(&numbers, UINT32_MAX, &first, &count), 0);
	CHECK_EQ(first, 0);
	CHECK_EQ(count, 3);
	CHECK_EQ(rig_numbering_slot(&numbers, 0), 1);
	CHECK_EQ(rig_numbering_slot(&numbers, 1), 2);
	CHECK_EQ(rig_numbering_slot(&numbers, 2), 0);
}

static void sound_numbers_are_told_from_others(struct check_tally *tally)
{
	struct rig_numbering numbers;

	rig_numbering_init(&numbers, 3);
	claim(&numbers, 5);
	CHECK(rig_numbering_is_sound(&numbers));
	numbers.held = 4;
	CHECK(!rig_numbering_is_sound(&numbers));
	numbers.held = 3;
	numbers.read_to = 6;
	CHECK(!rig_numbering_is_sound(&numbers));
}

void test_numbering(struct check_tally *tally)
{
	RUN(tally, slots_are_claimed_in_turn);
	RUN(tally, only_unread_items_count_as_overrun);
	RUN(tally, reading_again_from_further_back_unreads_nothing);
	RUN(tally, a_cursor_ahead_is_out_of_range);
	RUN(tally, numbers_wrap_where_slots_do_not);
	RUN(tally, sound_numbers_are_told_from_others);
}
