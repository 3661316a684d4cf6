/* SPDX-License-Identifier: Apache-2.0 */
#include "capture_judge.h"
#include "suites.h"

#define MAX_EDGES 64u
/** Steps from the pin to the capture: the timer's synchroniser. */
#define SYNCHRONISER 2u

/**
 * A line and a capture input, in steps of time. Each access of the interrupt takes some, in which
 * edges go on happening.
 */
struct line {
	/** times of the edges, the first one a rising one */
	uint32_t edges[MAX_EDGES];
	uint32_t count;
	uint32_t now;
	/** edges that the timer has captured so far */
	uint32_t captured;
	uint32_t latch;
	bool has_capture;
	bool over;
	uint32_t random;
};

static uint32_t next_random(struct line *line)
{
	line->random = line->random * 1664525u + 1013904223u;
	return line->random >> 8;
}

static void let_pass(struct line *line, uint32_t steps)
{
	line->now += steps;
	while (line->captured < line->count &&
	       line->edges[line->captured] + SYNCHRONISER <= line->now) {
		line->latch = line->edges[line->captured++];
		line->over = line->over || line->has_capture;
		line->has_capture = true;
	}
}

static struct line *access(void *context)
{
	struct line *line = context;

	let_pass(line, 1u + next_random(line) % 3u);
	return line;
}

static uint32_t take(void *context)
{
	struct line *line = access(context);

	line->has_capture = false;
	return line->latch;
}

static bool take_over(void *context)
{
	struct line *line = access(context);
	bool over = line->over;

	line->over = false;
	return over;
}

static bool has_capture(void *context)
{
	return access(context)->has_capture;
}

static bool level_at(const struct line *line, uint32_t time)
{
	uint32_t before = 0;

	while (before < line->count && line->edges[before] <= time) {
		before++;
	}
	return before % 2u == 1u;
}

static bool level(void *context)
{
	struct line *line = access(context);

	return level_at(line, line->now);
}

static bool is_edge_of(const struct line *line, uint32_t time, bool to_level)
{
	for (uint32_t i = 0; i < line->count; i++) {
		if (line->edges[i] == time) {
			return (i % 2u == 0u) == to_level;
		}
	}
	return false;
}

struct tale {
	uint32_t handed;
	uint32_t lost;
	uint32_t short_pulses;
	/** edges with a level or a time that no edge had */
	uint32_t wrong;
	enum capture_level last;
};

/** Serve a line until nothing happens any more; each interrupt comes up to latency late. */
static struct tale serve(struct line *line, uint32_t latency)
{
	struct capture_port port = {take, take_over, has_capture, level, line};
	struct tale tale = {.last = CAPTURE_LOW};

	while (line->has_capture || line->captured < line->count) {
		let_pass(line, 1);
		if (!line->has_capture) {
			continue;
		}
		let_pass(line, next_random(line) % (latency + 1u));
		{
			struct capture_seen seen = capture_look(&port, tale.last);
			struct capture_verdict verdict = capture_judge(&tale.last, &seen, true);

			tale.handed += verdict.is_edge ? 1u : 0u;
			tale.lost += verdict.lost;
			tale.short_pulses += verdict.is_short ? 1u : 0u;
			if (verdict.is_edge && !is_edge_of(line, seen.captured, verdict.level)) {
				tale.wrong++;
			}
		}
	}
	return tale;
}

static struct line line_of(uint32_t seed, uint32_t shortest, uint32_t spread)
{
	struct line line = {.count = MAX_EDGES, .random = seed};
	uint32_t time = 10;

	for (uint32_t i = 0; i < MAX_EDGES; i++) {
		time += shortest + next_random(&line) % spread;
		line.edges[i] = time;
	}
	return line;
}

static void slow_edges_all_arrive_with_their_levels(struct check_tally *tally)
{
	for (uint32_t seed = 0; seed < 2000u; seed++) {
		/* The next edge comes after latency and a whole look: 3 + 3 + 8 * 6 steps. */
		struct line line = line_of(seed, 120, 200);
		struct tale tale = serve(&line, 60);

		CHECK_EQ(tale.handed, MAX_EDGES);
		CHECK_EQ(tale.lost, 0);
		CHECK_EQ(tale.short_pulses, 0);
		CHECK_EQ(tale.wrong, 0);
	}
}

/** What edges of any distance, and interrupts of any latency, may never lead to. */
static void nothing_is_lost_silently_and_nothing_is_made_up(struct check_tally *tally)
{
	uint32_t with_loss = 0;

	for (uint32_t seed = 0; seed < 60000u; seed++) {
		struct line line = line_of(seed, 1, 1u + seed % 97u);
		struct tale tale = serve(&line, seed % 131u);

		CHECK_EQ(tale.wrong, 0);
		CHECK(tale.handed + tale.lost <= MAX_EDGES);
		CHECK(tale.handed == MAX_EDGES || tale.lost > 0u);
		/* An even number of edges: low again. */
		CHECK_EQ(tale.last, CAPTURE_LOW);
		with_loss += tale.lost > 0u ? 1u : 0u;
	}
	CHECK(with_loss > 10000u);
}

/* ------------------------------------------------------------------------------- one by one -- */

static struct capture_verdict judge(enum capture_level *before, bool over, bool again,
				    bool to_level)
{
	return capture_judge(
		before, &(struct capture_seen){.over = over, .again = again, .level = to_level},
		true);
}

static void one_capture_is_the_other_level(struct check_tally *tally)
{
	enum capture_level before = CAPTURE_LOW;
	struct capture_verdict verdict = judge(&before, false, false, true);

	CHECK(verdict.is_edge && verdict.level);
	CHECK_EQ(verdict.lost, 0);
	CHECK_EQ(before, CAPTURE_HIGH);
	/* The next one is there already: the pin may show its level. */
	verdict = judge(&before, false, true, true);
	CHECK(verdict.is_edge && !verdict.level);
	CHECK_EQ(verdict.lost, 0);
	CHECK_EQ(before, CAPTURE_LOW);
}

static void a_pulse_whose_end_was_not_captured_is_short(struct check_tally *tally)
{
	enum capture_level before = CAPTURE_LOW;
	struct capture_verdict verdict = judge(&before, false, false, false);

	CHECK(verdict.is_edge && verdict.level);
	CHECK_EQ(verdict.lost, 1);
	CHECK(verdict.is_short);
	CHECK_EQ(before, CAPTURE_LOW);
}

static void over_capture_back_to_the_old_level_is_a_short_pulse(struct check_tally *tally)
{
	enum capture_level before = CAPTURE_HIGH;
	struct capture_verdict verdict = judge(&before, true, false, true);

	CHECK(!verdict.is_edge);
	CHECK_EQ(verdict.lost, 2);
	CHECK(verdict.is_short);
	CHECK_EQ(before, CAPTURE_HIGH);
}

static void over_capture_on_another_level_keeps_the_newest_edge(struct check_tally *tally)
{
	enum capture_level before = CAPTURE_HIGH;
	struct capture_verdict verdict = judge(&before, true, false, false);

	CHECK(verdict.is_edge && !verdict.level);
	CHECK_EQ(verdict.lost, 2);
	CHECK(!verdict.is_short);
	CHECK_EQ(before, CAPTURE_LOW);
}

static void a_level_that_cannot_be_told_is_taken_from_the_next_capture(struct check_tally *tally)
{
	enum capture_level before = CAPTURE_HIGH;
	struct capture_verdict verdict = judge(&before, true, true, false);

	CHECK(!verdict.is_edge);
	CHECK_EQ(verdict.lost, 2);
	CHECK_EQ(before, CAPTURE_UNKNOWN);
	verdict = judge(&before, false, true, true);
	CHECK(!verdict.is_edge);
	CHECK_EQ(verdict.lost, 1);
	CHECK_EQ(before, CAPTURE_UNKNOWN);
	verdict = judge(&before, false, false, true);
	CHECK(verdict.is_edge && verdict.level);
	CHECK_EQ(verdict.lost, 0);
	CHECK_EQ(before, CAPTURE_HIGH);
}

static void an_edge_without_a_time_is_lost_and_its_level_is_not(struct check_tally *tally)
{
	enum capture_level before = CAPTURE_LOW;
	struct capture_seen seen = {.level = true};
	struct capture_verdict verdict = capture_judge(&before, &seen, false);

	CHECK(!verdict.is_edge);
	CHECK_EQ(verdict.lost, 1);
	CHECK_EQ(before, CAPTURE_HIGH);
	seen.over = true;
	seen.again = true;
	CHECK_EQ(capture_judge(&before, &seen, false).lost, 2);
	CHECK_EQ(before, CAPTURE_UNKNOWN);
}

void test_capture_judge(struct check_tally *tally)
{
	RUN(tally, slow_edges_all_arrive_with_their_levels);
	RUN(tally, nothing_is_lost_silently_and_nothing_is_made_up);
	RUN(tally, one_capture_is_the_other_level);
	RUN(tally, a_pulse_whose_end_was_not_captured_is_short);
	RUN(tally, over_capture_back_to_the_old_level_is_a_short_pulse);
	RUN(tally, over_capture_on_another_level_keeps_the_newest_edge);
	RUN(tally, a_level_that_cannot_be_told_is_taken_from_the_next_capture);
	RUN(tally, an_edge_without_a_time_is_lost_and_its_level_is_not);
}
