/* SPDX-License-Identifier: Apache-2.0 */
/* The guard lets go when the engine is dead. Its verdict is final, so there is one such test. */
#include "board_under_test.h"

#include "rig_guard.h"

#include <string.h>
#include <zephyr/kernel.h>
#include <zephyr/ztest.h>

#define NS_PER_MS UINT64_C(1000000)

static k_tid_t engine_thread;

static void find_engine(const struct k_thread *thread, void *unused)
{
	k_tid_t found = (k_tid_t)thread;

	if (strcmp(k_thread_name_get(found), "rig_engine") == 0) {
		engine_thread = found;
	}
}

ZTEST(guard, test_a_dead_engine_is_noticed_and_outputs_are_let_go)
{
	k_thread_foreach(find_engine, NULL);
	zassert_not_null(engine_thread);
	zassert_ok(board_press(BUTTON, 30 * NS_PER_MS, false));
	zassert_ok(rig_guard_turn());
	k_thread_suspend(engine_thread);
	k_sleep(K_MSEC(30 + CONFIG_RIG_GUARD_PATIENCE_MS + 1));
	zassert_true(board_is_driven(BUTTON));
	zassert_equal(rig_guard_turn(), -ETIMEDOUT);
	zassert_false(board_is_driven(BUTTON));
	/* Nobody would end what is driven from now on. */
	zassert_ok(board_lid(true));
	zassert_false(board_is_driven(LID));
	k_thread_resume(engine_thread);
	zassert_equal(rig_guard_turn(), -ETIMEDOUT);
}

ZTEST_SUITE(guard, NULL, NULL, board_boot, board_halt, NULL);
