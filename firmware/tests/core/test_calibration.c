/* SPDX-License-Identifier: Apache-2.0 */
/* What the golden vectors do not show of calibrations: what was stored, and a store that fails. */
#include "bench.h"
#include "suites.h"

#include <errno.h>

#define CLEAR                                                                                      \
	"\xa2\x64"                                                                                 \
	"boot\x07\x65"                                                                             \
	"clear\xf5"
#define CLOCK                                                                                      \
	"\xa2\x64"                                                                                 \
	"boot\x07\x63"                                                                             \
	"cal\x05"

#define REQUEST(bench, literal)                                                                    \
	bench_request(bench, RIG_CMD_CALIBRATION, true, literal, sizeof(literal) - 1u)

static int start_with(struct bench *bench, const struct rig_calibration *stored, bool crystal)
{
	struct rig_config config;

	*bench = (struct bench){.now_ns = 10 * S};
	config = bench_config(bench);
	config.calibration = *stored;
	config.crystal = crystal;
	return bench_start_with(bench, &config, 0x1ff);
}

static void what_does_not_fit_the_board_is_left_out(struct check_tally *tally)
{
	struct rig_calibration stored = {
		.has_clock = true,
		.clock_ppb = RIG_CLOCK_PPB_MAX + 1,
		.held_ns = 9,
		.latency_count = 4,
		.latencies = {{.channel = 9, .mean_ns = 1},
			      {.channel = 8, .mean_ns = 2},
			      {.channel = 8, .mean_ns = 3},
			      {.channel = UINT8_MAX}},
	};
	struct bench bench;

	CHECK_EQ(start_with(&bench, &stored, true), 0);
	CHECK(!bench.core.calibration.has_clock);
	CHECK_EQ(bench.core.calibration.latency_count, 1);
	CHECK_EQ(bench.core.calibration.latencies[0].mean_ns, 2);
	CHECK_EQ(bench.core.calibration.held_ns, 9);
	stored.latency_count = UINT8_MAX;
	CHECK_EQ(start_with(&bench, &stored, true), 0);
	CHECK(bench.core.calibration.latency_count <= RIG_MAX_CHANNELS);
}

static void an_oscillator_takes_nothing_that_was_stored(struct check_tally *tally)
{
	struct rig_calibration stored = {.has_clock = true, .latency_count = 1};
	struct bench bench;

	CHECK_EQ(start_with(&bench, &stored, false), 0);
	CHECK(!bench.core.calibration.has_clock);
	CHECK_EQ(bench.core.calibration.latency_count, 0);
}

static void figures_do_not_wrap(struct check_tally *tally)
{
	struct rig_calibration stored = {
		.held_ns = UINT32_MAX,
		.latency_count = 2,
		.latencies = {{.channel = 0, .mean_ns = INT32_MIN, .dev_ns = UINT32_MAX},
			      {.channel = 1, .mean_ns = INT32_MAX}},
	};
	struct bench bench;

	CHECK_EQ(start_with(&bench, &stored, true), 0);
	CHECK_EQ(rig_calibration_delay_ns(&bench.core, 0), 0);
	CHECK_EQ(rig_calibration_uncertainty_ns(&bench.core, 0), UINT32_MAX);
	CHECK_EQ(rig_calibration_delay_ns(&bench.core, 1), INT32_MAX);
	CHECK_EQ(rig_calibration_uncertainty_ns(&bench.core, 1), UINT32_MAX);
}

static void what_is_not_stored_is_not_in_force(struct check_tally *tally)
{
	struct rig_calibration stored = {.has_clock = true, .clock_ppb = 7};
	struct bench bench;

	CHECK_EQ(start_with(&bench, &stored, true), 0);
	bench.store_rc = -EIO;
	CHECK_EQ(REQUEST(&bench, CLEAR), 0);
	CHECK_EQ(bench_error(&bench), RIG_ERR_NO_STORE);
	CHECK_EQ(bench.core.calibration.clock_ppb, 7);
	bench.store_rc = 0;
	CHECK_EQ(REQUEST(&bench, CLOCK), 0);
	CHECK_EQ(bench_error(&bench), 0);
	CHECK_EQ(bench.stored.clock_ppb, 5);
	CHECK_EQ(bench.core.calibration.clock_ppb, 5);
	CHECK_EQ(bench.store_count, 1);
}

static void nothing_is_stored_while_something_is_driven(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	bench.core.loopback.state = RIG_LOOPBACK_RUNNING;
	bench.core.loopback.count = 200;
	bench.core.loopback.next_ns = bench.now_ns + S;
	CHECK_EQ(REQUEST(&bench, CLOCK), 0);
	CHECK_EQ(bench_error(&bench), RIG_ERR_BUSY);
	bench.core.loopback.state = RIG_LOOPBACK_DONE;
	bench.core.actuators[0] =
		(struct rig_actuator){.state = RIG_ACTION_DRIVEN, .end_ns = bench.now_ns + S};
	CHECK_EQ(REQUEST(&bench, CLEAR), 0);
	CHECK_EQ(bench_error(&bench), RIG_ERR_BUSY);
	CHECK_EQ(bench.store_count, 0);
	bench.core.actuators[0].state = RIG_ACTION_IDLE;
	CHECK_EQ(REQUEST(&bench, CLOCK), 0);
	CHECK_EQ(bench_error(&bench), 0);
	CHECK_EQ(bench.store_count, 1);
}

static void a_request_that_changes_nothing_stores_nothing(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	CHECK_EQ(REQUEST(&bench, "\xa1\x64"
				 "boot\x07"),
		 0);
	CHECK_EQ(bench_error(&bench), 0);
	CHECK_EQ(bench.store_count, 0);
}

static void nothing_is_stored_whose_answer_does_not_fit(struct check_tally *tally)
{
	struct bench bench;
	size_t len;

	bench_start(&bench);
	for (size_t room = RIG_REPLY_MIN; room < 200u; room++) {
		CHECK_EQ(rig_core_request(&bench.core, RIG_CMD_CALIBRATION, true, bench.now_ns,
					  (const uint8_t *)CLOCK, sizeof(CLOCK) - 1u, bench.reply,
					  room, &len),
			 RIG_SMP_EMSGSIZE);
	}
	CHECK_EQ(bench.store_count, 0);
	CHECK(!bench.core.calibration.has_clock);
}

static void a_store_has_a_name_and_the_past_a_place(struct check_tally *tally)
{
	struct bench bench = {0};
	struct rig_config config = bench_config(&bench);

	config.store_name = NULL;
	CHECK_EQ(bench_start_with(&bench, &config, 0), -EINVAL);
	config = bench_config(&bench);
	config.past_count = 1;
	CHECK_EQ(bench_start_with(&bench, &config, 0), -EINVAL);
}

void test_calibration(struct check_tally *tally)
{
	RUN(tally, what_does_not_fit_the_board_is_left_out);
	RUN(tally, an_oscillator_takes_nothing_that_was_stored);
	RUN(tally, figures_do_not_wrap);
	RUN(tally, what_is_not_stored_is_not_in_force);
	RUN(tally, nothing_is_stored_while_something_is_driven);
	RUN(tally, a_request_that_changes_nothing_stores_nothing);
	RUN(tally, nothing_is_stored_whose_answer_does_not_fit);
	RUN(tally, a_store_has_a_name_and_the_past_a_place);
}
