/* SPDX-License-Identifier: Apache-2.0 */
#include "edge_queue.h"
#include "suites.h"

#define CAPACITY 4u

struct queue_bench {
	struct edge_source_edge slots[CAPACITY];
	struct edge_queue queue;
	struct edge_source_edge out;
};

static void start(struct queue_bench *bench)
{
	bench->queue = (struct edge_queue){.slots = bench->slots, .capacity = CAPACITY};
}

static void put(struct queue_bench *bench, uint32_t ticks, uint8_t channel)
{
	edge_queue_put(&bench->queue, &(struct edge_source_edge){
					      .ticks = ticks,
					      .channel = channel,
					      .level = (channel & 1u) != 0u,
				      });
}

static bool take(struct queue_bench *bench)
{
	return edge_queue_take(&bench->queue, &bench->out);
}

static void an_empty_queue_gives_nothing(struct check_tally *tally)
{
	struct queue_bench bench;

	start(&bench);
	CHECK(!take(&bench));
	CHECK_EQ(edge_queue_take_lost(&bench.queue), 0);
}

static void edges_come_out_as_they_went_in(struct check_tally *tally)
{
	struct queue_bench bench;

	start(&bench);
	/* Round and round: the indices are not masked. */
	for (uint32_t i = 0; i < 3u * CAPACITY; i++) {
		put(&bench, 10u * i, 1);
		put(&bench, 10u * i + 5u, 2);
		CHECK(take(&bench));
		CHECK_EQ(bench.out.ticks, 10u * i);
		CHECK_EQ(bench.out.channel, 1);
		CHECK(bench.out.level);
		CHECK(take(&bench));
		CHECK_EQ(bench.out.ticks, 10u * i + 5u);
		CHECK(!bench.out.level);
		CHECK(!take(&bench));
	}
}

static void the_older_edge_comes_first_whoever_was_served_first(struct check_tally *tally)
{
	/* About a wrap of the counter, where the greater number is the older one. */
	static const uint32_t bases[] = {1000, UINT32_MAX - 6u};

	for (uint32_t i = 0; i < 2u; i++) {
		struct queue_bench bench;

		start(&bench);
		put(&bench, bases[i] + 10u, 0);
		put(&bench, bases[i] + 12u, 1);
		put(&bench, bases[i] + 5u, 2);
		put(&bench, bases[i] + 11u, 3);
		CHECK(take(&bench));
		CHECK_EQ(bench.out.channel, 2);
		CHECK(take(&bench));
		CHECK_EQ(bench.out.channel, 0);
		CHECK(take(&bench));
		CHECK_EQ(bench.out.channel, 3);
		CHECK(take(&bench));
		CHECK_EQ(bench.out.channel, 1);
	}
}

static void edges_of_one_time_keep_their_order(struct check_tally *tally)
{
	struct queue_bench bench;

	start(&bench);
	put(&bench, 7, 0);
	put(&bench, 7, 1);
	CHECK(take(&bench));
	CHECK_EQ(bench.out.channel, 0);
}

static void a_full_queue_counts_what_it_cannot_take(struct check_tally *tally)
{
	struct queue_bench bench;

	start(&bench);
	for (uint32_t i = 0; i < CAPACITY + 3u; i++) {
		put(&bench, i, 0);
	}
	CHECK_EQ(edge_queue_take_lost(&bench.queue), 3);
	CHECK_EQ(edge_queue_take_lost(&bench.queue), 0);
	for (uint32_t i = 0; i < CAPACITY; i++) {
		CHECK(take(&bench));
		CHECK_EQ(bench.out.ticks, i);
	}
	CHECK(!take(&bench));
}

static void clearing_forgets_edges(struct check_tally *tally)
{
	struct queue_bench bench;

	start(&bench);
	put(&bench, 1, 0);
	edge_queue_clear(&bench.queue);
	CHECK(!take(&bench));
	put(&bench, 2, 0);
	CHECK(take(&bench));
	CHECK_EQ(bench.out.ticks, 2);
}

void test_edge_queue(struct check_tally *tally)
{
	RUN(tally, an_empty_queue_gives_nothing);
	RUN(tally, edges_come_out_as_they_went_in);
	RUN(tally, the_older_edge_comes_first_whoever_was_served_first);
	RUN(tally, edges_of_one_time_keep_their_order);
	RUN(tally, a_full_queue_counts_what_it_cannot_take);
	RUN(tally, clearing_forgets_edges);
}
