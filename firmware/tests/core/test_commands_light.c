/* SPDX-License-Identifier: Apache-2.0 */
/* What the golden vectors do not show of arming light and of its onset. */
#include "bench.h"
#include "suites.h"

#define ARM_1S                                                                                     \
	"\xa1\x63"                                                                                 \
	"dur\x1a\x3b\x9a\xca\x00"
#define ARM_LONGEST                                                                                \
	"\xa3\x63"                                                                                 \
	"dur\x1b\x7f\xff\xff\xff\xff\xff\xff\xff\x64"                                              \
	"base\x1a\x3b\x9a\xca\x00\x66"                                                             \
	"settle\x1a\xee\x6b\x28\x00"
#define ARM_BASE_TOO_SHORT                                                                         \
	"\xa2\x63"                                                                                 \
	"dur\x1a\x3b\x9a\xca\x00\x64"                                                              \
	"base\x01"

static void start(struct bench *bench)
{
	struct rig_config config;

	*bench = (struct bench){.now_ns = 10 * S};
	config = bench_config(bench);
	config.onset = (struct rig_onset_config){bench->onset, BENCH_ONSET, 1000, 4095};
	config.boot_id = UINT32_MAX;
	(void)bench_start_with(bench, &config, 0);
}

static void feed(struct bench *bench, uint64_t t_ns, uint16_t counts, uint32_t ms)
{
	for (uint32_t i = 0; i < ms; i++) {
		rig_light_sample(&bench->core.light, t_ns + i * MS, counts);
	}
}

static void the_smallest_reply_holds_the_answer_to_arming(struct check_tally *tally)
{
	struct bench bench;

	start(&bench);
	CHECK_EQ(rig_core_request(&bench.core, RIG_CMD_LIGHT, true, bench.now_ns,
				  (const uint8_t *)ARM_LONGEST, sizeof(ARM_LONGEST) - 1u,
				  bench.reply, RIG_REPLY_MIN, &bench.reply_len),
		 0);
	CHECK_EQ(bench_error(&bench), 0);
	CHECK_EQ(bench.core.light.onset.plan.base_ns, 1 * S);
	CHECK_EQ(bench.core.light.onset.plan.settle_ns, 4 * S);
}

static void a_refused_arming_changes_nothing(struct check_tally *tally)
{
	struct bench bench;
	struct rig_light before;

	start(&bench);
	CHECK_EQ(bench_request(&bench, RIG_CMD_LIGHT, true, ARM_1S, sizeof(ARM_1S) - 1u), 0);
	feed(&bench, bench.now_ns, 40, 50);
	before = bench.core.light;
	CHECK_EQ(bench_request(&bench, RIG_CMD_LIGHT, true, ARM_BASE_TOO_SHORT,
			       sizeof(ARM_BASE_TOO_SHORT) - 1u),
		 0);
	CHECK_EQ(bench_error(&bench), RIG_ERR_TOO_SHORT);
	CHECK_EQ(bench_request(&bench, RIG_CMD_LIGHT, true, ARM_LONGEST, sizeof(ARM_LONGEST) - 1u),
		 0);
	CHECK_EQ(bench_error(&bench), RIG_ERR_BUSY);
	CHECK(memcmp(&before, &bench.core.light, sizeof(before)) == 0);
}

static void arming_during_a_recording_keeps_its_onset(struct check_tally *tally)
{
	struct bench bench;

	start(&bench);
	CHECK_EQ(bench_request(&bench, RIG_CMD_LIGHT, true, ARM_1S, sizeof(ARM_1S) - 1u), 0);
	feed(&bench, 10 * S, 40, 150);
	bench.now_ns += 150 * MS;
	CHECK_EQ(bench_request(&bench, RIG_CMD_LIGHT, true, ARM_1S, sizeof(ARM_1S) - 1u), 0);
	CHECK_EQ(bench.core.light.onset.phase, RIG_PHASE_DARK);
	bench.now_ns += 1 * S;
	CHECK_EQ(bench_request(&bench, RIG_CMD_LIGHT, true, ARM_1S, sizeof(ARM_1S) - 1u), 0);
	CHECK_EQ(bench.core.light.onset.phase, RIG_PHASE_BASELINE);
}

static void an_onset_that_does_not_fit_is_told_so_and_stays(struct check_tally *tally)
{
	struct bench bench;
	size_t room = 0;
	size_t whole;

	start(&bench);
	CHECK_EQ(bench_request(&bench, RIG_CMD_LIGHT, true, ARM_LONGEST, sizeof(ARM_LONGEST) - 1u),
		 0);
	feed(&bench, 10 * S, 40, 1200);
	feed(&bench, 10 * S + 1200 * MS, 2500, 4500);
	CHECK_EQ(bench_request(&bench, RIG_CMD_ONSET, false, "\xa0", 1), 0);
	whole = bench.reply_len;
	CHECK(whole > RIG_REPLY_MIN);
	for (room = 0; room < whole; room++) {
		CHECK_EQ(rig_core_request(&bench.core, RIG_CMD_ONSET, false, bench.now_ns,
					  (const uint8_t *)"\xa0", 1, bench.reply, room,
					  &bench.reply_len),
			 RIG_SMP_EMSGSIZE);
	}
	CHECK_EQ(bench_request(&bench, RIG_CMD_ONSET, false, "\xa0", 1), 0);
	CHECK_EQ(bench.reply_len, whole);
}

void test_commands_light(struct check_tally *tally)
{
	RUN(tally, the_smallest_reply_holds_the_answer_to_arming);
	RUN(tally, a_refused_arming_changes_nothing);
	RUN(tally, arming_during_a_recording_keeps_its_onset);
	RUN(tally, an_onset_that_does_not_fit_is_told_so_and_stays);
}
