/* SPDX-License-Identifier: Apache-2.0 */
/* What the engine is started with: parts that this board lacks, and parts that need little. */
#include "board_under_test.h"

#include "rig_board.h"
#include "rig_engine.h"
#include "rig_past.h"

#include <errno.h>
#include <zephyr/ztest.h>

#define PERIOD_NS UINT64_C(7000000)

static struct rig_power_sample samples[16];

static void describe(struct rig_config *config)
{
	config->power = (struct rig_power_config){
		.slots = samples,
		.capacity = ARRAY_SIZE(samples),
		.period_ns = PERIOD_NS,
		.window_ns = PERIOD_NS,
		.shunt_uohm = 1,
	};
}

static const struct rig_part only_described = {.describe = describe};
static const struct rig_identity identity = {.boot_id = 1, .nonce = 1, .reset_reason = "power-on"};

ZTEST(parts, test_a_part_behind_one_that_is_missing_is_described)
{
	const struct rig_part *const parts[] = {NULL, &only_described};

	rig_past_begin(&identity, rig_past_memory());
	zassert_ok(rig_board_init());
	zassert_ok(rig_engine_start(&identity, parts, ARRAY_SIZE(parts)));
	zassert_equal(board_read(RIG_CMD_INFO, "pper"), PERIOD_NS);
	rig_engine_stop();
}

ZTEST(parts, test_more_parts_than_there_is_room_for_are_refused)
{
	const struct rig_part *const parts[RIG_PARTS_MAX + 1] = {NULL};

	zassert_equal(rig_engine_start(&identity, parts, ARRAY_SIZE(parts)), -EINVAL);
}

ZTEST_SUITE(parts, NULL, NULL, NULL, NULL, NULL);
