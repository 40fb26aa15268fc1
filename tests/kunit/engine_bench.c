// SPDX-License-Identifier: GPL-2.0-only
/*
 * A test bench of the engine: an engine with a fake emitter, which is used the way
 * device.c does.
 */

#include <linux/delay.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "engine_bench.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

const struct bench_way bench_ways[BENCH_WAYS] = {
	{ "busy, carrier of the hardware", IRTX_MODE_BUSY, IRTX_ATOMIC },
	{ "hybrid by timer, carrier of the hardware", IRTX_MODE_HYBRID, BENCH_ALL },
	{ "hybrid by thread, carrier of the hardware", IRTX_MODE_HYBRID, IRTX_ATOMIC },
	{ "thread, carrier of the hardware", IRTX_MODE_THREAD, BENCH_ALL },
	{ "thread that sleeps, carrier of the hardware", IRTX_MODE_THREAD, 0 },
	{ "busy, own carrier", IRTX_MODE_BUSY, IRTX_ATOMIC, BENCH_HZ },
	{ "hybrid by timer, own carrier", IRTX_MODE_HYBRID, BENCH_ALL, BENCH_HZ },
	{ "hybrid by thread, own carrier", IRTX_MODE_HYBRID, IRTX_ATOMIC, BENCH_HZ },
	{ "thread, own carrier", IRTX_MODE_THREAD, BENCH_ALL, BENCH_HZ },
	{ "thread that sleeps, own carrier", IRTX_MODE_THREAD, 0, BENCH_HZ },
};

/**
 * bench_way_desc() - name a row
 * @way: the way to send
 * @desc: its name
 */
void bench_way_desc(const struct bench_way *way, char *desc)
{
	strscpy(desc, way->name, KUNIT_PARAM_DESC_SIZE);
}

static const struct irtx_settings bench_settings = {
	.mode = IRTX_MODE_DEFAULT,
	.cpu = IRTX_CPU_AUTO,
	.margin_max_ns = IRTX_MARGIN_MAX_NS,
	.max_irqs_off_us = IRTX_MAX_IRQS_OFF_US,
	.lead_ns = IRTX_LEAD_LEARNT,
	.priority = IRTX_PRIORITY_FIFO,
};

static enum hrtimer_restart bench_alarm(struct hrtimer *timer)
{
	struct bench *bench = container_of(timer, struct bench, alarm);

	bench->alarm_ns = ktime_get_ns();
	bench->at_alarm(bench);

	return HRTIMER_NORESTART;
}

/**
 * bench_init() - set a bench up
 * @test: the case that gets it as its priv
 *
 * Return: 0, -ENOMEM, or the errno with which the engine cannot start.
 */
int bench_init(struct kunit *test)
{
	struct bench *bench = vzalloc(sizeof(*bench));

	if (!bench)
		return -ENOMEM;

	bench->dev.init_name = "bench";
	fake_init(&bench->fake);
	bench->engine.dev = &bench->dev;
	bench->engine.log = &bench->log;
	bench->engine.settings = bench_settings;
	irtx_engine_take(&bench->engine, &bench->fake.emitter, 0);
	irtx_hrtimer_setup(&bench->alarm, bench_alarm, HRTIMER_MODE_REL_PINNED_HARD);
	test->priv = bench;

	return irtx_engine_start(&bench->engine);
}

/**
 * bench_exit() - take a bench down
 * @test: the case that has it
 */
void bench_exit(struct kunit *test)
{
	struct bench *bench = test->priv;

	if (!bench)
		return;

	if (!IS_ERR_OR_NULL(bench->engine.worker))
		irtx_engine_stop(&bench->engine);
	vfree(bench);
}

/**
 * bench_set_way() - say how to send from now on
 * @test: the case
 * @way: the way
 */
void bench_set_way(struct kunit *test, const struct bench_way *way)
{
	const struct irtx_carrier carrier = { .hz = way->hz, .duty_pct = 50 };
	struct bench *bench = test->priv;

	bench->engine.settings.mode = way->mode;
	bench->fake.emitter.abilities = way->abilities;
	bench->engine.wave = NULL;
	if (!way->hz)
		return;
	irtx_wave_set(&bench->wave, &carrier);
	bench->engine.wave = &bench->wave;
}

static void bench_arm(struct fake_emitter *fake, unsigned int nr)
{
	struct bench *bench = bench_of(fake);

	if (nr == bench->alarm_at_call)
		hrtimer_start(&bench->alarm, ns_to_ktime(bench->alarm_after_ns),
			      HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * bench_set_alarm() - have something happen in the next signal
 * @test: the case
 * @call: the call to the emitter, counted from 0, from which on time is counted
 * @after_ns: how long after it
 * @at_alarm: what happens, in a hard interrupt
 */
void bench_set_alarm(struct kunit *test, unsigned int call, u64 after_ns,
		     void (*at_alarm)(struct bench *bench))
{
	struct bench *bench = test->priv;

	bench->alarm_at_call = call;
	bench->alarm_after_ns = after_ns;
	bench->alarm_ns = 0;
	bench->at_alarm = at_alarm;
	bench->fake.at_call = bench_arm;
}

static void bench_open(struct bench *bench)
{
	struct irtx_engine *engine = &bench->engine;

	memset(engine->log, 0, sizeof(*engine->log));
	engine->choice = irtx_choose(engine->settings.mode, bench->fake.emitter.abilities,
				     &engine->auto_state);
	fake_forget(&bench->fake);
	bench->fake.irqs_off = engine->choice.mode != IRTX_MODE_THREAD;
}

/**
 * bench_send() - send a signal
 * @test: the case; fails when the emitter is misused, also when it is switched
 *	within some ms after the end
 * @length_us: pulse and space lengths
 * @count: how many
 *
 * The light is left as the engine left it.
 *
 * Return: what the engine says.
 */
int bench_send(struct kunit *test, const unsigned int *length_us, unsigned int count)
{
	struct bench *bench = test->priv;
	struct fake_emitter *fake = &bench->fake;
	int ret;

	KUNIT_ASSERT_EQ(test, irtx_plan_set(&bench->engine.plan, length_us, count), 0);
	bench_open(bench);

	fake->sending = true;
	ret = irtx_engine_send(&bench->engine);
	fake->sending = false;
	msleep(20);
	hrtimer_cancel(&bench->alarm);

	if (fake->misuse)
		KUNIT_FAIL(test, "the emitter was %s\n", fake->misuse);
	fake->misuse = NULL;

	return ret;
}

/**
 * bench_hold() - have the CPU for a while
 * @hold_us: so long
 */
void bench_hold(unsigned int hold_us)
{
	udelay(hold_us);
}

/**
 * bench_due_ns() - when an edge of the signal just sent was due
 * @bench: the bench
 * @edge: its number
 *
 * Return: the time on CLOCK_MONOTONIC.
 */
u64 bench_due_ns(const struct bench *bench, unsigned int edge)
{
	return bench->log.start_ns + bench->engine.plan.due_ns[edge];
}
