/* SPDX-License-Identifier: Apache-2.0 */
#include "outside_host.h"

#include "nsi_cmdline.h"
#include "nsi_tasks.h"

static struct outside_options options;

const struct outside_options *outside_options(void)
{
	return &options;
}

static void outside_add_options(void)
{
	static struct args_struct_t table[] = {
		{.option = "rig-link",
		 .name = "path",
		 .type = 's',
		 .dest = (void *)&options.link,
		 .descript = "Make this symbolic link to the pseudo-terminal that carries SMP"},
		{.option = "rig-wires",
		 .name = "path",
		 .type = 's',
		 .dest = (void *)&options.wires,
		 .descript = "UNIX datagram socket to make; messages {time_ns, mask, values} to it "
			     "drive the input pins"},
		ARG_TABLE_ENDMARKER,
	};

	nsi_add_command_line_opts(table);
}

NSI_TASK(outside_add_options, PRE_BOOT_1, 10);
