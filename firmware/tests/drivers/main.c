/* SPDX-License-Identifier: Apache-2.0 */
#include "suites.h"

static const struct {
	const char *name;
	void (*run)(struct check_tally *tally);
} suites[] = {
	{"timer_rate", test_timer_rate},       {"oscillator", test_oscillator},
	{"edge_queue", test_edge_queue},       {"capture_time", test_capture_time},
	{"capture_judge", test_capture_judge}, {"light_batch", test_light_batch},
};

int main(void)
{
	struct check_tally tally = {0};

	for (size_t i = 0; i < sizeof(suites) / sizeof(suites[0]); i++) {
		tally.suite = suites[i].name;
		suites[i].run(&tally);
	}
	printf("%" PRIu32 " passed, %" PRIu32 " failed\n", tally.passed, tally.failed);
	return tally.failed == 0u && tally.passed > 0u ? 0 : 1;
}
