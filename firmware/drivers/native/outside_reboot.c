/* SPDX-License-Identifier: Apache-2.0 */
/* sys_reboot() of native_sim, for which Zephyr 3.7 has only a weak stub. */
#include "outside.h"

#include <zephyr/sys/reboot.h>

void sys_arch_reboot(int type);

void sys_arch_reboot(int type)
{
	outside_reboot();
}
