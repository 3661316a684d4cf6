/* SPDX-License-Identifier: Apache-2.0 */
/* A board without a watchdog resets itself when its engine is dead. */
#include "rig_guard.h"

#include <nsi_cpu0_interrupts.h>
#include <zephyr/irq.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/reboot.h>
#include <zephyr/ztest.h>

static K_THREAD_STACK_DEFINE(stack, 2048);
static K_SEM_DEFINE(reset, 0, 1);
static struct k_thread thread;

void sys_arch_reboot(int type);

/** In place of the board's: the thread that asked for it is gone, the others go on. */
void sys_arch_reboot(int type)
{
	zassert_equal(type, SYS_REBOOT_COLD);
	irq_enable(TIMER_TICK_IRQ);
	irq_unlock(0);
	k_sem_give(&reset);
	k_thread_abort(k_current_get());
}

static void give_up(void *unused1, void *unused2, void *unused3)
{
	rig_guard_give_up();
}

ZTEST(reset, test_a_board_without_a_watchdog_resets_itself)
{
	(void)k_thread_create(&thread, stack, K_THREAD_STACK_SIZEOF(stack), give_up, NULL, NULL,
			      NULL, 0, 0, K_NO_WAIT);
	zassert_ok(k_sem_take(&reset, K_MSEC(1)));
}

ZTEST_SUITE(reset, NULL, NULL, NULL, NULL, NULL);
