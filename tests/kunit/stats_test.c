// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite of the statistics.
 */

#include <kunit/test.h>
#include <linux/limits.h>

#include "stats.h"

struct fold_case {
	const char *name;
	unsigned int edges;
	s32 late_ns[4];
	int error;
	u64 signals, perfect_signals, errors, bad_edges;
	s32 pulse_min_ns, pulse_max_ns, space_max_ns;
};

/* The threshold is 1000 ns throughout. */
static const struct fold_case fold_cases[] = {
	{ "perfect", 2, { 10, 30 }, 0, 1, 1, 0, 0, 20, 20, 0 },
	{ "just under the threshold", 2, { 999, -999 }, 0, 1, 1, 0, 0, -1998, -1998, 0 },
	{ "late by the threshold", 2, { 0, 1000 }, 0, 1, 0, 0, 1, 1000, 1000, 0 },
	{ "early by the threshold", 2, { 0, -1000 }, 0, 1, 0, 0, 1, -1000, -1000, 0 },
	{ "all bad", 4, { 5000, 6000, 9000, -2000 }, 0, 1, 0, 0, 4, -11000, 1000, 3000 },
	{ "late throughout: the widths are right", 4, { 7000, 7000, 7000, 7000 }, 0,
	  1, 0, 0, 4, 0, 0, 0 },
	{ "extremes", 2, { S32_MIN, S32_MAX }, 0, 1, 0, 0, 2, S32_MAX, S32_MAX, 0 },
	{ "cut off in its first pulse", 1, { 20 }, -EIO, 0, 0, 1, 0, 0, 0, 0 },
	{ "failed before its first edge", 0, { 0 }, -ENODEV, 0, 0, 1, 0, 0, 0, 0 },
};

static void fold_case_desc(const struct fold_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(fold, fold_cases, fold_case_desc);

struct stats_context {
	struct irtx_stats stats;
	struct irtx_log log;
};

static int stats_init(struct kunit *test)
{
	struct stats_context *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);

	if (!ctx)
		return -ENOMEM;
	ctx->stats.threshold_ns = IRTX_THRESHOLD_DEFAULT_NS;
	irtx_stats_reset(&ctx->stats);
	test->priv = ctx;

	return 0;
}

/* A signal whose edges are 1 us apart, asked for 30 us before its first one. */
static void stats_take(struct stats_context *ctx, const s32 *late_ns,
		       unsigned int nr, int error)
{
	unsigned int i;

	ctx->log.signal++;
	ctx->log.error = error;
	ctx->log.asked_ns = 1000000;
	ctx->log.start_ns = 1030000;
	ctx->log.nr = nr;
	for (i = 0; i < nr; i++)
		ctx->log.sample[i] = (struct irtx_sample) {
			.due_ns = i * 1000,
			.late_ns = late_ns[i],
			.cost_ns = 100 + i,
		};
	irtx_stats_fold(&ctx->stats, &ctx->log);
}

static void stats_fold(struct kunit *test)
{
	const struct fold_case *c = test->param_value;
	struct stats_context *ctx = test->priv;
	struct irtx_stats *stats = &ctx->stats;

	stats_take(ctx, c->late_ns, c->edges, c->error);

	KUNIT_EXPECT_EQ(test, stats->signals, c->signals);
	KUNIT_EXPECT_EQ(test, stats->perfect_signals, c->perfect_signals);
	KUNIT_EXPECT_EQ(test, irtx_errors_total(&stats->errors), c->errors);
	KUNIT_EXPECT_EQ(test, stats->late.count, c->edges);
	KUNIT_EXPECT_EQ(test, stats->bad.count, c->bad_edges);
	KUNIT_EXPECT_EQ(test, stats->pulse.count, c->edges / 2);
	KUNIT_EXPECT_EQ(test, stats->pulse.min_ns, c->pulse_min_ns);
	KUNIT_EXPECT_EQ(test, stats->pulse.max_ns, c->pulse_max_ns);
	KUNIT_EXPECT_EQ(test, stats->space.max_ns, c->space_max_ns);
	KUNIT_EXPECT_EQ(test, stats->startup.count, c->edges ? 1 : 0);
	KUNIT_EXPECT_EQ(test, stats->signal_ns, c->error ? 0 : (c->edges - 1) * 1000);
}

static void stats_startup_and_cost(struct kunit *test)
{
	static const s32 late_ns[] = { 5, 0, 0, 0 };
	struct stats_context *ctx = test->priv;

	stats_take(ctx, late_ns, 4, 0);

	KUNIT_EXPECT_EQ(test, ctx->stats.startup.max_ns, 30005);
	KUNIT_EXPECT_EQ(test, ctx->stats.cost.count, 4);
	KUNIT_EXPECT_EQ(test, ctx->stats.cost.min_ns, 100);
	KUNIT_EXPECT_EQ(test, ctx->stats.cost.max_ns, 103);
}

static void stats_wakeups(struct kunit *test)
{
	static const s32 late_ns[2];
	struct stats_context *ctx = test->priv;
	unsigned int i;

	irtx_log_wakeup(&ctx->log, 700, false);
	irtx_log_wakeup(&ctx->log, 90000, true);
	stats_take(ctx, late_ns, 2, 0);
	KUNIT_EXPECT_EQ(test, ctx->stats.wakeup.count, 2);
	KUNIT_EXPECT_EQ(test, ctx->stats.wakeup.max_ns, 90000);
	KUNIT_EXPECT_EQ(test, ctx->stats.late_wakeups, 1);

	/* more than fit are counted where they matter, and overrun nothing */
	for (i = 0; i < 2 * IRTX_MAX_EDGES; i++)
		irtx_log_wakeup(&ctx->log, 1, true);
	KUNIT_EXPECT_EQ(test, ctx->log.wakeups, IRTX_MAX_EDGES);
	KUNIT_EXPECT_EQ(test, ctx->log.late_wakeups, 2 * IRTX_MAX_EDGES + 1);
}

static void stats_irqs_off(struct kunit *test)
{
	struct stats_context *ctx = test->priv;
	struct irtx_log *log = &ctx->log;

	irtx_log_irqs_off(log, 3000);
	irtx_log_irqs_off(log, 5000);
	irtx_log_irqs_off(log, 4000);
	KUNIT_EXPECT_EQ(test, log->irqs_off_ns, 12000);
	KUNIT_EXPECT_EQ(test, log->irqs_off_longest_ns, 5000);
}

static void stats_adds_up(struct kunit *test)
{
	static const s32 good_ns[] = { 1, 2 };
	static const s32 bad_ns[] = { 1, 2000 };
	struct stats_context *ctx = test->priv;

	ctx->log.irqs_off_ns = 7000;
	ctx->log.irqs_off_longest_ns = 5000;
	stats_take(ctx, good_ns, 2, 0);
	ctx->log.irqs_off_longest_ns = 4000;
	stats_take(ctx, bad_ns, 2, 0);
	stats_take(ctx, bad_ns, 2, 0);

	KUNIT_EXPECT_EQ(test, ctx->stats.signals, 3);
	KUNIT_EXPECT_EQ(test, ctx->stats.perfect_signals, 1);
	KUNIT_EXPECT_EQ(test, ctx->stats.late.count, 6);
	KUNIT_EXPECT_EQ(test, ctx->stats.late.sum_ns, 4005);
	KUNIT_EXPECT_EQ(test, ctx->stats.bad.count, 2);
	KUNIT_EXPECT_EQ(test, ctx->stats.signal_ns, 3000);
	KUNIT_EXPECT_EQ(test, ctx->stats.irqs_off_ns, 21000);
	KUNIT_EXPECT_EQ(test, ctx->stats.irqs_off_longest_ns, 5000);
}

static void stats_errors(struct kunit *test)
{
	static const s32 late_ns[] = { 1 };
	struct stats_context *ctx = test->priv;
	const struct irtx_errors *errors = &ctx->stats.errors;
	int i;

	stats_take(ctx, late_ns, 1, -EIO);
	stats_take(ctx, late_ns, 1, -EINTR);
	stats_take(ctx, late_ns, 1, -EIO);
	KUNIT_EXPECT_EQ(test, errors->error[0], -EIO);
	KUNIT_EXPECT_EQ(test, errors->count[0], 2);
	KUNIT_EXPECT_EQ(test, errors->error[1], -EINTR);
	KUNIT_EXPECT_EQ(test, errors->count[1], 1);

	for (i = 0; i < 20; i++)
		stats_take(ctx, late_ns, 1, -100 - i);
	KUNIT_EXPECT_EQ(test, errors->error[IRTX_ERROR_KINDS - 1], -EOVERFLOW);
	KUNIT_EXPECT_EQ(test, irtx_errors_total(errors), 23);
}

/* The ring keeps the worst, the worst first, and of equals the older ones. */
static void stats_worst(struct kunit *test)
{
	static const s32 late_ns[] = { 50, -300, 10, 200, 40, 300, -7, 250 };
	static const u64 signal[IRTX_WORST_LOGS] = { 2, 6, 8, 4 };
	static const u32 bad_ns[IRTX_WORST_LOGS] = { 300, 300, 250, 200 };
	struct stats_context *ctx = test->priv;
	const struct irtx_worst *worst = &ctx->stats.worst;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(late_ns); i++)
		stats_take(ctx, &late_ns[i], 1, -EIO);

	KUNIT_ASSERT_EQ(test, worst->nr, IRTX_WORST_LOGS);
	for (i = 0; i < IRTX_WORST_LOGS; i++) {
		KUNIT_EXPECT_EQ(test, worst->bad_ns[i], bad_ns[i]);
		KUNIT_EXPECT_EQ(test, worst->log[i]->signal, signal[i]);
		KUNIT_EXPECT_EQ(test, abs(worst->log[i]->sample[0].late_ns), bad_ns[i]);
	}
}

static void stats_reset_keeps_threshold(struct kunit *test)
{
	static const s32 late_ns[] = { 1, 2000 };
	struct stats_context *ctx = test->priv;

	ctx->stats.threshold_ns = 1500;
	stats_take(ctx, late_ns, 2, 0);
	stats_take(ctx, late_ns, 2, -EIO);
	irtx_stats_reset(&ctx->stats);

	KUNIT_EXPECT_EQ(test, ctx->stats.threshold_ns, 1500);
	KUNIT_EXPECT_EQ(test, ctx->stats.signals, 0);
	KUNIT_EXPECT_EQ(test, ctx->stats.late.count, 0);
	KUNIT_EXPECT_EQ(test, ctx->stats.late.max_ns, 0);
	KUNIT_EXPECT_EQ(test, ctx->stats.bad.count, 0);
	KUNIT_EXPECT_EQ(test, ctx->stats.worst.nr, 0);
	KUNIT_EXPECT_EQ(test, irtx_errors_total(&ctx->stats.errors), 0);
}

static struct kunit_case stats_tests[] = {
	KUNIT_CASE_PARAM(stats_fold, fold_gen_params),
	KUNIT_CASE(stats_startup_and_cost),
	KUNIT_CASE(stats_wakeups),
	KUNIT_CASE(stats_irqs_off),
	KUNIT_CASE(stats_adds_up),
	KUNIT_CASE(stats_errors),
	KUNIT_CASE(stats_worst),
	KUNIT_CASE(stats_reset_keeps_threshold),
	{}
};

static struct kunit_suite stats_suite = {
	.name = "irtx_stats",
	.init = stats_init,
	.test_cases = stats_tests,
};

kunit_test_suite(stats_suite);
