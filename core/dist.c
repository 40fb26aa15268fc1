// SPDX-License-Identifier: GPL-2.0-only
/*
 * A distribution: what is kept of a set of measured times.
 */

#include <linux/bitops.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "compat-math.h"
#include "dist.h"

/* 128-bit numbers by hand: 32-bit machines have no type for them. */
struct irtx_u128 {
	u64 hi;
	u64 lo;
};

static struct irtx_u128 irtx_u128_mul(u64 a, u64 b)
{
	return (struct irtx_u128) { .hi = mul_u64_u64_shr(a, b, 64), .lo = a * b };
}

static struct irtx_u128 irtx_u128_add(struct irtx_u128 a, struct irtx_u128 b)
{
	u64 lo = a.lo + b.lo;

	return (struct irtx_u128) { .hi = a.hi + b.hi + (lo < a.lo), .lo = lo };
}

static struct irtx_u128 irtx_u128_sub(struct irtx_u128 a, struct irtx_u128 b)
{
	return (struct irtx_u128) {
		.hi = a.hi - b.hi - (a.lo < b.lo),
		.lo = a.lo - b.lo,
	};
}

/* Long division by a number of less than 64 bits; the quotient must fit. */
static u64 irtx_u128_div(struct irtx_u128 a, u64 divisor)
{
	u64 rest = a.hi, quotient = 0;
	int bit;

	for (bit = 63; bit >= 0; bit--) {
		rest = rest << 1 | (a.lo >> bit & 1);
		quotient <<= 1;
		if (rest >= divisor) {
			rest -= divisor;
			quotient |= 1;
		}
	}

	return quotient;
}

static u32 irtx_abs_ns(s32 value_ns)
{
	return value_ns < 0 ? -(u32)value_ns : value_ns;
}

static unsigned int irtx_dist_bucket(u32 amount_ns)
{
	unsigned int octave;

	if (amount_ns >= IRTX_DIST_LAST_NS)
		return IRTX_DIST_BUCKETS - 1;
	if (amount_ns < IRTX_DIST_STEPS)
		return amount_ns;

	octave = fls(amount_ns) - 1 - IRTX_DIST_STEP_BITS;

	return octave * IRTX_DIST_STEPS + (amount_ns >> octave);
}

/**
 * irtx_dist_bucket_ns() - where a bucket of the histogram begins
 * @bucket: its number, up to %IRTX_DIST_BUCKETS, where the one behind the last
 *	would begin if that were not open
 *
 * Context: Any.
 * Return: the smallest amount in the bucket, in ns.
 */
u32 irtx_dist_bucket_ns(unsigned int bucket)
{
	unsigned int octave;

	if (bucket < 2 * IRTX_DIST_STEPS)
		return bucket;

	octave = bucket / IRTX_DIST_STEPS - 1;

	return (bucket - octave * IRTX_DIST_STEPS) << octave;
}

static void irtx_dist_count(struct irtx_dist *dist, s32 value_ns, u32 amount_ns)
{
	u64 *buckets = value_ns < 0 ? dist->negative : dist->positive;

	buckets[irtx_dist_bucket(amount_ns)]++;
}

/**
 * irtx_dist_add_series() - take values in
 * @dist: the distribution
 * @value_ns: the first value
 * @nr: how many there are
 * @stride: how many places the next one is further on
 *
 * Sums and extremes are kept at hand in between, since after each signal there
 * are some thousand values to take in.
 *
 * Context: Any, does not divide; the caller keeps others away from @dist.
 */
void irtx_dist_add_series(struct irtx_dist *dist, const s32 *value_ns,
			  unsigned int nr, unsigned int stride)
{
	s32 min_ns = dist->count ? dist->min_ns : S32_MAX;
	s32 max_ns = dist->count ? dist->max_ns : S32_MIN;
	u32 min_abs_ns = dist->count ? dist->min_abs_ns : U32_MAX;
	struct irtx_u128 squares = { dist->square_hi, dist->square_lo };
	u64 sum_abs_ns = 0;
	s64 sum_ns = 0;
	unsigned int i;

	if (!nr)
		return;

	for (i = 0; i < nr; i++, value_ns += stride) {
		u32 amount_ns = irtx_abs_ns(*value_ns);
		u64 square = (u64)amount_ns * amount_ns;

		min_ns = min(min_ns, *value_ns);
		max_ns = max(max_ns, *value_ns);
		min_abs_ns = min(min_abs_ns, amount_ns);
		sum_ns += *value_ns;
		sum_abs_ns += amount_ns;
		squares.lo += square;
		squares.hi += squares.lo < square;
		irtx_dist_count(dist, *value_ns, amount_ns);
	}

	dist->count += nr;
	dist->sum_ns += sum_ns;
	dist->sum_abs_ns += sum_abs_ns;
	dist->square_hi = squares.hi;
	dist->square_lo = squares.lo;
	dist->min_ns = min_ns;
	dist->max_ns = max_ns;
	dist->min_abs_ns = min_abs_ns;
}

/**
 * irtx_dist_add() - take a value in
 * @dist: the distribution
 * @value_ns: the value
 *
 * Context: Any, does not divide; the caller keeps others away from @dist.
 */
void irtx_dist_add(struct irtx_dist *dist, s32 value_ns)
{
	irtx_dist_add_series(dist, &value_ns, 1, 1);
}

static struct irtx_u128 irtx_u128_times4(struct irtx_u128 a)
{
	return (struct irtx_u128) { .hi = a.hi << 2 | a.lo >> 62, .lo = a.lo << 2 };
}

/*
 * The sum of squared distances from the rounded mean m is S2 + n m^2 - 2 m S1;
 * what the rounding adds to it is n (S1/n - m)^2. All of it is taken four
 * times, since the root of four variances is twice the standard deviation,
 * which can then be rounded to nearest.
 */
static u64 irtx_stddev(const struct irtx_dist *dist, u64 sum_ns, u64 mean_ns)
{
	struct irtx_u128 squares = { dist->square_hi, dist->square_lo };
	struct irtx_u128 rounding = {};
	u64 rest_ns = 2 * abs_diff(sum_ns, mean_ns * dist->count);
	u64 twice_ns;

	squares = irtx_u128_add(squares, irtx_u128_mul(mean_ns * mean_ns, dist->count));
	squares = irtx_u128_sub(squares, irtx_u128_mul(2 * mean_ns, sum_ns));
	rounding.lo = mul_u64_u64_div_u64(rest_ns, rest_ns, dist->count);
	squares = irtx_u128_sub(irtx_u128_times4(squares), rounding);
	twice_ns = int_sqrt64(irtx_u128_div(squares, dist->count));

	return (twice_ns + 1) / 2;
}

/*
 * The rank of the first value that @permille of all values do not exceed,
 * counted from 1.
 */
static u64 irtx_rank(const struct irtx_dist *dist, unsigned int permille)
{
	return max(div_u64(dist->count * permille + 999, 1000), 1);
}

static s64 irtx_bucket_middle_ns(unsigned int bucket)
{
	u32 begin_ns = irtx_dist_bucket_ns(bucket);
	u32 end_ns = irtx_dist_bucket_ns(bucket + 1);

	return begin_ns + (end_ns - begin_ns - 1) / 2;
}

static s64 irtx_signed_quantile(const struct irtx_dist *dist, unsigned int permille)
{
	u64 left = irtx_rank(dist, permille);
	unsigned int i;

	for (i = IRTX_DIST_BUCKETS; i-- > 0; left -= dist->negative[i])
		if (left <= dist->negative[i])
			return -irtx_bucket_middle_ns(i);

	for (i = 0; i < IRTX_DIST_BUCKETS - 1; left -= dist->positive[i++])
		if (left <= dist->positive[i])
			break;

	return irtx_bucket_middle_ns(i);
}

static s64 irtx_absolute_quantile(const struct irtx_dist *dist, unsigned int permille)
{
	u64 left = irtx_rank(dist, permille);
	unsigned int i;

	for (i = 0; i < IRTX_DIST_BUCKETS - 1; i++) {
		if (left <= dist->positive[i] + dist->negative[i])
			break;
		left -= dist->positive[i] + dist->negative[i];
	}

	return irtx_bucket_middle_ns(i);
}

static s64 irtx_within(s64 value_ns, const struct irtx_summary *range)
{
	return clamp(value_ns, range->min_ns, range->max_ns);
}

static u64 irtx_mean(u64 sum_ns, u64 count)
{
	return div64_u64(sum_ns + count / 2, count);
}

/**
 * irtx_dist_signed() - the figures of the values as they are
 * @dist: the distribution
 *
 * Context: Any; the caller keeps writers away from @dist.
 * Return: the figures.
 */
struct irtx_summary irtx_dist_signed(const struct irtx_dist *dist)
{
	u64 sum_ns = dist->sum_ns < 0 ? -dist->sum_ns : dist->sum_ns;
	struct irtx_summary figures = {
		.min_ns = dist->min_ns,
		.max_ns = dist->max_ns,
	};
	u64 mean_ns;

	if (!dist->count)
		return figures;

	mean_ns = irtx_mean(sum_ns, dist->count);
	figures.mean_ns = dist->sum_ns < 0 ? -(s64)mean_ns : mean_ns;
	figures.stddev_ns = irtx_stddev(dist, sum_ns, mean_ns);
	figures.median_ns = irtx_within(irtx_signed_quantile(dist, 500), &figures);
	figures.p99_ns = irtx_within(irtx_signed_quantile(dist, 990), &figures);
	figures.p999_ns = irtx_within(irtx_signed_quantile(dist, 999), &figures);

	return figures;
}

/**
 * irtx_dist_absolute() - the figures of the values' amounts
 * @dist: the distribution
 *
 * Context: Any; the caller keeps writers away from @dist.
 * Return: the figures.
 */
struct irtx_summary irtx_dist_absolute(const struct irtx_dist *dist)
{
	struct irtx_summary figures = {
		.min_ns = dist->min_abs_ns,
		.max_ns = max(irtx_abs_ns(dist->min_ns), irtx_abs_ns(dist->max_ns)),
	};

	if (!dist->count)
		return figures;

	figures.mean_ns = irtx_mean(dist->sum_abs_ns, dist->count);
	figures.stddev_ns = irtx_stddev(dist, dist->sum_abs_ns, figures.mean_ns);
	figures.median_ns = irtx_within(irtx_absolute_quantile(dist, 500), &figures);
	figures.p99_ns = irtx_within(irtx_absolute_quantile(dist, 990), &figures);
	figures.p999_ns = irtx_within(irtx_absolute_quantile(dist, 999), &figures);

	return figures;
}
