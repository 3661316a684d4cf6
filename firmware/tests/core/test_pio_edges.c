/* SPDX-License-Identifier: Apache-2.0 */
#include "pio_edges.h"
#include "suites.h"

/** As on a board that inverts one channel and orders its pins as it likes. */
static const struct pio_channel channels[] = {
	{.gpio = 10, .inverted = false},
	{.gpio = 2, .inverted = false},
	{.gpio = 31, .inverted = true},
};

#define NONE (UINT32_C(1) << 31)

static struct pio_edges begin(uint32_t inputs)
{
	struct pio_edges edges = {.channels = channels, .count = 3};

	pio_edges_begin(&edges, inputs);
	return edges;
}

static void put(struct pio_edges *edges, uint32_t counter, uint32_t inputs)
{
	const struct pio_record record = {.counter = counter, .inputs = inputs};

	pio_edges_put(edges, &record);
}

static void levels_are_those_of_the_wires_in_the_channels_order(struct check_tally *tally)
{
	struct pio_edges edges = begin(0);

	CHECK_EQ(edges.levels, 4);
	CHECK_EQ(pio_edges_levels(&edges, UINT32_C(1) << 10), 5);
	CHECK_EQ(pio_edges_levels(&edges, UINT32_C(1) << 2), 6);
	CHECK_EQ(pio_edges_levels(&edges, UINT32_MAX), 3);
}

static void inputs_that_are_no_channels_are_not_seen(struct check_tally *tally)
{
	struct pio_edges edges = begin(NONE);
	struct edge_source_edge edge;

	CHECK_EQ(pio_edges_levels(&edges, NONE | 0x7ffffbfb), 0);
	put(&edges, 5, NONE | 0x7ffffbfb);
	CHECK(!pio_edges_take(&edges, &edge));
}

static void a_counter_that_goes_down_gives_ticks_that_go_up(struct check_tally *tally)
{
	struct pio_edges edges = begin(NONE);
	struct edge_source_edge edge;

	CHECK_EQ(pio_edges_reverse(UINT32_MAX), 0);
	put(&edges, UINT32_MAX - 7u, NONE | 4u);
	CHECK(pio_edges_take(&edges, &edge));
	CHECK_EQ(edge.ticks, 7);
	put(&edges, UINT32_MAX - 8u, NONE);
	CHECK(pio_edges_take(&edges, &edge));
	CHECK_EQ(edge.ticks, 8);
}

static void ticks_wrap_where_the_counter_does(struct check_tally *tally)
{
	struct pio_edges edges = begin(NONE);
	struct edge_source_edge edge;

	put(&edges, 0, NONE | 4u);
	CHECK(pio_edges_take(&edges, &edge));
	CHECK_EQ(edge.ticks, UINT32_MAX);
	put(&edges, UINT32_MAX, NONE);
	CHECK(pio_edges_take(&edges, &edge));
	CHECK_EQ(edge.ticks, 0);
}

static void the_counter_for_ticks_is_reversed_as_the_ticks_of_a_counter(struct check_tally *tally)
{
	CHECK_EQ(pio_edges_reverse(pio_edges_reverse(123456789)), 123456789);
	CHECK_EQ(pio_edges_reverse(25u * 1000u) - pio_edges_reverse(25u * 1001u), 25);
}

static void channels_that_change_together_are_edges_of_one_time(struct check_tally *tally)
{
	struct pio_edges edges = begin(NONE | 4u);
	struct edge_source_edge edge;

	put(&edges, ~UINT32_C(100), UINT32_C(1) << 10);
	for (uint8_t i = 0; i < 3u; i++) {
		CHECK(pio_edges_take(&edges, &edge));
		CHECK_EQ(edge.channel, i);
		CHECK_EQ(edge.ticks, 100);
		CHECK_EQ(edge.level, i != 1u);
	}
	CHECK(!pio_edges_take(&edges, &edge));
	CHECK_EQ(edges.levels, 5);
}

static void one_edge_follows_for_each_change_of_a_channel(struct check_tally *tally)
{
	struct pio_edges edges = begin(NONE);
	struct edge_source_edge edge;

	for (uint32_t i = 0; i < 10u; i++) {
		put(&edges, ~i, i % 2u == 0u ? NONE | 4u : NONE);
		CHECK(pio_edges_take(&edges, &edge));
		CHECK_EQ(edge.channel, 1);
		CHECK_EQ(edge.level, i % 2u == 0u);
		CHECK_EQ(edge.ticks, i);
		CHECK(!pio_edges_take(&edges, &edge));
	}
}

static void a_new_beginning_forgets_what_was_not_taken(struct check_tally *tally)
{
	struct pio_edges edges = begin(NONE);
	struct edge_source_edge edge;

	put(&edges, 1, NONE | 4u);
	pio_edges_begin(&edges, NONE);
	CHECK(!pio_edges_take(&edges, &edge));
	put(&edges, 0, NONE | (UINT32_C(1) << 10));
	CHECK(pio_edges_take(&edges, &edge));
	CHECK_EQ(edge.channel, 0);
	CHECK(!pio_edges_take(&edges, &edge));
}

void test_pio_edges(struct check_tally *tally)
{
	RUN(tally, levels_are_those_of_the_wires_in_the_channels_order);
	RUN(tally, inputs_that_are_no_channels_are_not_seen);
	RUN(tally, a_counter_that_goes_down_gives_ticks_that_go_up);
	RUN(tally, ticks_wrap_where_the_counter_does);
	RUN(tally, the_counter_for_ticks_is_reversed_as_the_ticks_of_a_counter);
	RUN(tally, channels_that_change_together_are_edges_of_one_time);
	RUN(tally, one_edge_follows_for_each_change_of_a_channel);
	RUN(tally, a_new_beginning_forgets_what_was_not_taken);
}
