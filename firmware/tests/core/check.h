/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The least that a test needs: a check that says what it saw, and a count.
 *
 * A failed check ends its test function, not the run.
 */
#ifndef RIG_TEST_CHECK_H
#define RIG_TEST_CHECK_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct check_tally {
	/** what is being run, for the sentence of a failure */
	const char *suite;
	const char *test;
	uint32_t passed;
	uint32_t failed;
	bool broken;
};

/** Run one test function of the form void name(struct check_tally *tally). */
#define RUN(tally, name)                                                                           \
	do {                                                                                       \
		(tally)->test = #name;                                                             \
		(tally)->broken = false;                                                           \
		name(tally);                                                                       \
		check_count(tally);                                                                \
	} while (0)

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			check_broken(tally, __FILE__, __LINE__);                                   \
			fprintf(stderr, "%s does not hold\n", #condition);                         \
			return;                                                                    \
		}                                                                                  \
	} while (0)

/** Integers of any width up to 64 bits. */
#define CHECK_EQ(found, expected)                                                                  \
	do {                                                                                       \
		int64_t found_ = (int64_t)(found);                                                 \
		int64_t expected_ = (int64_t)(expected);                                           \
		if (found_ != expected_) {                                                         \
			check_broken(tally, __FILE__, __LINE__);                                   \
			fprintf(stderr, "%s is %" PRId64 ", expected %" PRId64 "\n", #found,       \
				found_, expected_);                                                \
			return;                                                                    \
		}                                                                                  \
	} while (0)

static inline void check_broken(struct check_tally *tally, const char *file, int line)
{
	tally->broken = true;
	fprintf(stderr, "%s:%d: %s, %s: ", file, line, tally->suite, tally->test);
}

static inline void check_count(struct check_tally *tally)
{
	if (tally->broken) {
		tally->failed++;
	} else {
		tally->passed++;
	}
}

#endif
