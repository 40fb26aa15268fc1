// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite of the distribution. Its oracle keeps all values, sorts them and
 * counts.
 */

#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/prandom.h>
#include <linux/sort.h>

#include "dist.h"

#define VALUES	1000

struct dist_context {
	struct irtx_dist dist;
	s64 value[VALUES];
	unsigned int nr;
};

static int dist_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct dist_context), GFP_KERNEL);

	return test->priv ? 0 : -ENOMEM;
}

static void dist_take(struct dist_context *ctx, s32 value_ns)
{
	irtx_dist_add(&ctx->dist, value_ns);
	ctx->value[ctx->nr++] = value_ns;
}

static int dist_compare(const void *a, const void *b)
{
	s64 difference = *(const s64 *)a - *(const s64 *)b;

	return (difference > 0) - (difference < 0);
}

static s64 dist_oracle_quantile(const struct dist_context *ctx, unsigned int permille)
{
	unsigned int rank = DIV_ROUND_UP(ctx->nr * permille, 1000);

	return ctx->value[max(rank, 1U) - 1];
}

/* A percentile may be off by 1/64 of the value, as dist.h promises. */
static void dist_expect_near(struct kunit *test, s64 seen_ns, s64 wanted_ns)
{
	KUNIT_EXPECT_LE_MSG(test, abs(seen_ns - wanted_ns) * 64, abs(wanted_ns),
			    "%lld ns for %lld ns", seen_ns, wanted_ns);
}

/*
 * The true variance is spread / nr^3, with spread as below; a root rounded to
 * nearest is within half a ns of it: (2s - 1)^2 <= 4 variance <= (2s + 1)^2.
 */
static void dist_expect_stddev(struct kunit *test, const struct dist_context *ctx,
			       s64 sum_ns, s64 stddev_ns)
{
	u64 spread = 0, four_variance;
	unsigned int i;

	for (i = 0; i < ctx->nr; i++) {
		s64 distance = ctx->value[i] * ctx->nr - sum_ns;

		spread += distance * distance;
	}
	four_variance = div64_u64(4 * div64_u64(spread, ctx->nr), (u64)ctx->nr * ctx->nr);

	if (stddev_ns)
		KUNIT_EXPECT_LE(test, (2 * stddev_ns - 1) * (2 * stddev_ns - 1),
				four_variance + 1);
	KUNIT_EXPECT_GE(test, (2 * stddev_ns + 1) * (2 * stddev_ns + 1), four_variance);
}

static void dist_expect(struct kunit *test, struct dist_context *ctx,
			const struct irtx_summary *figures)
{
	s64 sum_ns = 0;
	unsigned int i;

	sort(ctx->value, ctx->nr, sizeof(ctx->value[0]), dist_compare, NULL);
	for (i = 0; i < ctx->nr; i++)
		sum_ns += ctx->value[i];

	KUNIT_EXPECT_EQ(test, figures->min_ns, ctx->value[0]);
	KUNIT_EXPECT_EQ(test, figures->max_ns, ctx->value[ctx->nr - 1]);
	KUNIT_EXPECT_LE(test, abs(2 * (figures->mean_ns * ctx->nr - sum_ns)), ctx->nr);
	dist_expect_near(test, figures->median_ns, dist_oracle_quantile(ctx, 500));
	dist_expect_near(test, figures->p99_ns, dist_oracle_quantile(ctx, 990));
	dist_expect_near(test, figures->p999_ns, dist_oracle_quantile(ctx, 999));
	dist_expect_stddev(test, ctx, sum_ns, figures->stddev_ns);
}

static void dist_expect_both(struct kunit *test)
{
	struct dist_context *ctx = test->priv;
	struct irtx_summary figures;
	unsigned int i;

	figures = irtx_dist_signed(&ctx->dist);
	dist_expect(test, ctx, &figures);

	for (i = 0; i < ctx->nr; i++)
		ctx->value[i] = abs(ctx->value[i]);
	figures = irtx_dist_absolute(&ctx->dist);
	dist_expect(test, ctx, &figures);
}

struct dist_case {
	const char *name;
	unsigned int nr;
	s32 value_ns[8];
};

static const struct dist_case dist_cases[] = {
	{ "zero", 1, { 0 } },
	{ "one", 1, { 1 } },
	{ "minus one", 1, { -1 } },
	{ "one of each sign", 2, { -20, 20 } },
	{ "all negative", 4, { -5, -6, -7, -1000 } },
	{ "all the same", 8, { 31, 31, 31, 31, 31, 31, 31, 31 } },
	{ "around the first octave", 6, { 31, 32, 63, 64, 65, 127 } },
	{ "an outlier", 8, { 10, 11, 12, 13, 14, 15, 16, 29000 } },
	{ "mean of one half", 2, { 0, 1 } },
	{ "mean of minus one half", 2, { 0, -1 } },
};

static void dist_case_desc(const struct dist_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(dist, dist_cases, dist_case_desc);

static void dist_table(struct kunit *test)
{
	const struct dist_case *c = test->param_value;
	unsigned int i;

	for (i = 0; i < c->nr; i++)
		dist_take(test->priv, c->value_ns[i]);
	dist_expect_both(test);
}

static void dist_random(struct kunit *test)
{
	struct dist_context *ctx = test->priv;
	struct rnd_state rnd;
	unsigned int round;

	prandom_seed_state(&rnd, 3);
	for (round = 0; round < 200; round++) {
		unsigned int nr = prandom_u32_state(&rnd) % VALUES + 1;
		u32 range = 1 << prandom_u32_state(&rnd) % 15;

		memset(ctx, 0, sizeof(*ctx));
		while (ctx->nr < nr)
			dist_take(ctx, (s32)(prandom_u32_state(&rnd) % (2 * range)) - (s32)range);
		dist_expect_both(test);
	}
}

/* Every amount lies in its bucket, and no bucket is wider than 1/32 of it. */
static void dist_buckets(struct kunit *test)
{
	struct dist_context *ctx = test->priv;
	unsigned int i;

	for (i = 0; i < IRTX_DIST_BUCKETS - 1; i++) {
		u32 begin_ns = irtx_dist_bucket_ns(i);
		u32 end_ns = irtx_dist_bucket_ns(i + 1);

		KUNIT_ASSERT_LT(test, begin_ns, end_ns);
		if (end_ns - begin_ns > 1)
			KUNIT_EXPECT_LE(test, (end_ns - begin_ns) * 32, begin_ns);
		irtx_dist_add(&ctx->dist, begin_ns);
		irtx_dist_add(&ctx->dist, -(s32)(end_ns - 1));
		KUNIT_EXPECT_EQ(test, ctx->dist.positive[i], i ? 1 : 2);
		KUNIT_EXPECT_EQ(test, ctx->dist.negative[i], i ? 1 : 0);
	}
	KUNIT_EXPECT_EQ(test, irtx_dist_bucket_ns(IRTX_DIST_BUCKETS - 1), IRTX_DIST_LAST_NS);
}

static void dist_extremes(struct kunit *test)
{
	struct dist_context *ctx = test->priv;
	struct irtx_summary figures;

	irtx_dist_add(&ctx->dist, S32_MIN);
	irtx_dist_add(&ctx->dist, S32_MAX);
	KUNIT_EXPECT_EQ(test, ctx->dist.negative[IRTX_DIST_BUCKETS - 1], 1);
	KUNIT_EXPECT_EQ(test, ctx->dist.positive[IRTX_DIST_BUCKETS - 1], 1);

	figures = irtx_dist_signed(&ctx->dist);
	KUNIT_EXPECT_EQ(test, figures.min_ns, S32_MIN);
	KUNIT_EXPECT_EQ(test, figures.max_ns, S32_MAX);
	KUNIT_EXPECT_EQ(test, figures.stddev_ns, 1LL << 31);

	figures = irtx_dist_absolute(&ctx->dist);
	KUNIT_EXPECT_EQ(test, figures.max_ns, 1LL << 31);
	KUNIT_EXPECT_EQ(test, figures.stddev_ns, 1);
}

static void dist_repeat(struct irtx_dist *dist, s64 value_ns, u64 times)
{
	u64 square_lo = value_ns * value_ns * times;

	dist->count += times;
	dist->sum_ns += value_ns * times;
	dist->sum_abs_ns += abs(value_ns) * times;
	dist->square_lo += square_lo;
	dist->square_hi += mul_u64_u64_shr(value_ns * value_ns, times, 64);
	dist->square_hi += dist->square_lo < square_lo;
}

/* 10^12 edges, all of them 9 ms off: still exact. */
static void dist_many(struct kunit *test)
{
	const u64 half = 500000000000ULL;
	struct dist_context *ctx = test->priv;
	struct irtx_summary figures;

	dist_repeat(&ctx->dist, 9000000, half);
	dist_repeat(&ctx->dist, 9000000, half);
	figures = irtx_dist_signed(&ctx->dist);
	KUNIT_EXPECT_EQ(test, figures.mean_ns, 9000000);
	KUNIT_EXPECT_EQ(test, figures.stddev_ns, 0);

	memset(ctx, 0, sizeof(*ctx));
	dist_repeat(&ctx->dist, 9000000, half);
	dist_repeat(&ctx->dist, -9000000, half);
	figures = irtx_dist_signed(&ctx->dist);
	KUNIT_EXPECT_EQ(test, figures.mean_ns, 0);
	KUNIT_EXPECT_EQ(test, figures.stddev_ns, 9000000);

	memset(ctx, 0, sizeof(*ctx));
	dist_repeat(&ctx->dist, 1000, half);
	dist_repeat(&ctx->dist, 1003, half);
	figures = irtx_dist_signed(&ctx->dist);
	KUNIT_EXPECT_EQ(test, figures.mean_ns, 1002);
	KUNIT_EXPECT_EQ(test, figures.stddev_ns, 2);
}

static void dist_nothing(struct kunit *test)
{
	struct dist_context *ctx = test->priv;
	struct irtx_summary figures = irtx_dist_signed(&ctx->dist);

	KUNIT_EXPECT_EQ(test, figures.mean_ns, 0);
	KUNIT_EXPECT_EQ(test, figures.median_ns, 0);
	KUNIT_EXPECT_EQ(test, figures.stddev_ns, 0);
	figures = irtx_dist_absolute(&ctx->dist);
	KUNIT_EXPECT_EQ(test, figures.max_ns, 0);
}

static struct kunit_case dist_tests[] = {
	KUNIT_CASE_PARAM(dist_table, dist_gen_params),
	KUNIT_CASE(dist_random),
	KUNIT_CASE(dist_buckets),
	KUNIT_CASE(dist_extremes),
	KUNIT_CASE(dist_many),
	KUNIT_CASE(dist_nothing),
	{}
};

static struct kunit_suite dist_suite = {
	.name = "irtx_dist",
	.init = dist_init,
	.test_cases = dist_tests,
};

kunit_test_suite(dist_suite);
