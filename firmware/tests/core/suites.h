/* SPDX-License-Identifier: Apache-2.0 */
/** One suite for each file of the core, one for the PIO's records, one for the golden vectors. */
#ifndef RIG_TEST_SUITES_H
#define RIG_TEST_SUITES_H

#include "check.h"

void test_time(struct check_tally *tally);
void test_numbering(struct check_tally *tally);
void test_edge_ring(struct check_tally *tally);
void test_light(struct check_tally *tally);
void test_onset(struct check_tally *tally);
void test_onset_feed(struct check_tally *tally);
void test_interlock(struct check_tally *tally);
void test_moments(struct check_tally *tally);
void test_loopback(struct check_tally *tally);
void test_calibration(struct check_tally *tally);
void test_core(struct check_tally *tally);
void test_wire(struct check_tally *tally);
void test_request(struct check_tally *tally);
void test_commands_action(struct check_tally *tally);
void test_commands_capture(struct check_tally *tally);
void test_commands_light(struct check_tally *tally);
void test_commands_info(struct check_tally *tally);
void test_commands_selftest(struct check_tally *tally);
void test_pio_edges(struct check_tally *tally);
void test_vectors(struct check_tally *tally);

#endif
