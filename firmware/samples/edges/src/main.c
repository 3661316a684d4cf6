/* SPDX-License-Identifier: Apache-2.0 */
/* Prints each edge of the lines that the devicetree's edges node has, and when it was. */
#include <resume_rig/edge_source.h>

#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

static const struct device *const edges = DEVICE_DT_GET(DT_NODELABEL(edges));

static K_SEM_DEFINE(came, 0, 1);

static void edges_came(const struct device *dev, void *user_data)
{
	k_sem_give(&came);
}

int main(void)
{
	struct edge_source_info info;
	uint32_t levels;
	int ret;

	if (!device_is_ready(edges)) {
		printk("%s is not ready\n", edges->name);
		return -ENODEV;
	}
	ret = edge_source_start(edges, edges_came, NULL, &levels);
	if (ret < 0) {
		printk("Could not take edges (%d)\n", ret);
		return ret;
	}
	edge_source_get_info(edges, &info);
	printk("%u lines by %s at %u Hz, levels 0x%x\n", info.lines, info.name, info.hz, levels);
	while (true) {
		struct edge_source_edge edge;
		uint32_t lost;

		(void)k_sem_take(&came, K_FOREVER);
		while (edge_source_take(edges, &edge)) {
			printk("line %u %s at %u\n", edge.channel, edge.level ? "rises" : "falls",
			       edge.ticks);
		}
		lost = edge_source_take_lost(edges);
		if (lost > 0u) {
			printk("%u edges were lost\n", lost);
		}
	}
	return 0;
}
