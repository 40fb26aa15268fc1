// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite of the engine's promises over random signals, carriers, margins and
 * bounds, from seeds, so that a run can be had again.
 */

#include <linux/minmax.h>
#include <linux/prandom.h>

#include "engine_bench.h"
#include "engine_oracle.h"

#define RANDOM_ROUNDS		100
#define RANDOM_MOST_VALUES	39

KUNIT_ARRAY_PARAM(way, bench_ways, bench_way_desc);

/**
 * struct random_signal - a signal
 * @count: how many values it has
 * @length_us: these
 * @carrier: with this carrier
 */
struct random_signal {
	unsigned int count;
	unsigned int length_us[RANDOM_MOST_VALUES];
	struct irtx_carrier carrier;
};

static u32 random_between(struct rnd_state *rnd, u32 least, u32 most)
{
	return least + prandom_u32_state(rnd) % (most - least + 1);
}

/* Short and long ones alike: each power of two is as likely as the next. */
static u32 random_length_us(struct rnd_state *rnd, u32 least_us)
{
	return least_us + prandom_u32_state(rnd) % (2 << random_between(rnd, 0, 10));
}

/*
 * A frequency that five does not divide never has a pulse of 3 ms at most end in the
 * exact middle of a cycle, where rounding would be a matter of taste. Where interrupts
 * are on, half cycles must leave time for looks at the clock.
 */
static void random_carrier(struct rnd_state *rnd, bool irqs_off, struct irtx_carrier *carrier)
{
	carrier->hz = random_between(rnd, 20000, irqs_off ? 150000 : 60000);
	carrier->hz += carrier->hz % 5 == 0;
	carrier->duty_pct = random_between(rnd, irqs_off ? 1 : 20, irqs_off ? 99 : 80);
}

/* The last cycle of a pulse may reach half its length into the space behind it. */
static void random_lengths(struct rnd_state *rnd, bool irqs_off, bool soft,
			   struct random_signal *signal)
{
	u32 cycle_us = USEC_PER_SEC / signal->carrier.hz + 1;
	u32 least_us = irqs_off ? 1 : 20;
	unsigned int i;

	signal->count = random_between(rnd, 0, RANDOM_MOST_VALUES / 2) * 2 + 1;
	for (i = 0; i < signal->count; i++)
		signal->length_us[i] = random_length_us(rnd, i % 2 && soft ?
							max(least_us, cycle_us) : least_us);
}

static void random_prepare(struct kunit *test, struct rnd_state *rnd,
			   struct random_signal *signal)
{
	struct bench_way way = *(const struct bench_way *)test->param_value;
	bool irqs_off = way.mode != IRTX_MODE_THREAD;
	struct bench *bench = test->priv;

	random_carrier(rnd, irqs_off, &signal->carrier);
	random_lengths(rnd, irqs_off, way.hz, signal);
	way.hz = way.hz ? signal->carrier.hz : 0;
	bench_set_way(test, &way);
	if (way.hz)
		irtx_wave_set(&bench->wave, &signal->carrier);
	bench->engine.settings.margin_ns = random_between(rnd, 5000, 200000);
}

/* Not bounded: all is at its tick, and the CPU is held for as long as it must be. */
static void random_exact(struct kunit *test)
{
	struct bench *bench = test->priv;
	struct random_signal signal;
	struct rnd_state rnd;
	unsigned int round;

	prandom_seed_state(&rnd, 6);
	bench->engine.settings.max_irqs_off_us = 0;
	for (round = 0; round < RANDOM_ROUNDS; round++) {
		random_prepare(test, &rnd, &signal);
		KUNIT_EXPECT_EQ(test, bench_send(test, signal.length_us, signal.count), 0);
		KUNIT_EXPECT_FALSE(test, bench->fake.lit);
		oracle_expect(test, signal.length_us, signal.count, &signal.carrier);
	}
}

/* A carrier that the engine makes is not left before the light of its cycle is over. */
static u64 random_bound_ns(u32 bound_us, const struct bench *bench,
			   const struct irtx_carrier *carrier)
{
	return bound_us * NSEC_PER_USEC + BENCH_TICK_NS +
	       (bench->engine.wave ? NSEC_PER_SEC / carrier->hz : 0);
}

/*
 * How late an edge may be: where the timer's interrupt had to be left, by the time
 * for which others are let in then.
 */
static u32 random_late_ns(const struct bench *bench)
{
	if (!bench->fake.irqs_off)
		return 2 * BENCH_THREAD_NS;

	return BENCH_TICK_NS + (bench->engine.choice.hardirq ? 30000 : 0);
}

/*
 * Bounded: interrupts are never off for longer than the bound, and still no edge is
 * late by more than that takes.
 */
static void random_bounded(struct kunit *test)
{
	struct bench *bench = test->priv;
	const struct irtx_log *log = &bench->log;
	struct random_signal signal;
	struct rnd_state rnd;
	unsigned int round;
	u32 bound_us;

	prandom_seed_state(&rnd, 7);
	for (round = 0; round < RANDOM_ROUNDS; round++) {
		random_prepare(test, &rnd, &signal);
		bound_us = random_between(&rnd, 300, 3000);
		bench->engine.settings.max_irqs_off_us = bound_us;
		KUNIT_EXPECT_EQ(test, bench_send(test, signal.length_us, signal.count), 0);
		KUNIT_EXPECT_FALSE(test, bench->fake.lit);
		KUNIT_EXPECT_EQ(test, log->nr, signal.count + 1);
		KUNIT_EXPECT_LE(test, log->irqs_off_longest_ns,
				random_bound_ns(bound_us, bench, &signal.carrier));
		KUNIT_EXPECT_LT(test, irtx_log_worst_ns(log),
				random_late_ns(bench));
	}
}

static struct kunit_case random_tests[] = {
	KUNIT_CASE_PARAM(random_exact, way_gen_params),
	KUNIT_CASE_PARAM(random_bounded, way_gen_params),
	{}
};

static struct kunit_suite random_suite = {
	.name = "irtx_engine_random",
	.init = bench_init,
	.exit = bench_exit,
	.test_cases = random_tests,
};

kunit_test_suite(random_suite);
