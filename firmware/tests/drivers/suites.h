/* SPDX-License-Identifier: Apache-2.0 */
/** One suite for each pure file of the drivers. */
#ifndef RIG_DRIVER_SUITES_H
#define RIG_DRIVER_SUITES_H

#include "check.h"

void test_timer_rate(struct check_tally *tally);
void test_oscillator(struct check_tally *tally);
void test_edge_queue(struct check_tally *tally);
void test_capture_time(struct check_tally *tally);
void test_capture_judge(struct check_tally *tally);
void test_light_batch(struct check_tally *tally);

#endif
