// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite of the ways in which a transmission ends before its time: an abort,
 * an emitter that fails, hangs or is slow, a wake-up that is lost, a CPU that is
 * held. None leaves the emitter lit or somebody waiting.
 */

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/sched.h>

#include "engine_bench.h"

/* How long after a pulse was to end the watch steps in, and how often it does */
#define END_WATCH_NS		(900 * NSEC_PER_USEC)

static const unsigned int end_signal_us[] = { 400, 800, 300, 50, 100 };

#define END_EDGES		6
/* 400, 300 and 100 us are 15, 11 and 4 cycles of 38 kHz. */
#define END_SOFT_CALLS		(2 * (15 + 11 + 4))

KUNIT_ARRAY_PARAM(way, bench_ways, bench_way_desc);

static unsigned int end_calls(const struct bench *bench)
{
	return bench->engine.wave ? END_SOFT_CALLS : END_EDGES;
}

static int end_send(struct kunit *test)
{
	return bench_send(test, end_signal_us, ARRAY_SIZE(end_signal_us));
}

/* --- abort --- */

static unsigned int end_abort_at;

static void end_abort(struct fake_emitter *fake, unsigned int nr)
{
	if (nr == end_abort_at)
		WRITE_ONCE(bench_of(fake)->engine.abort, -EINTR);
}

/*
 * Whichever step an abort falls into, one that switches on is followed by the one that
 * switches off, in its time, and nothing else; one after which the signal is over
 * ends nothing.
 */
static void end_abort_everywhere(struct kunit *test)
{
	struct bench *bench = test->priv;
	unsigned int calls;

	bench_set_way(test, test->param_value);
	calls = end_calls(bench);
	bench->fake.at_call = end_abort;
	for (end_abort_at = 0; end_abort_at < calls; end_abort_at++) {
		KUNIT_EXPECT_EQ(test, end_send(test), end_abort_at < calls - 2 ? -EINTR : 0);
		KUNIT_EXPECT_EQ(test, bench->fake.nr, end_abort_at / 2 * 2 + 2);
		KUNIT_EXPECT_LT(test, irtx_log_worst_ns(&bench->log), 2 * BENCH_THREAD_NS);
		KUNIT_EXPECT_FALSE(test, bench->fake.lit);
	}
}

/* What a shutdown asked for before the transmission had begun holds, and for that one. */
static void end_abort_before(struct kunit *test)
{
	struct bench *bench = test->priv;

	bench_set_way(test, test->param_value);
	WRITE_ONCE(bench->engine.abort, -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, end_send(test), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, bench->fake.nr, 0);
	KUNIT_EXPECT_EQ(test, end_send(test), 0);
}

static void end_at_alarm_abort(struct bench *bench)
{
	WRITE_ONCE(bench->engine.abort, -EINTR);
}

/* In the middle of a pulse, by somebody else: it ends in time, and the signal with it. */
static void end_abort_in_pulse(struct kunit *test)
{
	struct bench *bench = test->priv;

	bench_set_way(test, test->param_value);
	bench->engine.settings.max_irqs_off_us = 200;
	bench_set_alarm(test, 0, 100000, end_at_alarm_abort);
	KUNIT_EXPECT_EQ(test, end_send(test), -EINTR);
	KUNIT_EXPECT_FALSE(test, bench->fake.lit);
	KUNIT_EXPECT_LT(test, bench->alarm_ns, bench_due_ns(bench, 1));
	if (bench->engine.wave)
		return;
	KUNIT_EXPECT_EQ(test, bench->fake.nr, 2);
	KUNIT_EXPECT_LT(test, irtx_log_worst_ns(&bench->log), 2 * BENCH_THREAD_NS);
}

/* In a space: nothing is lit any more. */
static void end_abort_in_space(struct kunit *test)
{
	struct bench *bench = test->priv;
	unsigned int calls;

	bench_set_way(test, test->param_value);
	if (bench->engine.settings.mode == IRTX_MODE_BUSY)
		bench->engine.settings.max_irqs_off_us = 200;
	calls = bench->engine.wave ? 2 * 15 : 2;
	bench_set_alarm(test, calls - 1, 100000, end_at_alarm_abort);
	KUNIT_EXPECT_EQ(test, end_send(test), -EINTR);
	KUNIT_EXPECT_EQ(test, bench->fake.nr, calls);
	KUNIT_EXPECT_FALSE(test, bench->fake.lit);
}

/* While a thread waits for the last few us with interrupts on: nothing is lit either. */
static void end_abort_in_wait(struct kunit *test)
{
	static const struct bench_way way = { "", IRTX_MODE_THREAD, BENCH_ALL };
	struct bench *bench = test->priv;

	bench_set_way(test, &way);
	bench->engine.settings.margin_ns = 100000;
	bench_set_alarm(test, 1, 800000 - 50000, end_at_alarm_abort);
	KUNIT_EXPECT_EQ(test, end_send(test), -EINTR);
	KUNIT_EXPECT_EQ(test, bench->fake.nr, 2);
	KUNIT_EXPECT_EQ(test, bench->log.wakeups, 3);
}

/* --- an emitter that fails --- */

static unsigned int end_edges_before(const struct bench *bench, unsigned int call)
{
	static const unsigned int last[END_EDGES] = { 0, 29, 30, 51, 52, 59 };
	unsigned int edges = 0;

	if (!bench->engine.wave)
		return call;
	while (last[edges] < call)
		edges++;

	return edges;
}

/* The first failure ends all; what was measured up to it is there. */
static void end_fail_everywhere(struct kunit *test)
{
	struct bench *bench = test->priv;
	unsigned int call;

	bench_set_way(test, test->param_value);
	for (call = 0; call < end_calls(bench); call++) {
		bench->fake.fail_at = call;
		KUNIT_EXPECT_EQ(test, end_send(test), -EIO);
		KUNIT_EXPECT_EQ(test, bench->fake.nr, call + 1);
		KUNIT_EXPECT_EQ(test, bench->log.nr, end_edges_before(bench, call));
		KUNIT_EXPECT_EQ(test, bench->fake.lit, call % 2);
		bench->fake.lit = false;
	}

	bench->fake.fail_at = FAKE_NEVER;
	KUNIT_EXPECT_EQ(test, end_send(test), 0);
	KUNIT_EXPECT_EQ(test, bench->log.nr, END_EDGES);
}

/* --- a wake-up that is lost --- */

static void end_at_alarm_lose(struct bench *bench)
{
	hrtimer_try_to_cancel(&bench->engine.timer);
}

/* The watch comes 0.9 ms after the end of the pulse that is under way or comes next. */
static void end_lose_timer(struct kunit *test, unsigned int call, u64 after_ns,
			   unsigned int pulse_end)
{
	static const struct bench_way way = { "", IRTX_MODE_HYBRID, BENCH_ALL };
	struct bench *bench = test->priv;
	u64 promised_ns;

	bench_set_way(test, &way);
	bench_set_alarm(test, call, after_ns, end_at_alarm_lose);
	KUNIT_EXPECT_EQ(test, end_send(test), -ETIMEDOUT);
	KUNIT_EXPECT_FALSE(test, bench->fake.lit);
	KUNIT_ASSERT_EQ(test, bench->fake.nr, call + 2);
	KUNIT_EXPECT_FALSE(test, bench->fake.call[call + 1].on);

	promised_ns = bench_due_ns(bench, pulse_end) + END_WATCH_NS;
	KUNIT_EXPECT_GE(test, bench->fake.call[call + 1].begin_ns, promised_ns);
	KUNIT_EXPECT_LE(test, bench->fake.call[call + 1].begin_ns, promised_ns + BENCH_WAKE_NS);
}

static void end_timer_lost_in_pulse(struct kunit *test)
{
	end_lose_timer(test, 0, 100000, 1);
}

static void end_timer_lost_in_space(struct kunit *test)
{
	end_lose_timer(test, 1, 100000, 3);
}

/* --- an emitter that hangs --- */

static DECLARE_COMPLETION(end_released);

static void end_hang(struct fake_emitter *fake, unsigned int nr)
{
	if (nr == 2)
		wait_for_completion(&end_released);
}

static void end_release_at_once(struct fake_emitter *fake)
{
	complete(&end_released);
}

static void end_release_at_last(struct fake_emitter *fake)
{
	if (fake->darks == 3)
		complete(&end_released);
}

static const struct bench_way end_sleeping = { "", IRTX_MODE_THREAD, 0 };

/* It hangs when it is to be lit; the watch puts it out by a worker, until that helps. */
static void end_hang_until(struct kunit *test, unsigned int darks,
			   void (*at_dark)(struct fake_emitter *fake))
{
	struct bench *bench = test->priv;
	u64 promised_ns;

	bench_set_way(test, &end_sleeping);
	reinit_completion(&end_released);
	bench->fake.at_call = end_hang;
	bench->fake.at_dark = at_dark;
	KUNIT_EXPECT_EQ(test, end_send(test), -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, bench->fake.nr, 4);
	KUNIT_EXPECT_FALSE(test, bench->fake.lit);
	KUNIT_EXPECT_EQ(test, bench->fake.darks, darks);

	promised_ns = bench_due_ns(bench, 3) + END_WATCH_NS * darks;
	KUNIT_EXPECT_GE(test, bench->fake.dark_ns, promised_ns);
	KUNIT_EXPECT_LE(test, bench->fake.dark_ns, promised_ns + darks * 2 * BENCH_WAKE_NS);
}

static void end_hangs(struct kunit *test)
{
	end_hang_until(test, 1, end_release_at_once);
}

static void end_hangs_for_long(struct kunit *test)
{
	end_hang_until(test, 4, end_release_at_last);
}

/* --- an emitter that is slow, a CPU that is held --- */

#define END_SLOW_MS		5

static void end_sleep(struct fake_emitter *fake, unsigned int nr)
{
	if (nr == 2)
		msleep(END_SLOW_MS);
}

static void end_spin(struct fake_emitter *fake, unsigned int nr)
{
	if (nr == 2)
		bench_hold(END_SLOW_MS * USEC_PER_MSEC);
}

/* Where interrupts are on, the watch comes while it is being lit, and puts it out. */
static void end_slow(struct kunit *test, const struct bench_way *way,
		     void (*at_call)(struct fake_emitter *fake, unsigned int nr))
{
	struct bench *bench = test->priv;

	bench_set_way(test, way);
	bench->fake.at_call = at_call;
	bench->fake.overtaken = true;
	KUNIT_EXPECT_EQ(test, end_send(test), -ETIMEDOUT);
	KUNIT_EXPECT_FALSE(test, bench->fake.lit);
}

static void end_slow_sleeping(struct kunit *test)
{
	struct bench *bench = test->priv;

	end_slow(test, &end_sleeping, end_sleep);
	KUNIT_EXPECT_GE(test, bench->fake.darks, 1);
	KUNIT_EXPECT_EQ(test, bench->fake.nr, 4);
}

static void end_slow_in_thread(struct kunit *test)
{
	static const struct bench_way way = { "", IRTX_MODE_THREAD, BENCH_ALL };
	struct bench *bench = test->priv;

	end_slow(test, &way, end_spin);
	KUNIT_EXPECT_EQ(test, bench->fake.darks, 0);
	KUNIT_EXPECT_GE(test, bench->fake.nr, 5);
}

/*
 * With interrupts off nothing on this CPU, the only one, can come: it is dark as soon as
 * it can be, the edges' times tell what has happened, and the watch has the last word.
 */
static void end_slow_with_irqs_off(struct kunit *test)
{
	const struct bench_way *way = test->param_value;
	struct bench *bench = test->priv;
	const struct fake_call *call = bench->fake.call;

	bench_set_way(test, way);
	if (way->mode == IRTX_MODE_THREAD || way->hz)
		kunit_skip(test, "for carriers of the hardware, with interrupts off");

	bench->fake.at_call = end_spin;
	KUNIT_EXPECT_EQ(test, end_send(test), -ETIMEDOUT);
	KUNIT_EXPECT_FALSE(test, bench->fake.lit);
	KUNIT_EXPECT_EQ(test, bench->log.nr, END_EDGES);
	KUNIT_EXPECT_GE(test, bench->log.sample[2].late_ns + BENCH_TICK_NS,
			END_SLOW_MS * NSEC_PER_MSEC);
	KUNIT_EXPECT_LE(test, call[3].end_ns - call[2].end_ns, BENCH_TICK_NS);
}

static void end_at_alarm_hold(struct bench *bench)
{
	bench_hold(END_SLOW_MS * USEC_PER_MSEC);
}

/*
 * Somebody holds the only CPU through a space and all pulses behind it. When it is free
 * again the engine's own timer has its turn before the watch, and sends what is left
 * as fast as it can; to a thread that was to be woken the watch comes first. Neither
 * passes for a success.
 */
static void end_held_cpu(struct kunit *test)
{
	static const unsigned int length_us[] = { 400, 800, 300 };
	const struct bench_way *way = test->param_value;
	struct bench *bench = test->priv;

	bench_set_way(test, way);
	bench->engine.settings.max_irqs_off_us = 200;
	bench_set_alarm(test, way->hz ? 2 * 15 - 1 : 1, 100000, end_at_alarm_hold);
	KUNIT_EXPECT_EQ(test, bench_send(test, length_us, ARRAY_SIZE(length_us)), -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, bench->log.nr, bench->engine.choice.hardirq ? 4 : 2);
	KUNIT_EXPECT_FALSE(test, bench->fake.lit);
}

static void end_at_alarm_hold_short(struct bench *bench)
{
	bench_hold(500);
}

/*
 * Somebody holds it for 500 us of a pulse of 2 ms, which is 76 cycles: those whose time has
 * gone by are left out, not sent in a burst, and the pulse ends in time.
 */
static void end_catches_up(struct kunit *test)
{
	static const unsigned int length_us[] = { 2000 };
	const struct bench_way *way = test->param_value;
	struct bench *bench = test->priv;
	const struct fake_call *call = bench->fake.call;
	unsigned int i;

	bench_set_way(test, way);
	if (!way->hz)
		kunit_skip(test, "no cycles to leave out");

	bench->engine.settings.max_irqs_off_us = 200;
	bench->engine.settings.margin_ns = 20000;
	bench_set_alarm(test, 0, 250000, end_at_alarm_hold_short);
	KUNIT_EXPECT_EQ(test, bench_send(test, length_us, 1), 0);
	KUNIT_EXPECT_LE(test, bench->fake.nr, 2 * (76 - 18));
	/* Every 200 us a timer's interrupt is left for as long as a cycle lasts. */
	KUNIT_EXPECT_GE(test, bench->fake.nr, 2 * (76 - (bench->engine.choice.hardirq ? 28 : 20)));
	for (i = 2; i < bench->fake.nr; i += 2)
		KUNIT_EXPECT_GE(test, call[i].begin_ns - call[i - 2].begin_ns,
				NSEC_PER_SEC / BENCH_HZ / 2);
	KUNIT_EXPECT_EQ(test, bench->log.nr, 2);
	KUNIT_EXPECT_LT(test, irtx_log_worst_ns(&bench->log), 2 * BENCH_THREAD_NS);
}

static struct kunit_case end_tests[] = {
	KUNIT_CASE_PARAM(end_abort_everywhere, way_gen_params),
	KUNIT_CASE_PARAM(end_abort_before, way_gen_params),
	KUNIT_CASE_PARAM(end_abort_in_pulse, way_gen_params),
	KUNIT_CASE_PARAM(end_abort_in_space, way_gen_params),
	KUNIT_CASE(end_abort_in_wait),
	KUNIT_CASE_PARAM(end_fail_everywhere, way_gen_params),
	KUNIT_CASE(end_timer_lost_in_pulse),
	KUNIT_CASE(end_timer_lost_in_space),
	KUNIT_CASE(end_hangs),
	KUNIT_CASE(end_hangs_for_long),
	KUNIT_CASE(end_slow_sleeping),
	KUNIT_CASE(end_slow_in_thread),
	KUNIT_CASE_PARAM(end_slow_with_irqs_off, way_gen_params),
	KUNIT_CASE_PARAM(end_held_cpu, way_gen_params),
	KUNIT_CASE_PARAM(end_catches_up, way_gen_params),
	{}
};

static struct kunit_suite end_suite = {
	.name = "irtx_engine_end",
	.init = bench_init,
	.exit = bench_exit,
	.test_cases = end_tests,
};

kunit_test_suite(end_suite);
