/* SPDX-License-Identifier: Apache-2.0 */
/* The class of light sources, by the driver that any ADC has, on an emulated one. */
#include <resume_rig/edge_source.h>
#include <resume_rig/light_source.h>

#include <zephyr/devicetree.h>
#include <zephyr/drivers/adc/adc_emul.h>
#include <zephyr/kernel.h>
#include <zephyr/ztest.h>

#define LIGHT_NODE DT_NODELABEL(light)
#define HZ (USEC_PER_SEC / DT_PROP(LIGHT_NODE, period_us))

static const struct device *const light = DEVICE_DT_GET(LIGHT_NODE);
static const struct device *const edges = DEVICE_DT_GET(DT_PHANDLE(LIGHT_NODE, edge_source));

static void shine(uint32_t voltage_mv)
{
	zassert_ok(adc_emul_const_value_set(DEVICE_DT_GET(DT_IO_CHANNELS_CTLR(LIGHT_NODE)),
					    DT_IO_CHANNELS_INPUT(LIGHT_NODE), voltage_mv));
}

static void begin(void *unused)
{
	shine(1650);
}

static void end(void *unused)
{
	light_source_stop(light);
}

ZTEST(light_source, test_it_tells_rate_and_range)
{
	struct light_source_info info;

	light_source_get_info(light, &info);
	zassert_equal(info.hz, HZ);
	zassert_equal(info.full_scale, 4095);
}

ZTEST(light_source, test_samples_come_in_batches_at_the_rate_from_the_first_ones_time_on)
{
	const uint16_t *counts;
	uint32_t first_ticks;
	uint32_t taken = 0;
	int64_t start_ms = k_uptime_get();

	zassert_ok(light_source_start(light, &first_ticks));
	zassert_equal(first_ticks, edge_source_ticks(edges));
	while (taken < HZ / 10u) {
		int count = light_source_take(light, &counts, K_MSEC(100));

		zassert_true(count > 0, "%d", count);
		for (int i = 0; i < count; i++) {
			zassert_within(counts[i], 2048, 2);
		}
		taken += (uint32_t)count;
	}
	zassert_within(k_uptime_get() - start_ms, 100, 5);
}

ZTEST(light_source, test_no_batch_in_time_is_none)
{
	const uint16_t *counts;
	uint32_t first_ticks;

	zassert_ok(light_source_start(light, &first_ticks));
	zassert_equal(light_source_take(light, &counts, K_NO_WAIT), 0);
}

ZTEST(light_source, test_a_reader_that_is_late_is_told_and_may_start_anew)
{
	const uint16_t *counts;
	uint32_t first_ticks;
	int count = 1;

	zassert_ok(light_source_start(light, &first_ticks));
	k_sleep(K_MSEC(50));
	for (int i = 0; i < 8 && count > 0; i++) {
		count = light_source_take(light, &counts, K_MSEC(10));
	}
	zassert_equal(count, -EOVERFLOW);
	light_source_stop(light);
	zassert_ok(light_source_start(light, &first_ticks));
	zassert_true(light_source_take(light, &counts, K_MSEC(100)) > 0);
}

ZTEST_SUITE(light_source, NULL, NULL, begin, end, NULL);
