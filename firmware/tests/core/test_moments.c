/* SPDX-License-Identifier: Apache-2.0 */
#include "rig_internal.h"
#include "suites.h"

static struct rig_moments moments_of(const int32_t *values, size_t count)
{
	struct rig_moments moments = {0};

	for (size_t i = 0; i < count; i++) {
		rig_moments_add(&moments, values[i]);
	}
	return moments;
}

static void nothing_has_no_mean(struct check_tally *tally)
{
	struct rig_moments moments = {0};

	CHECK_EQ(rig_moments_mean(&moments), 0);
	CHECK_EQ(rig_moments_sd(&moments), 0);
	CHECK_EQ(rig_moments_deviation(&moments), 0);
}

static void one_value_is_its_mean(struct check_tally *tally)
{
	static const int32_t values[] = {INT32_MIN};
	struct rig_moments moments = moments_of(values, 1);

	CHECK_EQ(rig_moments_mean(&moments), INT32_MIN);
	CHECK_EQ(rig_moments_sd(&moments), 0);
	CHECK_EQ(rig_moments_deviation(&moments), 0);
	CHECK_EQ(moments.min, INT32_MIN);
	CHECK_EQ(moments.max, INT32_MIN);
}

static void a_mean_is_rounded_to_the_nearest_halves_up(struct check_tally *tally)
{
	static const struct {
		int32_t values[3];
		size_t count;
		int32_t mean;
	} cases[] = {
		{{1, 2}, 2, 2},     {{-1, -2}, 2, -1},    {{0, 0, 1}, 3, 0}, {{0, 1, 1}, 3, 1},
		{{0, 0, -1}, 3, 0}, {{0, -1, -1}, 3, -1}, {{-3, 4}, 2, 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rig_moments moments = moments_of(cases[i].values, cases[i].count);

		CHECK_EQ(rig_moments_mean(&moments), cases[i].mean);
	}
}

static void a_spread_is_rounded_up(struct check_tally *tally)
{
	static const int32_t exact[] = {-3, 3, -3, 3, 0, 0, 0};
	static const int32_t above[] = {0, 1};
	struct rig_moments moments = moments_of(exact, 7);

	/* 36 / 6 = 6: between 2 and 3 */
	CHECK_EQ(rig_moments_sd(&moments), 3);
	moments = moments_of(above, 2);
	CHECK_EQ(rig_moments_sd(&moments), 1);
}

static void the_widest_values_do_not_overflow(struct check_tally *tally)
{
	struct rig_moments moments = {0};

	for (uint32_t i = 0; i < RIG_LOOPBACK_CHANGES_MAX; i++) {
		rig_moments_add(&moments, i % 2u == 0u ? INT32_MIN : INT32_MAX);
	}
	/* n * (2^31 - 1/2)^2 / (n - 1), n = 10000, rounded up */
	CHECK_EQ(rig_moments_mean(&moments), 0);
	CHECK_EQ(rig_moments_sd(&moments), UINT32_C(2147591030));
	CHECK_EQ(rig_moments_deviation(&moments), UINT32_C(2147483648));
}

static void a_deviation_is_the_larger_side(struct check_tally *tally)
{
	static const int32_t late[] = {10, 10, 10, 90};
	static const int32_t early[] = {90, 90, 90, 10};
	struct rig_moments moments = moments_of(late, 4);

	CHECK_EQ(rig_moments_deviation(&moments), 60);
	moments = moments_of(early, 4);
	CHECK_EQ(rig_moments_deviation(&moments), 60);
}

void test_moments(struct check_tally *tally)
{
	RUN(tally, nothing_has_no_mean);
	RUN(tally, one_value_is_its_mean);
	RUN(tally, a_mean_is_rounded_to_the_nearest_halves_up);
	RUN(tally, a_spread_is_rounded_up);
	RUN(tally, the_widest_values_do_not_overflow);
	RUN(tally, a_deviation_is_the_larger_side);
}
