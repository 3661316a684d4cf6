/* SPDX-License-Identifier: Apache-2.0 */
/* How samples get to the light onset: together, at any rate, from any configuration. */
#include "recording.h"
#include "suites.h"

#include <errno.h>

static void samples_may_come_together(struct check_tally *tally)
{
	struct recording *alone = recording_start();
	uint16_t counts[700];
	static struct recording other;
	struct recording *together = &other;

	*together = *alone;
	together->light.slots = together->blocks;
	together->light.onset.config.slots = together->slots;
	for (uint32_t part = 0; part < 30; part++) {
		uint64_t t_ns = alone->t_ns;

		for (uint32_t i = 0; i < 700; i++) {
			counts[i] = (uint16_t)(part < 3 ? BLACK + i % 3 : WHITE + i % 5);
			recording_put(alone, counts[i]);
		}
		rig_light_samples(&together->light, t_ns, counts, 700);
	}
	CHECK_EQ(recording_look_now(alone), RIG_ONSET_OK);
	CHECK_EQ(recording_look(together, alone->t_ns), RIG_ONSET_OK);
	CHECK(memcmp(&alone->result, &together->result, sizeof(alone->result)) == 0);
	CHECK_EQ(alone->light.numbers.next, together->light.numbers.next);
	CHECK(memcmp(alone->blocks, together->blocks, sizeof(alone->blocks)) == 0);
}

static void parts_of_a_nanosecond_add_up(struct check_tally *tally)
{
	static uint16_t counts[48000];
	struct recording *recording = recording_start();

	recording->light.onset.config.rate_hz = 48000;
	rig_light_arm(&recording->light, 9 * S, 20 * S);
	rig_light_samples(&recording->light, 10 * S, counts, 48000);
	/* The next one is due a second after the first, less what the last interval rounds off. */
	CHECK(11 * S - recording->light.onset.due_ns <= 1u);
	CHECK_EQ(recording_look(recording, 11 * S), RIG_ONSET_DARK);
}

static void extremes_do_not_overflow(struct check_tally *tally)
{
	static uint16_t slots[RIG_ONSET_SLOTS_MAX];
	struct recording *recording = recording_start();
	struct rig_onset_config config = {
		.slots = slots,
		.capacity = RIG_ONSET_SLOTS_MAX,
		.rate_hz = RIG_ONSET_RATE_MAX_HZ,
		.full_scale = UINT16_MAX,
	};
	uint64_t t_ns = UINT64_MAX - 20 * S;

	rig_light_init(&recording->light, recording->blocks, BLOCKS, &config);
	recording->light.onset.plan.settle_ns = RIG_ONSET_SETTLE_MAX_NS;
	rig_light_arm(&recording->light, t_ns, UINT64_MAX);
	for (uint32_t i = 0; i < 5u * RIG_ONSET_RATE_MAX_HZ; i++) {
		bool dark = i < RIG_ONSET_RATE_MAX_HZ / 9u || i % 300u >= 299u;

		rig_light_sample(&recording->light, t_ns, dark ? 0u : UINT16_MAX - 1u);
		t_ns += 3333u;
	}
	CHECK_EQ(recording_look(recording, t_ns), RIG_ONSET_OK);
	CHECK_EQ(recording->result.pwm_mhz, 1000000);
	CHECK_EQ(recording->result.level_q8, (UINT16_MAX - 1u) * 256u * UINT64_C(299) / 300u);
	CHECK(is_near(recording->result.half_ns, recording->result.first_ns, MS));
}

static void a_configuration_is_checked(struct check_tally *tally)
{
	static uint16_t slots[1];
	static const struct rig_onset_config good = {slots, 64, 1000, 1};
	struct rig_onset_config none = {.slots = NULL};
	struct rig_onset_config config = good;

	CHECK(rig_onset_is_sound(&none));
	CHECK(rig_onset_is_sound(&good));
	none.capacity = 1;
	CHECK(!rig_onset_is_sound(&none));
	config.capacity = 63;
	CHECK(!rig_onset_is_sound(&config));
	config.capacity = 32769;
	CHECK(!rig_onset_is_sound(&config));
	config = good;
	config.rate_hz = 999;
	CHECK(!rig_onset_is_sound(&config));
	config.rate_hz = 300001;
	CHECK(!rig_onset_is_sound(&config));
	config = good;
	config.full_scale = 0;
	CHECK(!rig_onset_is_sound(&config));
}

static void a_core_refuses_an_onset_without_light(struct check_tally *tally)
{
	struct bench bench = {.now_ns = S};
	struct rig_config config = bench_config(&bench);

	config.onset = (struct rig_onset_config){bench.onset, BENCH_ONSET, RATE, 4095};
	CHECK_EQ(bench_start_with(&bench, &config, 0), 0);
	config.light_slots = NULL;
	config.light_capacity = 0;
	CHECK_EQ(bench_start_with(&bench, &config, 0), -EINVAL);
}

void test_onset_feed(struct check_tally *tally)
{
	RUN(tally, samples_may_come_together);
	RUN(tally, parts_of_a_nanosecond_add_up);
	RUN(tally, extremes_do_not_overflow);
	RUN(tally, a_configuration_is_checked);
	RUN(tally, a_core_refuses_an_onset_without_light);
}
