/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A distribution: what is kept of a set of measured times, at a fixed size and
 * a fixed cost a value, however many there are. Pure: no clock, no lock, no
 * device.
 *
 * Mean and standard deviation come from exact sums: they are right to the ns
 * for 10^12 values of up to 9 ms on average. Percentiles come from a histogram
 * whose buckets are 1 ns wide up to 64 ns and then 1/32 of an octave, so that a
 * bucket's middle is at most 1/64 (1.6 %) away from any value in it.
 */
#ifndef IRTX_DIST_H
#define IRTX_DIST_H

#include <linux/bits.h>
#include <linux/types.h>

/* Steps in an octave, as a power of two */
#define IRTX_DIST_STEP_BITS	5
#define IRTX_DIST_STEPS		BIT(IRTX_DIST_STEP_BITS)

/* The last bucket is open: it begins here (134 ms) */
#define IRTX_DIST_LAST_BITS	27
#define IRTX_DIST_LAST_NS	BIT(IRTX_DIST_LAST_BITS)

#define IRTX_DIST_BUCKETS \
	((IRTX_DIST_LAST_BITS - IRTX_DIST_STEP_BITS + 1) * IRTX_DIST_STEPS + 1)

/**
 * struct irtx_dist - a set of signed times
 * @count: how many values there were
 * @sum_ns: their sum
 * @sum_abs_ns: the sum of their amounts
 * @square_hi: upper half of the 128-bit sum of their squares
 * @square_lo: lower half of it
 * @min_ns: the smallest value; 0 when there was none
 * @max_ns: the largest value; 0 when there was none
 * @min_abs_ns: the smallest amount; 0 when there was none
 * @positive: how many values from 0 upwards were in each bucket
 * @negative: how many below 0, by amount
 */
struct irtx_dist {
	u64 count;
	s64 sum_ns;
	u64 sum_abs_ns;
	u64 square_hi;
	u64 square_lo;
	s32 min_ns;
	s32 max_ns;
	u32 min_abs_ns;
	u64 positive[IRTX_DIST_BUCKETS];
	u64 negative[IRTX_DIST_BUCKETS];
};

/**
 * struct irtx_summary - a distribution in figures, all in ns, 0 for no values
 * @min_ns: smallest value
 * @max_ns: largest value
 * @mean_ns: mean, rounded to nearest
 * @median_ns: half of the values are this or less
 * @p99_ns: 99 % of the values are this or less
 * @p999_ns: 99.9 % of the values are this or less
 * @stddev_ns: standard deviation of the whole set (divided by n), rounded to
 *	nearest
 */
struct irtx_summary {
	s64 min_ns;
	s64 max_ns;
	s64 mean_ns;
	s64 median_ns;
	s64 p99_ns;
	s64 p999_ns;
	s64 stddev_ns;
};

void irtx_dist_add_series(struct irtx_dist *dist, const s32 *value_ns,
			  unsigned int nr, unsigned int stride);
void irtx_dist_add(struct irtx_dist *dist, s32 value_ns);
struct irtx_summary irtx_dist_signed(const struct irtx_dist *dist);
struct irtx_summary irtx_dist_absolute(const struct irtx_dist *dist);
u32 irtx_dist_bucket_ns(unsigned int bucket);

#endif
