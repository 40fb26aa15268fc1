// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a signal must look like that met no trouble, worked out from its lengths
 * with exact fractions and no code of the engine's.
 */

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "engine_bench.h"
#include "engine_oracle.h"

/* For a shorter time than this, plus the margin, the CPU is not let go. */
#define ORACLE_REARM_NS		10000

/**
 * struct oracle - how far a signal has been gone through
 * @bench: the bench it was sent on
 * @margin_ns: how much earlier than an edge somebody wakes up for it
 * @lets_go: the CPU is let go between edges that are far apart
 * @window_ns: the emitter is called at most so late
 * @calls: calls to the emitter so far
 * @edges: edges of the signal so far
 * @visits: stretches in which the CPU was not let go
 * @unsure: gaps of which a tick decides whether it is
 * @first_ns: when this stretch began, counted from the first edge
 * @last_ns: when the last step was due
 * @held_ns: how long the stretches were, all in all
 * @longest_ns: the longest of them
 */
struct oracle {
	struct bench *bench;
	u32 margin_ns;
	bool lets_go;
	u32 window_ns;
	unsigned int calls;
	unsigned int edges;
	unsigned int visits;
	unsigned int unsure;
	u64 first_ns;
	u64 last_ns;
	u64 held_ns;
	u64 longest_ns;
};

static u64 oracle_ns(u64 numerator, u64 hz)
{
	return div64_u64(numerator * NSEC_PER_SEC, hz);
}

/* Made of whole cycles, of as many as come nearest to it, but of one at least */
static u32 oracle_cycles(u32 length_us, u32 hz)
{
	return max(1, div_u64((u64)length_us * hz + USEC_PER_SEC / 2, USEC_PER_SEC));
}

static void oracle_end_visit(struct oracle *oracle)
{
	u64 held_ns = oracle->last_ns - oracle->first_ns + oracle->margin_ns;

	oracle->visits++;
	oracle->held_ns += held_ns;
	oracle->longest_ns = max(oracle->longest_ns, held_ns);
}

static void oracle_gap(struct oracle *oracle, u64 due_ns)
{
	u64 gap_ns = due_ns - oracle->last_ns;
	u64 limit_ns = oracle->margin_ns + ORACLE_REARM_NS;

	if (!oracle->lets_go || gap_ns + 2 < limit_ns)
		return;

	oracle->unsure += gap_ns <= limit_ns + 2 * BENCH_WAKE_NS;
	oracle_end_visit(oracle);
	oracle->first_ns = due_ns;
}

/* A carrier in fixed point may be 1 ns early. */
static void oracle_call(struct kunit *test, struct oracle *oracle, u64 due_ns, bool on)
{
	const struct bench *bench = oracle->bench;
	const struct fake_call *call = &bench->fake.call[oracle->calls];
	s64 late_ns = call->begin_ns - bench->log.start_ns - due_ns;

	KUNIT_ASSERT_LT_MSG(test, oracle->calls, bench->fake.nr, "a step is missing");
	oracle->calls++;
	oracle->last_ns = due_ns;
	KUNIT_EXPECT_EQ(test, call->on, on);
	KUNIT_EXPECT_GE(test, late_ns, bench->engine.wave ? -1 : 0);
	KUNIT_EXPECT_LT(test, late_ns, oracle->window_ns);
}

/* What the engine says of an edge is what the emitter saw. */
static void oracle_edge(struct kunit *test, struct oracle *oracle, u64 due_ns, bool on)
{
	const struct bench *bench = oracle->bench;
	const struct irtx_sample *sample = &bench->log.sample[oracle->edges];
	u64 seen_ns;

	oracle_call(test, oracle, due_ns, on);
	seen_ns = bench->fake.call[oracle->calls - 1].end_ns - bench->log.start_ns;
	KUNIT_ASSERT_LT(test, oracle->edges, bench->log.nr);
	oracle->edges++;
	KUNIT_EXPECT_LE(test, due_ns - sample->due_ns, 1);
	KUNIT_EXPECT_GE(test, sample->due_ns + sample->late_ns, seen_ns);
	KUNIT_EXPECT_LE(test, sample->due_ns + sample->late_ns - seen_ns,
			oracle->window_ns - BENCH_TICK_NS);
}

static void oracle_hard_pulse(struct kunit *test, struct oracle *oracle, u64 begin_ns,
			      u64 length_ns)
{
	oracle_gap(oracle, begin_ns);
	oracle_edge(test, oracle, begin_ns, true);
	oracle_gap(oracle, begin_ns + length_ns);
	oracle_edge(test, oracle, begin_ns + length_ns, false);
}

static void oracle_soft_pulse(struct kunit *test, struct oracle *oracle, u64 begin_ns,
			      u32 length_us, const struct irtx_carrier *carrier)
{
	u32 cycles = oracle_cycles(length_us, carrier->hz);
	u64 rise_ns, fall_ns;
	u32 i;

	oracle_gap(oracle, begin_ns);
	oracle_edge(test, oracle, begin_ns, true);
	for (i = 0; i < cycles; i++) {
		rise_ns = begin_ns + oracle_ns(i, carrier->hz);
		fall_ns = begin_ns + oracle_ns(100 * i + carrier->duty_pct, 100ULL * carrier->hz);
		fall_ns = min(fall_ns, begin_ns + (cycles == 1 ? length_us * NSEC_PER_USEC :
						   U32_MAX));
		if (i)
			oracle_call(test, oracle, rise_ns, true);
		if (i < cycles - 1)
			oracle_call(test, oracle, fall_ns, false);
	}
	oracle_edge(test, oracle, fall_ns, false);
}

static void oracle_expect_wakeups(struct kunit *test, const struct oracle *oracle)
{
	const struct irtx_log *log = &oracle->bench->log;
	bool busy = oracle->bench->engine.choice.mode == IRTX_MODE_BUSY;
	unsigned int i;

	KUNIT_EXPECT_LE(test, log->wakeups, busy ? 0 : oracle->visits);
	KUNIT_EXPECT_GE(test, log->wakeups + oracle->unsure, busy ? 0 : oracle->visits);
	KUNIT_EXPECT_EQ(test, log->late_wakeups, 0);
	for (i = 0; i < log->wakeups; i++)
		KUNIT_EXPECT_LT(test, log->wakeup_ns[i], BENCH_WAKE_NS);
}

static void oracle_expect_irqs_off(struct kunit *test, const struct oracle *oracle)
{
	const struct irtx_log *log = &oracle->bench->log;
	u32 slack_ns = BENCH_WAKE_NS + BENCH_TICK_NS;

	if (oracle->bench->engine.choice.mode == IRTX_MODE_THREAD) {
		KUNIT_EXPECT_EQ(test, log->irqs_off_ns, 0);
		return;
	}
	if (oracle->unsure)
		return;

	KUNIT_EXPECT_LT(test, log->irqs_off_longest_ns, oracle->longest_ns + BENCH_TICK_NS);
	KUNIT_EXPECT_GT(test, log->irqs_off_longest_ns + slack_ns, oracle->longest_ns);
	KUNIT_EXPECT_LT(test, log->irqs_off_ns,
			oracle->held_ns + oracle->visits * BENCH_TICK_NS);
	KUNIT_EXPECT_GT(test, log->irqs_off_ns + oracle->visits * slack_ns, oracle->held_ns);
}

static struct oracle oracle_begin(struct bench *bench)
{
	const struct irtx_engine *engine = &bench->engine;
	enum irtx_mode mode = engine->choice.mode;

	return (struct oracle) {
		.bench = bench,
		.margin_ns = engine->settings.margin_ns,
		.lets_go = mode != IRTX_MODE_BUSY,
		.window_ns = mode == IRTX_MODE_THREAD ? BENCH_THREAD_NS : BENCH_TICK_NS,
	};
}

/**
 * oracle_expect() - look at a signal that was sent
 * @test: the case, with a bench whose emitter costs no time and whose margin is
 *	set; the bound on interrupts-off time is far
 * @length_us: what was sent
 * @count: how many lengths
 * @carrier: with this carrier, of which the engine makes it where it has a wave
 *
 * Each step is there and at its tick of the clock, nothing else is, and the CPU was
 * held for as long as that takes.
 */
void oracle_expect(struct kunit *test, const unsigned int *length_us, unsigned int count,
		   const struct irtx_carrier *carrier)
{
	struct bench *bench = test->priv;
	struct oracle oracle = oracle_begin(bench);
	u64 begin_ns = 0;
	unsigned int i;

	for (i = 0; i < count; i += 2) {
		if (bench->engine.wave)
			oracle_soft_pulse(test, &oracle, begin_ns, length_us[i], carrier);
		else
			oracle_hard_pulse(test, &oracle, begin_ns,
					  (u64)length_us[i] * NSEC_PER_USEC);
		if (i + 1 < count)
			begin_ns += ((u64)length_us[i] + length_us[i + 1]) * NSEC_PER_USEC;
	}
	oracle_end_visit(&oracle);

	KUNIT_EXPECT_EQ(test, bench->fake.nr, oracle.calls);
	KUNIT_EXPECT_EQ(test, bench->log.nr, oracle.edges);
	KUNIT_EXPECT_EQ(test, bench->fake.darks, 0);
	oracle_expect_wakeups(test, &oracle);
	oracle_expect_irqs_off(test, &oracle);
}
