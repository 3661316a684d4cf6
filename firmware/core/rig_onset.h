/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Light onset: when a panel came on, from the photodiode's samples at one fixed rate.
 *
 * Streaming, integers only, no allocation: the caller owns the struct and the ring of samples.
 * Each sample costs a bounded number of operations (counted in rig_onset.c), so this runs at
 * 50 kS/s on a Cortex-M0+. The definitions are those of docs/explanation/light.md.
 *
 * rig_core.h includes this header; struct rig_light holds and feeds the onset. It is also read by
 * cffi, so it keeps to plain structs, enums, prototypes and integer #defines.
 */
#ifndef RIG_ONSET_H
#define RIG_ONSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RIG_ONSET_RATE_MIN_HZ 1000
#define RIG_ONSET_RATE_MAX_HZ 300000
#define RIG_ONSET_SLOTS_MIN 64
#define RIG_ONSET_SLOTS_MAX 32768

/** Five periods of 100 Hz flicker, six of 120 Hz: means over whole frames show neither. */
#define RIG_ONSET_FRAME_NS 50000000
#define RIG_ONSET_BASE_NS 100000000
#define RIG_ONSET_BASE_MIN_NS 100000000
#define RIG_ONSET_BASE_MAX_NS 1000000000
/** the baseline's sum of squares, times its samples, must stay below 2^62 */
#define RIG_ONSET_BASE_MAX_SAMPLES 32768
#define RIG_ONSET_SETTLE_NS 1000000000
#define RIG_ONSET_SETTLE_MIN_NS 200000000
#define RIG_ONSET_SETTLE_MAX_NS 4000000000

/** A time that is not known. */
#define RIG_ONSET_NEVER 0xffffffffffffffff

/** What the board is; fixed from its start. */
struct rig_onset_config {
	/** full-rate samples about the onset; NULL and 0: this board looks for none */
	uint16_t *slots;
	/** a quarter of them is kept from before the first light, the rest from after it */
	uint32_t capacity;
	uint32_t rate_hz;
	/** counts from which on the converter is at the end of its range */
	uint16_t full_scale;
};

/** What a recording is asked for; whole frames. */
struct rig_onset_plan {
	/** length of the baseline, which begins with the recording */
	uint64_t base_ns;
	/** how long a level must hold still to count as the settled one */
	uint64_t settle_ns;
};

/** fixtures/wire/rig.cddl is normative. */
enum rig_onset_state {
	/** nothing was recorded since boot */
	RIG_ONSET_IDLE = 0,
	/** recording, and no light so far */
	RIG_ONSET_DARK = 1,
	/** recording; light came, its level has not settled yet */
	RIG_ONSET_RISING = 2,
	/** measured */
	RIG_ONSET_OK = 3,
	/** the recording is over and no light came */
	RIG_ONSET_NO_LIGHT = 4,
	/** light came, and the recording was over before its level had settled */
	RIG_ONSET_NOT_SETTLED = 5,
	/** the level moved, or flickered without a period, whenever it should have been settled */
	RIG_ONSET_UNSTABLE = 6,
	/** the converter was at the end of its range */
	RIG_ONSET_SATURATED = 7,
	/** the baseline was cut short, or light moved in it */
	RIG_ONSET_NO_BASELINE = 8,
	/** samples did not come at the rate, or those about a slow onset are no longer held */
	RIG_ONSET_LOST = 9,
};

/** How far the stream of samples has brought it. */
enum rig_onset_phase {
	RIG_PHASE_OFF = 0,
	RIG_PHASE_BASELINE = 1,
	RIG_PHASE_DARK = 2,
	RIG_PHASE_CONFIRMING = 3,
	RIG_PHASE_RISING = 4,
	RIG_PHASE_SETTLING = 5,
	RIG_PHASE_SETTLED = 6,
	RIG_PHASE_NO_BASELINE = 7,
	RIG_PHASE_LOST = 8,
};

/** Sum and extremes of a stretch of samples. */
struct rig_onset_window {
	uint32_t count;
	uint32_t sum;
	uint16_t min;
	uint16_t max;
};

/** Where a span stood at a rising edge of the PWM. */
struct rig_onset_mark {
	uint32_t count;
	uint32_t high;
	uint64_t sum;
};

/** The span in which the level should be settled. */
struct rig_onset_span {
	struct rig_onset_mark now;
	/** sum at the last quarter of the span, and the means of quarters, 1/256 counts */
	uint64_t quarter_sum;
	uint32_t quarter_end;
	uint32_t least_q8;
	uint32_t most_q8;
	/** the PWM's comparator, with hysteresis; rise UINT16_MAX: DC, there is nothing to compare
	 */
	uint16_t rise;
	uint16_t fall;
	bool is_high;
	/** rising edges, the first and the last one of them, and the fewest samples between two */
	uint32_t edges;
	struct rig_onset_mark first;
	struct rig_onset_mark last;
	uint32_t shortest;
	/** those periods that are alike, and their samples */
	uint32_t periods;
	uint32_t period_samples;
	/** the sum where the last millisecond began, and the least and greatest sum of one */
	uint64_t ms_sum;
	uint32_t ms_end;
	uint32_t ms_least;
	uint32_t ms_most;
};

struct rig_onset {
	struct rig_onset_config config;
	struct rig_onset_plan plan;
	enum rig_onset_phase phase;
	/** the plan and the constants of the definitions, in samples at the rate */
	uint32_t base_count;
	uint32_t window_count;
	uint32_t confirm_count;
	uint32_t quarter_count;
	uint32_t ms_count;
	uint32_t interval_ns;

	/** number of the next sample, from 0 at the start of the recording */
	uint32_t index;
	/** when that first one was taken; 0: it is still to come */
	uint64_t begun_ns;
	/** when it is due */
	uint64_t due_ns;

	/** the ring: slot of the next sample, number behind the newest held, how many are still
	 * taken */
	uint32_t head;
	uint32_t end;
	uint32_t left;

	/** the baseline; sums are of differences from its first sample */
	uint16_t origin;
	uint16_t base_max;
	int64_t base_sum;
	uint64_t base_squares;
	/** mean and standard deviation, 1/256 counts */
	uint32_t base_q8;
	uint32_t sigma_q8;
	/** a sample above this is light */
	uint16_t dark_max;

	/** the first sample above it: number and time */
	uint32_t light_index;
	uint64_t light_ns;
	uint32_t hits;
	uint16_t peak;
	uint32_t clipped;

	struct rig_onset_window window;
	/** mean of the window before, 1/256 counts; 0: that was dark, or there is none */
	uint32_t before_q8;
	struct rig_onset_span span;
	/** a span went by that was not settled */
	bool moved;
};

/** What can be said; a time that cannot is RIG_ONSET_NEVER. */
struct rig_onset_result {
	enum rig_onset_state state;
	/** mean and standard deviation of the baseline, 1/256 counts; of states 2 to 7 */
	uint32_t base_q8;
	uint32_t sigma_q8;
	/** greatest sample */
	uint16_t peak;
	/** board times; first: of states 3, 5, 6 and 7, the others: of state 3 */
	uint64_t first_ns;
	uint64_t half_ns;
	uint64_t ninety_ns;
	/** distance of the points that these times lie between: a sample's, or a block's 1 ms */
	uint32_t resolution_ns;
	/** mean of the settled span, over whole periods, 1/256 counts; state 3 */
	uint32_t level_q8;
	/** of the backlight in the settled span, 0: DC; state 3 */
	uint32_t pwm_mhz;
	uint32_t duty_ppm;
	/** standard uncertainty of half_ns by the unknown phase of the PWM: (1 - D) T / sqrt(12) */
	uint32_t pwm_uncertainty_ns;
};

/** @return whether the configuration can be worked with; one without slots can */
bool rig_onset_is_sound(const struct rig_onset_config *config);

/** Forget everything but the configuration and the plan, and begin with the baseline. */
void rig_onset_begin(struct rig_onset *onset);

/** One sample of a recording. O(1). */
void rig_onset_sample(struct rig_onset *onset, uint64_t t_ns, uint16_t counts);

#endif
