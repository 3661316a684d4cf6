/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mean and standard deviation in integers, exact: the sum of squares has 128 bits, in two words, as
 * compilers for 32-bit CPUs have no wider type than 64 bits.
 */
#include "rig_internal.h"

/** Unsigned, 128 bits; sums and differences are modulo 2^128. */
struct wide {
	uint64_t high;
	uint64_t low;
};

static struct wide wide_sum(struct wide a, struct wide b)
{
	uint64_t low = a.low + b.low;

	return (struct wide){.high = a.high + b.high + (low < a.low ? 1u : 0u), .low = low};
}

static struct wide wide_difference(struct wide a, struct wide b)
{
	return (struct wide){.high = a.high - b.high - (a.low < b.low ? 1u : 0u),
			     .low = a.low - b.low};
}

static struct wide wide_product(uint64_t a, uint64_t b)
{
	uint64_t a_low = a & UINT32_MAX;
	uint64_t b_low = b & UINT32_MAX;
	uint64_t cross_1 = (a >> 32) * b_low;
	uint64_t cross_2 = a_low * (b >> 32);
	struct wide product = {.high = (a >> 32) * (b >> 32), .low = a_low * b_low};

	product = wide_sum(product, (struct wide){cross_1 >> 32, cross_1 << 32});
	return wide_sum(product, (struct wide){cross_2 >> 32, cross_2 << 32});
}

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? 0u - (uint64_t)value : (uint64_t)value;
}

void rig_moments_add(struct rig_moments *moments, int32_t value)
{
	struct wide squares;
	uint64_t distance;

	if (moments->count == 0u) {
		*moments = (struct rig_moments){.min = value, .max = value, .origin = value};
	}
	moments->count++;
	moments->min = value < moments->min ? value : moments->min;
	moments->max = value > moments->max ? value : moments->max;
	moments->sum += (int64_t)value - moments->origin;
	distance = magnitude((int64_t)value - moments->origin);
	squares = wide_sum((struct wide){moments->squares_high, moments->squares_low},
			   wide_product(distance, distance));
	moments->squares_high = squares.high;
	moments->squares_low = squares.low;
}

/** Quotient of a positive count, rounded down, also below 0. */
static int64_t divided_down(int64_t value, int64_t count)
{
	return value / count - (value % count < 0 ? 1 : 0);
}

int32_t rig_moments_mean(const struct rig_moments *moments)
{
	int64_t count = moments->count;

	if (count == 0) {
		return 0;
	}
	return (int32_t)(moments->origin + divided_down(2 * moments->sum + count, 2 * count));
}

/** Quotient of a number of 128 bits by one of 32, rounded up; it must fit 64 bits. */
static uint64_t divided_up(struct wide value, uint32_t count)
{
	uint64_t quotient = 0;
	uint64_t rest = value.high % count;

	for (int shift = 32; shift >= 0; shift -= 32) {
		uint64_t part = rest << 32 | ((value.low >> shift) & UINT32_MAX);

		quotient = quotient << 32 | part / count;
		rest = part % count;
	}
	return quotient + (rest > 0u ? 1u : 0u);
}

/** Square root, rounded up: one bit of the result a round. */
static uint32_t root_up(uint64_t value)
{
	uint64_t root = 0;

	for (uint64_t bit = UINT64_C(1) << 31; bit != 0u; bit >>= 1) {
		if ((root + bit) * (root + bit) <= value) {
			root += bit;
		}
	}
	return root == UINT32_MAX ? UINT32_MAX : (uint32_t)(root * root < value ? root + 1u : root);
}

uint32_t rig_moments_sd(const struct rig_moments *moments)
{
	struct wide spread = {moments->squares_high, moments->squares_low};
	uint32_t count = moments->count;
	uint64_t whole;
	uint64_t rest;

	if (count < 2u) {
		return 0;
	}
	/* sum of (d - mean)^2 = squares - sum^2 / n; with sum = w n + r: sum^2 / n = w (sum + r) +
	 * r^2 / n, where w, sum and r are of one sign.
	 */
	whole = magnitude(moments->sum) / count;
	rest = magnitude(moments->sum) % count;
	spread = wide_difference(spread, wide_product(whole, magnitude(moments->sum) + rest));
	spread = wide_difference(spread, (struct wide){.low = rest * rest / count});
	return root_up(divided_up(spread, count - 1u));
}

uint32_t rig_moments_deviation(const struct rig_moments *moments)
{
	int64_t mean = rig_moments_mean(moments);
	int64_t above = moments->max - mean;
	int64_t below = mean - moments->min;

	return (uint32_t)(above > below ? above : below);
}
