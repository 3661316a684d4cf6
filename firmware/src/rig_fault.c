/* SPDX-License-Identifier: Apache-2.0 */
/* A fatal error of the kernel or an application thread: let go first, then start anew. */
#include "rig_board.h"
#include "rig_past.h"

#include <zephyr/fatal.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log_ctrl.h>
#include <zephyr/sys/reboot.h>

#ifndef CONFIG_ZTEST
void k_sys_fatal_error_handler(unsigned int reason, const struct arch_esf *frame)
{
	rig_board_release_all();
	rig_past_end("fault");
	LOG_PANIC();
	sys_reboot(SYS_REBOOT_COLD);
	CODE_UNREACHABLE;
}
#endif
