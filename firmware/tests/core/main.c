/* SPDX-License-Identifier: Apache-2.0 */
#include "suites.h"

static const struct {
	const char *name;
	void (*run)(struct check_tally *tally);
} suites[] = {
	{"rig_time", test_time},
	{"rig_numbering", test_numbering},
	{"rig_edge_ring", test_edge_ring},
	{"rig_light", test_light},
	{"rig_onset", test_onset},
	{"rig_onset, feed", test_onset_feed},
	{"rig_interlock", test_interlock},
	{"rig_moments", test_moments},
	{"rig_loopback", test_loopback},
	{"rig_calibration", test_calibration},
	{"rig_core", test_core},
	{"rig_wire", test_wire},
	{"rig_request", test_request},
	{"rig_commands_action", test_commands_action},
	{"rig_commands_capture", test_commands_capture},
	{"rig_commands_light", test_commands_light},
	{"rig_commands_info", test_commands_info},
	{"rig_commands_selftest", test_commands_selftest},
	{"pio_edges", test_pio_edges},
	{"vectors", test_vectors},
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
