// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite of what the engine does around a signal: it measures an emitter, learns
 * from what it has sent, places and ranks its thread, tells tracers, and puts an
 * emitter out in a panic.
 */

#include <linux/sched.h>
#include <linux/string.h>

#include "engine_bench.h"
#include "trace.h"

static const unsigned int learn_signal_us[] = { 400, 800, 300 };

#define LEARN_EDGES		4

static int learn_send(struct kunit *test)
{
	return bench_send(test, learn_signal_us, ARRAY_SIZE(learn_signal_us));
}

static const struct bench_way learn_hybrid = { "", IRTX_MODE_HYBRID, BENCH_ALL };
static const struct bench_way learn_busy = { "", IRTX_MODE_BUSY, BENCH_ALL };

/* --- measuring --- */

static int learn_measure(struct bench *bench)
{
	int ret;

	bench->fake.sending = true;
	ret = irtx_engine_measure(&bench->fake.emitter, &bench->fake.emitter.switch_ns);
	bench->fake.sending = false;

	return ret;
}

static void learn_slower_at_last(struct fake_emitter *fake, unsigned int nr)
{
	if (nr != 11)
		bench_hold(50);
}

/*
 * The least of 16 trials counts, here the 12th. Looks at the clock, the engine's and
 * the emitter's own, make up the rest.
 */
static void learn_measures_least(struct kunit *test)
{
	struct bench *bench = test->priv;

	bench->fake.cost_ns[false] = 10 * BENCH_TICK_NS;
	bench->fake.at_call = learn_slower_at_last;
	KUNIT_EXPECT_EQ(test, learn_measure(bench), 0);
	KUNIT_EXPECT_EQ(test, bench->fake.nr, 16);
	KUNIT_EXPECT_FALSE(test, bench->fake.call[11].on);
	KUNIT_EXPECT_EQ(test, bench->fake.emitter.switch_ns, 13 * BENCH_TICK_NS);
	KUNIT_EXPECT_EQ(test, irtx_engine_step_ns(&bench->fake.emitter),
			13 * BENCH_TICK_NS + 200);
}

static void learn_measure_fails(struct kunit *test)
{
	struct bench *bench = test->priv;

	bench->fake.fail_at = 3;
	KUNIT_EXPECT_EQ(test, learn_measure(bench), -EIO);
	KUNIT_EXPECT_EQ(test, bench->fake.nr, 4);
	KUNIT_EXPECT_EQ(test, bench->fake.emitter.switch_ns, 0);
}

/* --- lead --- */

static void learn_expect_within(struct kunit *test, u32 early_ns, u32 late_ns)
{
	struct bench *bench = test->priv;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, bench->log.nr, LEARN_EDGES);
	for (i = 0; i < LEARN_EDGES; i++) {
		KUNIT_EXPECT_GE(test, bench->log.sample[i].late_ns, -(s32)early_ns);
		KUNIT_EXPECT_LT(test, bench->log.sample[i].late_ns, (s32)late_ns);
	}
}

static void learn_costly(struct kunit *test, const struct bench_way *way)
{
	struct bench *bench = test->priv;

	bench_set_way(test, way);
	bench->fake.cost_ns[true] = 20 * BENCH_TICK_NS;
	bench->fake.cost_ns[false] = 8 * BENCH_TICK_NS;
}

/* The first signal is late by what the calls take, the second no more. */
static void learn_lead(struct kunit *test)
{
	struct bench *bench = test->priv;

	learn_costly(test, &learn_busy);
	KUNIT_EXPECT_EQ(test, learn_send(test), 0);
	KUNIT_EXPECT_EQ(test, bench->log.sample[0].cost_ns, 20 * BENCH_TICK_NS);
	KUNIT_EXPECT_EQ(test, bench->log.sample[1].cost_ns, 8 * BENCH_TICK_NS);
	KUNIT_EXPECT_GE(test, bench->log.sample[0].late_ns, 20 * BENCH_TICK_NS);
	KUNIT_EXPECT_GE(test, bench->log.sample[1].late_ns, 8 * BENCH_TICK_NS);

	irtx_engine_learn(&bench->engine, IRTX_THRESHOLD_DEFAULT_NS);
	KUNIT_EXPECT_EQ(test, learn_send(test), 0);
	learn_expect_within(test, 0, BENCH_TICK_NS);
}

/* What was measured before the first signal is its lead. */
static void learn_lead_measured(struct kunit *test)
{
	struct bench *bench = test->priv;

	irtx_engine_take(&bench->engine, &bench->fake.emitter, 8 * BENCH_TICK_NS);
	learn_costly(test, &learn_busy);
	bench->fake.cost_ns[true] = 8 * BENCH_TICK_NS;
	KUNIT_EXPECT_EQ(test, learn_send(test), 0);
	learn_expect_within(test, 0, BENCH_TICK_NS);
}

static void learn_interrupted(struct fake_emitter *fake, unsigned int nr)
{
	if (nr == 2)
		bench_hold(40);
}

/* A call in which somebody else had the CPU does not count. */
static void learn_lead_interrupted(struct kunit *test)
{
	struct bench *bench = test->priv;

	learn_costly(test, &learn_busy);
	bench->fake.at_call = learn_interrupted;
	KUNIT_EXPECT_EQ(test, learn_send(test), 0);
	KUNIT_EXPECT_GE(test, bench->log.sample[2].late_ns, 40000);

	irtx_engine_learn(&bench->engine, IRTX_THRESHOLD_DEFAULT_NS);
	bench->fake.at_call = NULL;
	KUNIT_EXPECT_EQ(test, learn_send(test), 0);
	learn_expect_within(test, 0, BENCH_TICK_NS);
}

static void learn_lead_fixed(struct kunit *test)
{
	struct bench *bench = test->priv;

	learn_costly(test, &learn_hybrid);
	bench->engine.settings.lead_ns = 4 * BENCH_TICK_NS;
	KUNIT_EXPECT_EQ(test, learn_send(test), 0);
	KUNIT_EXPECT_GE(test, bench->log.sample[0].late_ns, 16 * BENCH_TICK_NS);
	KUNIT_EXPECT_LT(test, bench->log.sample[0].late_ns, 17 * BENCH_TICK_NS);
	KUNIT_EXPECT_GE(test, bench->log.sample[1].late_ns, 4 * BENCH_TICK_NS);
	KUNIT_EXPECT_LT(test, bench->log.sample[1].late_ns, 5 * BENCH_TICK_NS);
}

/* --- lines that move one after another --- */

/* An edge is where the middle line has it, and so much less is led the next time. */
static void learn_skew(struct kunit *test)
{
	struct bench *bench = test->priv;

	learn_costly(test, &learn_busy);
	bench->fake.emitter.skew_ns = 4 * BENCH_TICK_NS;
	KUNIT_EXPECT_EQ(test, learn_send(test), 0);
	KUNIT_EXPECT_EQ(test, bench->log.skew_longest_ns, 4 * BENCH_TICK_NS);
	KUNIT_EXPECT_GE(test, bench->log.sample[0].late_ns, 18 * BENCH_TICK_NS);
	KUNIT_EXPECT_LT(test, bench->log.sample[0].late_ns, 19 * BENCH_TICK_NS);

	irtx_engine_learn(&bench->engine, IRTX_THRESHOLD_DEFAULT_NS);
	KUNIT_EXPECT_EQ(test, learn_send(test), 0);
	learn_expect_within(test, 0, BENCH_TICK_NS);
}

/* --- margin --- */

static void learn_at_alarm_hold(struct bench *bench)
{
	bench_hold(300);
}

/*
 * Somebody has the CPU from 100 us before the timer goes off to 200 us after that: this
 * one edge is late, and the next margin is as large as it may be.
 */
static void learn_margin_rises(struct kunit *test)
{
	struct bench *bench = test->priv;

	bench_set_way(test, &learn_hybrid);
	bench->engine.margin = (struct irtx_margin) { .before_ns = 40000 };
	bench->engine.settings.margin_max_ns = 150000;
	bench_set_alarm(test, 1, 800000 - 50000 - 100000, learn_at_alarm_hold);
	KUNIT_EXPECT_EQ(test, learn_send(test), 0);
	KUNIT_EXPECT_EQ(test, bench->engine.margin_now_ns, 50000);
	KUNIT_EXPECT_EQ(test, bench->log.late_wakeups, 1);
	KUNIT_EXPECT_GE(test, bench->log.sample[2].late_ns, 149000);
	KUNIT_EXPECT_LE(test, bench->log.sample[2].late_ns, 151000);

	bench->fake.at_call = NULL;
	KUNIT_EXPECT_EQ(test, learn_send(test), 0);
	KUNIT_EXPECT_EQ(test, bench->engine.margin_now_ns, 150000);
	learn_expect_within(test, 0, BENCH_TICK_NS);
}

/* On an idle CPU what is left is the floor and a timer's own lateness. */
static void learn_margin_small(struct kunit *test)
{
	struct bench *bench = test->priv;

	bench_set_way(test, &learn_hybrid);
	bench->engine.margin = (struct irtx_margin) {};
	KUNIT_EXPECT_EQ(test, learn_send(test), 0);
	KUNIT_EXPECT_EQ(test, bench->engine.margin_now_ns, IRTX_MARGIN_FLOOR_NS);
	KUNIT_EXPECT_EQ(test, learn_send(test), 0);
	KUNIT_EXPECT_GT(test, bench->engine.margin_now_ns, IRTX_MARGIN_FLOOR_NS);
	KUNIT_EXPECT_LE(test, bench->engine.margin_now_ns,
			IRTX_MARGIN_FLOOR_NS + BENCH_WAKE_NS * 9 / 8);
	learn_expect_within(test, 0, BENCH_TICK_NS);
}

static void learn_margin_fixed(struct kunit *test)
{
	struct bench *bench = test->priv;

	bench_set_way(test, &learn_hybrid);
	bench->engine.settings.margin_ns = 77000;
	KUNIT_EXPECT_EQ(test, learn_send(test), 0);
	KUNIT_EXPECT_EQ(test, bench->engine.margin_now_ns, 77000);
}

/* --- auto --- */

static void learn_lose_edge(struct fake_emitter *fake, unsigned int nr)
{
	if (nr == 1)
		bench_hold(20);
}

static int learn_auto_send(struct kunit *test)
{
	struct bench *bench = test->priv;
	int ret = learn_send(test);

	irtx_engine_learn(&bench->engine, IRTX_THRESHOLD_DEFAULT_NS);

	return ret;
}

/* One lost edge, and 16 signals are sent busy. */
static void learn_auto(struct kunit *test)
{
	struct bench *bench = test->priv;
	unsigned int i;

	bench_set_way(test, &learn_hybrid);
	bench->engine.settings.mode = IRTX_MODE_AUTO;
	bench->engine.settings.lead_ns = 0;
	KUNIT_EXPECT_EQ(test, learn_auto_send(test), 0);
	KUNIT_EXPECT_EQ(test, bench->engine.choice.mode, IRTX_MODE_HYBRID);

	bench->fake.at_call = learn_lose_edge;
	KUNIT_EXPECT_EQ(test, learn_auto_send(test), 0);
	KUNIT_EXPECT_EQ(test, bench->engine.choice.mode, IRTX_MODE_HYBRID);

	bench->fake.at_call = NULL;
	for (i = 0; i < IRTX_AUTO_BUSY_SIGNALS; i++) {
		KUNIT_EXPECT_EQ(test, learn_auto_send(test), 0);
		KUNIT_EXPECT_EQ(test, bench->engine.choice.mode, IRTX_MODE_BUSY);
	}
	KUNIT_EXPECT_EQ(test, learn_auto_send(test), 0);
	KUNIT_EXPECT_EQ(test, bench->engine.choice.mode, IRTX_MODE_HYBRID);
}

/* --- the thread --- */

static unsigned int learn_policy;
static unsigned int learn_priority;

static void learn_note_thread(struct fake_emitter *fake, unsigned int nr)
{
	learn_policy = current->policy;
	learn_priority = current->rt_priority;
}

struct priority_case {
	const char *name;
	enum irtx_priority priority;
	unsigned int policy;
	unsigned int rt_priority;
};

static const struct priority_case priority_cases[] = {
	{ "normal", IRTX_PRIORITY_NORMAL, SCHED_NORMAL, 0 },
	{ "lowest of real time", IRTX_PRIORITY_FIFO_LOW, SCHED_FIFO, 1 },
	{ "middle of real time", IRTX_PRIORITY_FIFO, SCHED_FIFO, MAX_RT_PRIO / 2 },
};

static void priority_case_desc(const struct priority_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(priority, priority_cases, priority_case_desc);

static void learn_ranks_thread(struct kunit *test)
{
	const struct priority_case *c = test->param_value;
	struct bench *bench = test->priv;

	bench_set_way(test, &learn_busy);
	bench->engine.settings.priority = c->priority;
	bench->fake.at_call = learn_note_thread;
	KUNIT_EXPECT_EQ(test, learn_send(test), 0);
	KUNIT_EXPECT_EQ(test, learn_policy, c->policy);
	KUNIT_EXPECT_EQ(test, learn_priority, c->rt_priority);
}

/* The only CPU sends, whichever was asked for. */
static void learn_places_thread(struct kunit *test)
{
	static const int asked[] = { IRTX_CPU_AUTO, 0, 1 };
	struct bench *bench = test->priv;
	unsigned int i;

	bench_set_way(test, &learn_busy);
	for (i = 0; i < ARRAY_SIZE(asked); i++) {
		bench->engine.settings.cpu = asked[i];
		KUNIT_EXPECT_EQ(test, learn_send(test), 0);
		KUNIT_EXPECT_EQ(test, bench->log.cpu, 0);
	}
}

/* --- tracers --- */

static void learn_trace_edge(void *data, unsigned int minor, unsigned int index, bool on,
			     const struct irtx_sample *sample)
{
	unsigned int *seen = data;

	*seen += index == *seen && on == (index % 2 == 0);
}

static void learn_traces(struct kunit *test)
{
	unsigned int seen = 0;

	bench_set_way(test, &learn_hybrid);
	KUNIT_ASSERT_EQ(test, register_trace_irtx_edge(learn_trace_edge, &seen), 0);
	KUNIT_EXPECT_EQ(test, learn_send(test), 0);
	unregister_trace_irtx_edge(learn_trace_edge, &seen);
	tracepoint_synchronize_unregister();
	KUNIT_EXPECT_EQ(test, seen, LEARN_EDGES);
}

/* --- panic --- */

struct panic_case {
	const char *name;
	unsigned int abilities;
	bool switching;
	unsigned int calls;
};

static const struct panic_case panic_cases[] = {
	{ "put out", IRTX_ATOMIC, false, 1 },
	{ "left alone, since it may sleep", 0, false, 0 },
	{ "left alone, since it was being switched", IRTX_ATOMIC, true, 0 },
};

static void panic_case_desc(const struct panic_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(panic, panic_cases, panic_case_desc);

static void learn_panics(struct kunit *test)
{
	const struct panic_case *c = test->param_value;
	struct bench *bench = test->priv;

	bench->fake.emitter.abilities = c->abilities;
	bench->fake.lit = true;
	bench->engine.switching = c->switching;
	irtx_engine_panic(&bench->engine);
	KUNIT_EXPECT_EQ(test, bench->fake.nr, c->calls);
	KUNIT_EXPECT_EQ(test, bench->fake.lit, !c->calls);
}

static struct kunit_case learn_tests[] = {
	KUNIT_CASE(learn_measures_least),
	KUNIT_CASE(learn_measure_fails),
	KUNIT_CASE(learn_lead),
	KUNIT_CASE(learn_lead_measured),
	KUNIT_CASE(learn_lead_interrupted),
	KUNIT_CASE(learn_lead_fixed),
	KUNIT_CASE(learn_skew),
	KUNIT_CASE(learn_margin_rises),
	KUNIT_CASE(learn_margin_small),
	KUNIT_CASE(learn_margin_fixed),
	KUNIT_CASE(learn_auto),
	KUNIT_CASE_PARAM(learn_ranks_thread, priority_gen_params),
	KUNIT_CASE(learn_places_thread),
	KUNIT_CASE(learn_traces),
	KUNIT_CASE_PARAM(learn_panics, panic_gen_params),
	{}
};

static struct kunit_suite learn_suite = {
	.name = "irtx_engine_learn",
	.init = bench_init,
	.exit = bench_exit,
	.test_cases = learn_tests,
};

kunit_test_suite(learn_suite);
