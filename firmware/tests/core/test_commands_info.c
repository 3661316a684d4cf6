/* SPDX-License-Identifier: Apache-2.0 */
/* What the golden vectors do not show of info, time and faults. */
#include "bench.h"
#include "suites.h"

static uint64_t ticking_now_ns(void *context)
{
	struct bench *bench = context;

	return bench->now_ns++;
}

static void info_of_nine_channels_fits_a_kilobyte(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	bench.core.calibration.has_clock = true;
	bench.core.calibration.clock_ppb = INT32_MIN;
	bench.core.config.edge_source = "gpio-interrupt";
	for (uint8_t i = 0; i < 9u; i++) {
		bench.core.calibration.latencies[i] = (struct rig_latency){.channel = i,
									   .mean_ns = INT32_MAX,
									   .dev_ns = UINT32_MAX,
									   .sd_ns = UINT32_MAX};
	}
	bench.core.calibration.latency_count = 9;
	bench.core.config.dut_log = "a-log-of-a-dut-with-quite-a-long-name.xml";
	CHECK_EQ(bench_request(&bench, RIG_CMD_INFO, false, "\xa0", 1), 0);
	CHECK(bench.reply_len <= 1024u);
}

static void as_many_earlier_boots_are_told_as_fit(struct check_tally *tally)
{
	static const struct rig_past past[RIG_MAX_PAST] = {{.boot_id = 1, .reason = "watchdog"},
							   {.boot_id = 2, .reason = NULL}};
	struct bench bench;
	size_t before_len;

	bench_start(&bench);
	CHECK_EQ(bench_request(&bench, RIG_CMD_FAULTS, false, "\xa0", 1), 0);
	before_len = bench.reply_len;
	bench.core.config.past = past;
	CHECK_EQ(bench_request(&bench, RIG_CMD_FAULTS, false, "\xa0", 1), 0);
	CHECK_EQ(bench.reply_len, before_len + 6u);
	bench.core.config.past_count = RIG_MAX_PAST;
	for (size_t room = RIG_REPLY_MIN; room < RIG_REPLY_MIN + 100u; room++) {
		size_t len;

		CHECK_EQ(rig_core_request(&bench.core, RIG_CMD_FAULTS, false, bench.now_ns,
					  (const uint8_t *)"\xa0", 1, bench.reply, room, &len),
			 0);
		CHECK_EQ(rig_wire_item_len(bench.reply, len), len);
	}
	/* The newest one takes 16 bytes, each other 8. */
	CHECK_EQ(bench_request(&bench, RIG_CMD_FAULTS, false, "\xa0", 1), 0);
	CHECK_EQ(bench.reply_len, before_len + 6u + 16u + 7u * 8u);
}

static void the_transmit_stamp_is_read_last(struct check_tally *tally)
{
	struct bench bench;

	bench_start(&bench);
	bench.core.config.now_ns = ticking_now_ns;
	CHECK_EQ(rig_core_request(&bench.core, RIG_CMD_TIME, false, 23, (const uint8_t *)"\xa0", 1,
				  bench.reply, sizeof(bench.reply), &bench.reply_len),
		 0);
	/* ... "rx": 23, "tx": the clock's last answer */
	CHECK_EQ(bench.now_ns, 10 * S + 2u);
	CHECK_EQ(bench.reply[bench.reply_len - 1u], (10 * S + 1u) & 0xffu);
}

static void a_request_that_is_none_gets_no_answer(struct check_tally *tally)
{
	static const uint32_t commands[] = {RIG_CMD_INFO, RIG_CMD_TIME, RIG_CMD_LEVELS,
					    RIG_CMD_FAULTS};
	struct bench bench;

	bench_start(&bench);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		CHECK_EQ(bench_request(&bench, commands[i], false, "\xa1\x01\x01", 3), 0);
		CHECK_EQ(bench_error(&bench), RIG_ERR_BAD_REQUEST);
	}
}

void test_commands_info(struct check_tally *tally)
{
	RUN(tally, info_of_nine_channels_fits_a_kilobyte);
	RUN(tally, as_many_earlier_boots_are_told_as_fit);
	RUN(tally, the_transmit_stamp_is_read_last);
	RUN(tally, a_request_that_is_none_gets_no_answer);
}
