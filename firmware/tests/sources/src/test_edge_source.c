/* SPDX-License-Identifier: Apache-2.0 */
/* The class of edge sources, by the driver that any board has, on an emulated GPIO controller. */
#include <resume_rig/edge_source.h>

#include <string.h>
#include <zephyr/devicetree.h>
#include <zephyr/drivers/counter.h>
#include <zephyr/drivers/gpio.h>
#include <zephyr/drivers/gpio/gpio_emul.h>
#include <zephyr/kernel.h>
#include <zephyr/ztest.h>

enum { PLAIN, INVERTED };
enum { COUNTED_PIN = 2 };

static const struct device *const cycles = DEVICE_DT_GET(DT_NODELABEL(cycles));
static const struct device *const counted = DEVICE_DT_GET(DT_NODELABEL(counted));
static const struct device *const broken = DEVICE_DT_GET(DT_NODELABEL(broken));
static const struct device *const port = DEVICE_DT_GET(DT_NODELABEL(gpio0));

struct calls {
	const struct device *newest;
	uint32_t count;
};

static struct calls calls;

static void came(const struct device *dev, void *user_data)
{
	struct calls *found = user_data;

	found->newest = dev;
	found->count++;
}

static void set(gpio_pin_t pin, int level)
{
	zassert_ok(gpio_emul_input_set(port, pin, level));
}

static void start(void *unused)
{
	uint32_t levels;

	calls = (struct calls){0};
	set(PLAIN, 0);
	set(INVERTED, 1);
	set(COUNTED_PIN, 0);
	zassert_ok(edge_source_start(cycles, came, &calls, &levels));
	zassert_equal(levels, 0);
	zassert_ok(edge_source_start(counted, came, &calls, &levels));
}

static void stop(void *unused)
{
	edge_source_stop(cycles);
	edge_source_stop(counted);
	(void)edge_source_take_lost(cycles);
}

ZTEST(edge_source, test_it_tells_what_it_is)
{
	struct edge_source_info info;

	edge_source_get_info(cycles, &info);
	zassert_str_equal(info.name, "gpio-interrupt");
	zassert_equal(info.hz, sys_clock_hw_cycles_per_sec());
	zassert_equal(info.bits, 32);
	zassert_equal(info.lines, 2);
	edge_source_get_info(counted, &info);
	zassert_equal(info.hz, counter_get_frequency(DEVICE_DT_GET(DT_NODELABEL(counter0))));
	zassert_equal(info.lines, 1);
}

ZTEST(edge_source, test_an_edge_has_the_counter_at_which_it_happened)
{
	struct edge_source_edge edge;
	uint32_t before = edge_source_ticks(cycles);

	k_busy_wait(37);
	set(PLAIN, 1);
	k_busy_wait(5);
	set(INVERTED, 0);
	zassert_equal(calls.count, 2);
	zassert_equal(calls.newest, cycles);
	zassert_true(edge_source_take(cycles, &edge));
	zassert_equal(edge.ticks, before + 37u * (sys_clock_hw_cycles_per_sec() / USEC_PER_SEC));
	zassert_equal(edge.channel, PLAIN);
	zassert_true(edge.level);
	zassert_true(edge_source_take(cycles, &edge));
	zassert_equal(edge.channel, INVERTED);
	zassert_true(edge.level, "low is the active level");
	zassert_false(edge_source_take(cycles, &edge));
	zassert_equal(edge_source_levels(cycles), 3);
}

ZTEST(edge_source, test_sources_know_nothing_of_each_other)
{
	struct edge_source_edge edge;

	set(COUNTED_PIN, 1);
	zassert_equal(calls.newest, counted);
	zassert_false(edge_source_take(cycles, &edge));
	zassert_true(edge_source_take(counted, &edge));
	zassert_equal(edge.channel, 0);
	zassert_equal(edge_source_levels(counted), 1);
	zassert_equal(edge_source_levels(cycles), 0);
}

ZTEST(edge_source, test_a_counter_of_the_devicetree_stamps)
{
	const struct device *counter = DEVICE_DT_GET(DT_NODELABEL(counter0));
	struct edge_source_edge edge;
	uint32_t before;

	zassert_ok(counter_get_value(counter, &before));
	k_sleep(K_MSEC(20));
	set(COUNTED_PIN, 1);
	zassert_true(edge_source_take(counted, &edge));
	zassert_within((int64_t)edge.ticks - before,
		       counter_get_frequency(counter) * INT64_C(20) / 1000, 100);
	zassert_equal(edge.ticks, edge_source_ticks(counted));
}

ZTEST(edge_source, test_edges_that_find_the_queue_full_are_counted_once)
{
	struct edge_source_edge edge;

	for (uint32_t i = 0; i < CONFIG_RIG_EDGE_FIFO_EDGES + 3u; i++) {
		set(PLAIN, i % 2u == 0u ? 1 : 0);
	}
	zassert_equal(edge_source_take_lost(cycles), 3);
	zassert_equal(edge_source_take_lost(cycles), 0);
	for (uint32_t i = 0; i < CONFIG_RIG_EDGE_FIFO_EDGES; i++) {
		zassert_true(edge_source_take(cycles, &edge));
		zassert_equal(edge.level, i % 2u == 0u);
	}
	zassert_false(edge_source_take(cycles, &edge));
}

ZTEST(edge_source, test_a_source_that_was_stopped_takes_no_edge_and_keeps_what_it_has)
{
	struct edge_source_edge edge;

	set(PLAIN, 1);
	edge_source_stop(cycles);
	set(PLAIN, 0);
	zassert_true(edge_source_take(cycles, &edge));
	zassert_true(edge.level);
	zassert_false(edge_source_take(cycles, &edge));
	zassert_equal(calls.count, 1);
}

ZTEST(edge_source, test_a_start_forgets_what_waited_and_tells_the_levels)
{
	struct edge_source_edge edge;
	uint32_t levels;

	set(PLAIN, 1);
	edge_source_stop(cycles);
	zassert_ok(edge_source_start(cycles, came, &calls, &levels));
	zassert_equal(levels, BIT(PLAIN));
	zassert_false(edge_source_take(cycles, &edge));
}

ZTEST(edge_source, test_checks_fit_into_what_there_is_room_for)
{
	struct edge_source_check checks[4];

	zassert_equal(edge_source_check(cycles, checks, 0), 0);
	zassert_equal(edge_source_check(cycles, checks, ARRAY_SIZE(checks)), 1);
	zassert_str_equal(checks[0].name, "short_pulses_count");
	zassert_true(checks[0].ok);
}

ZTEST(edge_source, test_a_line_that_can_tell_no_edge_is_refused_at_the_start)
{
	uint32_t levels;

	zassert_true(device_is_ready(broken));
	zassert_true(edge_source_start(broken, came, &calls, &levels) < 0);
}

ZTEST_SUITE(edge_source, NULL, NULL, start, stop, NULL);
