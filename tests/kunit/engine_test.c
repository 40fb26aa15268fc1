// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite of the engine: every signal, sent in every way, has each of its
 * steps at the first tick of the clock at which it can be, and interrupts are off
 * for as long as they must be and no longer.
 */

#include <media/rc-core.h>

#include "engine_bench.h"
#include "engine_oracle.h"

#define ENGINE_MARGIN_NS	117500

/* A signal has an odd number of values. */
#define ENGINE_MOST		(IRTX_MAX_VALUES - 1)

KUNIT_ARRAY_PARAM(way, bench_ways, bench_way_desc);

static void engine_set_way(struct kunit *test)
{
	struct bench *bench = test->priv;

	bench_set_way(test, test->param_value);
	bench->engine.settings.margin_ns = ENGINE_MARGIN_NS;
}

/* Interrupts-off time is not bounded here. */
static void engine_expect(struct kunit *test, const unsigned int *length_us,
			  unsigned int count)
{
	static const struct irtx_carrier carrier = { .hz = BENCH_HZ, .duty_pct = 50 };
	struct bench *bench = test->priv;

	engine_set_way(test);
	bench->engine.settings.max_irqs_off_us = 0;
	KUNIT_EXPECT_EQ(test, bench_send(test, length_us, count), 0);
	KUNIT_EXPECT_FALSE(test, bench->fake.lit);
	oracle_expect(test, length_us, count, &carrier);
}

static void engine_one_value(struct kunit *test)
{
	static const unsigned int length_us[] = { 560 };

	engine_expect(test, length_us, 1);
}

static const unsigned int *engine_most(struct kunit *test, unsigned int each_us)
{
	unsigned int *length_us;
	unsigned int i;

	length_us = kunit_kcalloc(test, ENGINE_MOST, sizeof(*length_us), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, length_us);
	for (i = 0; i < ENGINE_MOST; i++)
		length_us[i] = each_us;

	return length_us;
}

static void engine_most_values(struct kunit *test)
{
	engine_expect(test, engine_most(test, 160), ENGINE_MOST);
}

/*
 * With interrupts on, four looks at this clock take longer than such a pulse: all
 * come, but not in time.
 */
static void engine_shortest_values(struct kunit *test)
{
	const struct bench_way *way = test->param_value;
	struct bench *bench = test->priv;

	if (way->mode != IRTX_MODE_THREAD) {
		engine_expect(test, engine_most(test, 1), ENGINE_MOST);
		return;
	}

	engine_set_way(test);
	KUNIT_EXPECT_EQ(test, bench_send(test, engine_most(test, 1), ENGINE_MOST), 0);
	KUNIT_EXPECT_EQ(test, bench->fake.nr, ENGINE_MOST + 1);
	KUNIT_EXPECT_FALSE(test, bench->fake.lit);
}

static void engine_longest(struct kunit *test)
{
	static const unsigned int length_us[] = { IR_MAX_DURATION };

	engine_expect(test, length_us, 1);
}

/* The CPU is let go for 128 us, but not for 127. */
static void engine_spaces_around_margin(struct kunit *test)
{
	static const unsigned int length_us[] = { 100, 127, 100, 128, 100, 1, 100, 90000, 100 };

	engine_expect(test, length_us, ARRAY_SIZE(length_us));
}

/*
 * A bound of 1 ms, and pulses and spaces of 3.5 ms: interrupts are let in for most of
 * each. What is left are four margins, and in between the last pulse of 100 us.
 */
static void engine_bound_hard(struct kunit *test)
{
	static const unsigned int length_us[] = { 3500, 3500, 100 };
	const struct bench_way *way = test->param_value;
	struct bench *bench = test->priv;
	const struct irtx_log *log = &bench->log;

	if (way->hz || way->mode == IRTX_MODE_THREAD)
		kunit_skip(test, "the next case's, or not bounded");

	engine_set_way(test);
	bench->engine.settings.max_irqs_off_us = 1000;
	KUNIT_EXPECT_EQ(test, bench_send(test, length_us, 3), 0);
	KUNIT_EXPECT_LE(test, log->irqs_off_longest_ns, ENGINE_MARGIN_NS + 100000 + BENCH_TICK_NS);
	KUNIT_EXPECT_GE(test, log->irqs_off_longest_ns + BENCH_WAKE_NS, ENGINE_MARGIN_NS + 100000);
	KUNIT_EXPECT_LE(test, log->irqs_off_ns, 3 * ENGINE_MARGIN_NS + 100000 + 3 * BENCH_TICK_NS);
	KUNIT_EXPECT_GE(test, log->irqs_off_ns + 3 * BENCH_WAKE_NS, 3 * ENGINE_MARGIN_NS + 100000);
	KUNIT_EXPECT_LT(test, irtx_log_worst_ns(log), BENCH_TICK_NS);
}

/* A margin is held with interrupts off, so the bound is one on it, too. */
static void engine_margin_within_bound(struct kunit *test)
{
	static const unsigned int length_us[] = { 50, 2000, 50 };
	const struct bench_way *way = test->param_value;
	struct bench *bench = test->priv;

	if (way->hz || way->mode == IRTX_MODE_THREAD)
		kunit_skip(test, "the next case's, or not bounded");

	engine_set_way(test);
	bench->engine.settings.margin_ns = 300000;
	bench->engine.settings.max_irqs_off_us = 100;
	KUNIT_EXPECT_EQ(test, bench_send(test, length_us, 3), 0);
	KUNIT_EXPECT_LE(test, bench->log.irqs_off_longest_ns, 100000 + BENCH_TICK_NS);
	KUNIT_EXPECT_LT(test, irtx_log_worst_ns(&bench->log), BENCH_TICK_NS);
}

/*
 * A carrier that the engine makes is left between two cycles: 3.5 ms at 38 kHz are
 * 133 cycles, of which the timer, whose interrupt is left, loses one at each of the
 * three bounds.
 */
static void engine_bound_soft(struct kunit *test)
{
	static const unsigned int length_us[] = { 3500, 3500, 100 };
	const struct bench_way *way = test->param_value;
	struct bench *bench = test->priv;
	const struct irtx_log *log = &bench->log;

	if (!way->hz || way->mode == IRTX_MODE_THREAD)
		kunit_skip(test, "the case's before, or not bounded");

	engine_set_way(test);
	bench->engine.settings.max_irqs_off_us = 1000;
	KUNIT_EXPECT_EQ(test, bench_send(test, length_us, 3), 0);
	KUNIT_EXPECT_EQ(test, bench->fake.nr,
			2 * (133 + 4 - (bench->engine.choice.hardirq ? 3 : 0)));
	KUNIT_EXPECT_LE(test, log->irqs_off_longest_ns, 1000000 + BENCH_TICK_NS);
	KUNIT_EXPECT_GE(test, log->irqs_off_longest_ns, 1000000 - NSEC_PER_SEC / BENCH_HZ);
	KUNIT_EXPECT_LT(test, irtx_log_worst_ns(log), BENCH_TICK_NS);
}

static void engine_at_alarm_nothing(struct bench *bench)
{
}

/*
 * Somebody else's timer, 1.6 ms into a pulse of 3.5 ms: it does not wait for longer
 * than the bound, nor does it harm an edge. (A udelay() of user-mode Linux is one
 * jump, in which no interrupt comes, be they on or off.)
 */
static void engine_lets_interrupts_in(struct kunit *test)
{
	static const unsigned int length_us[] = { 3500 };
	struct bench *bench = test->priv;
	u64 asked_ns;
	bool sleeps;

	engine_set_way(test);
	sleeps = !bench->engine.wave && bench->engine.settings.mode != IRTX_MODE_BUSY;
	bench->engine.settings.max_irqs_off_us = 1000;
	bench_set_alarm(test, 0, 1600000, engine_at_alarm_nothing);
	KUNIT_EXPECT_EQ(test, bench_send(test, length_us, 1), 0);
	asked_ns = bench->fake.call[0].begin_ns + 1600000;
	KUNIT_ASSERT_GE(test, bench->alarm_ns, asked_ns);
	KUNIT_EXPECT_LE(test, bench->alarm_ns - asked_ns,
			sleeps ? BENCH_WAKE_NS : 1000000);
	KUNIT_EXPECT_LT(test, irtx_log_worst_ns(&bench->log), 2 * BENCH_THREAD_NS);
}

/* With no bound at all busy mode keeps everybody out until the end. */
static void engine_without_bound(struct kunit *test)
{
	static const unsigned int length_us[] = { 3500 };
	struct bench *bench = test->priv;

	engine_set_way(test);
	if (bench->engine.settings.mode != IRTX_MODE_BUSY)
		kunit_skip(test, "lets the CPU go in any case");

	bench->engine.settings.max_irqs_off_us = 0;
	bench_set_alarm(test, 0, 1600000, engine_at_alarm_nothing);
	KUNIT_EXPECT_EQ(test, bench_send(test, length_us, 1), 0);
	KUNIT_EXPECT_GE(test, bench->alarm_ns, bench->fake.call[bench->fake.nr - 1].end_ns);
}

static struct kunit_case engine_tests[] = {
	KUNIT_CASE_PARAM(engine_one_value, way_gen_params),
	KUNIT_CASE_PARAM(engine_most_values, way_gen_params),
	KUNIT_CASE_PARAM(engine_shortest_values, way_gen_params),
	KUNIT_CASE_PARAM(engine_longest, way_gen_params),
	KUNIT_CASE_PARAM(engine_spaces_around_margin, way_gen_params),
	KUNIT_CASE_PARAM(engine_bound_hard, way_gen_params),
	KUNIT_CASE_PARAM(engine_margin_within_bound, way_gen_params),
	KUNIT_CASE_PARAM(engine_bound_soft, way_gen_params),
	KUNIT_CASE_PARAM(engine_lets_interrupts_in, way_gen_params),
	KUNIT_CASE_PARAM(engine_without_bound, way_gen_params),
	{}
};

static struct kunit_suite engine_suite = {
	.name = "irtx_engine",
	.init = bench_init,
	.exit = bench_exit,
	.test_cases = engine_tests,
};

kunit_test_suite(engine_suite);
