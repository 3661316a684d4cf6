/* SPDX-License-Identifier: Apache-2.0 */
/* The flash of the board under test begins blank and leaves no file. */
#include "nsi_cmdline.h"
#include "nsi_tasks.h"

static void keep_flash_in_ram(void)
{
	static char *option = "--flash_in_ram";

	nsi_register_extra_args(1, &option);
}

NSI_TASK(keep_flash_in_ram, PRE_BOOT_1, 10);
