/* SPDX-License-Identifier: Apache-2.0 */
#include "rig_core.h"
#include "suites.h"

#include <errno.h>

#define CAPACITY 4

struct ring_bench {
	struct rig_edge_ring ring;
	struct rig_edge slots[CAPACITY];
	struct rig_edge out[CAPACITY];
	uint32_t first;
};

static void start(struct ring_bench *bench, uint32_t edges)
{
	rig_edge_ring_init(&bench->ring, bench->slots, CAPACITY);
	for (uint32_t i = 0; i < edges; i++) {
		rig_edge_ring_push(&bench->ring,
				   &(struct rig_edge){.t_ns = 100u + i, .channel = 1});
	}
}

static int read(struct ring_bench *bench, uint32_t cursor, uint32_t max)
{
	return rig_edge_ring_read(&bench->ring, cursor, bench->out, max, &bench->first);
}

static void an_empty_ring_gives_nothing(struct check_tally *tally)
{
	struct ring_bench bench;

	start(&bench, 0);
	CHECK_EQ(rig_edge_ring_oldest(&bench.ring), 0);
	CHECK_EQ(read(&bench, 0, CAPACITY), 0);
	CHECK_EQ(bench.first, 0);
	CHECK_EQ(read(&bench, 1, CAPACITY), -ERANGE);
}

static void edges_come_out_in_order_from_the_cursor(struct check_tally *tally)
{
	struct ring_bench bench;

	start(&bench, 3);
	CHECK_EQ(read(&bench, 1, CAPACITY), 2);
	CHECK_EQ(bench.first, 1);
	CHECK_EQ(bench.out[0].t_ns, 101);
	CHECK_EQ(bench.out[1].t_ns, 102);
}

static void no_more_than_asked_for_come_out(struct check_tally *tally)
{
	struct ring_bench bench;

	start(&bench, 3);
	CHECK_EQ(read(&bench, 0, 2), 2);
	CHECK_EQ(read(&bench, 2, 2), 1);
	CHECK_EQ(bench.out[0].t_ns, 102);
}

static void an_old_cursor_starts_at_the_oldest_edge_held(struct check_tally *tally)
{
	struct ring_bench bench;

	start(&bench, CAPACITY + 2);
	CHECK_EQ(rig_edge_ring_oldest(&bench.ring), 2);
	CHECK_EQ(bench.ring.numbers.overruns, 2);
	CHECK_EQ(read(&bench, 0, CAPACITY), CAPACITY);
	CHECK_EQ(bench.first, 2);
	CHECK_EQ(bench.out[0].t_ns, 102);
	CHECK_EQ(bench.out[CAPACITY - 1].t_ns, 105);
}

static void a_ring_of_one_keeps_the_newest(struct check_tally *tally)
{
	struct rig_edge_ring ring;
	struct rig_edge slot;
	struct rig_edge out;
	uint32_t first;

	rig_edge_ring_init(&ring, &slot, 1);
	rig_edge_ring_push(&ring, &(struct rig_edge){.t_ns = 1});
	rig_edge_ring_push(&ring, &(struct rig_edge){.t_ns = 2});
	CHECK_EQ(rig_edge_ring_read(&ring, 0, &out, 1, &first), 1);
	CHECK_EQ(first, 1);
	CHECK_EQ(out.t_ns, 2);
	CHECK_EQ(ring.numbers.overruns, 1);
}

void test_edge_ring(struct check_tally *tally)
{
	RUN(tally, an_empty_ring_gives_nothing);
	RUN(tally, edges_come_out_in_order_from_the_cursor);
	RUN(tally, no_more_than_asked_for_come_out);
	RUN(tally, an_old_cursor_starts_at_the_oldest_edge_held);
	RUN(tally, a_ring_of_one_keeps_the_newest);
}
