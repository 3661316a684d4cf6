/* SPDX-License-Identifier: Apache-2.0 */
/* Gapless numbers of a ring's items: what is held, what was read, what was lost. */
#include "rig_internal.h"

#include <errno.h>

/** Half of the numbers: what lies further behind counts as ahead. */
#define RIG_NUMBER_HALF 0x80000000u

void rig_numbering_init(struct rig_numbering *numbers, uint32_t capacity)
{
	*numbers = (struct rig_numbering){.capacity = capacity};
}

uint32_t rig_numbering_claim(struct rig_numbering *numbers)
{
	uint32_t slot = numbers->head;

	if (numbers->held < numbers->capacity) {
		numbers->held++;
	} else if (numbers->next - numbers->read_to == numbers->capacity) {
		numbers->overruns++;
		numbers->read_to++;
	}
	numbers->next++;
	numbers->head = slot + 1u == numbers->capacity ? 0u : slot + 1u;
	return slot;
}

int rig_numbering_seek(struct rig_numbering *numbers, uint32_t cursor, uint32_t *first,
		       uint32_t *count)
{
	uint32_t behind = numbers->next - cursor;

	if (behind > RIG_NUMBER_HALF) {
		return -ERANGE;
	}
	if (behind < numbers->next - numbers->read_to) {
		numbers->read_to = cursor;
	}
	*count = behind < numbers->held ? behind : numbers->held;
	*first = numbers->next - *count;
	return 0;
}

uint32_t rig_numbering_slot(const struct rig_numbering *numbers, uint32_t number)
{
	uint32_t behind = numbers->next - number;

	return behind <= numbers->head ? numbers->head - behind
				       : numbers->head + (numbers->capacity - behind);
}

bool rig_numbering_is_sound(const struct rig_numbering *numbers)
{
	return numbers->held <= numbers->capacity && numbers->head < numbers->capacity &&
	       numbers->next - numbers->read_to <= numbers->held;
}
