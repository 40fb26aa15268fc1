// SPDX-License-Identifier: GPL-2.0-only
/*
 * The engine: sends a planned signal, each edge at its absolute time.
 *
 * Model. The sequencer hands out steps, a mode waits for each of them in its
 * own way, and irtx_fire() alone switches the emitter and takes the sample.
 *
 * Units. Times are ns on CLOCK_MONOTONIC. Deadlines are absolute, so an error
 * made at one edge does not move the next.
 *
 * Context. irtx_engine_send() runs in process context under the rc device's
 * lock, one at a time for an engine. Between the first and the last edge
 * nothing allocates, prints, takes a sleeping lock or divides 64-bit numbers.
 */

#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/processor.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>

#include "engine.h"
#include "irtx.h"
#include "seq.h"
#include "trace.h"

/*
 * The first edge is due this long after sending begins: enough to get into the
 * waiting loop with cold caches, so that it is met like any other.
 */
#define IRTX_HEADSTART_NS	(20 * NSEC_PER_USEC)

/* The last stretch before a deadline is spent reading the clock */
#define IRTX_SPIN_NS		(4 * NSEC_PER_USEC)

/* udelay() is not made for more than this at once (ARM stops at 2 ms) */
#define IRTX_UDELAY_MAX_US	1000

static u64 irtx_now_ns(void)
{
	return ktime_get_ns();
}

/*
 * Each udelay() takes about half of what is left (a shift by 11 is a division
 * by 2048), so that one which is off by nearly a factor of two, as where it
 * counts loops instead of reading a clock, cannot make us miss the deadline.
 * Returns the time at which the wait was over.
 */
static u64 irtx_wait_busy(u64 due_ns)
{
	u64 now_ns;
	s64 left_ns;

	while ((left_ns = due_ns - irtx_now_ns()) > IRTX_SPIN_NS)
		udelay(min_t(s64, left_ns >> 11, IRTX_UDELAY_MAX_US));

	while ((now_ns = irtx_now_ns()) < due_ns)
		cpu_relax();

	return now_ns;
}

static s32 irtx_late_ns(u64 done_ns, u64 due_ns)
{
	return clamp_t(s64, done_ns - due_ns, S32_MIN, S32_MAX);
}

static void irtx_sample_edge(struct irtx_engine *engine,
			     const struct irtx_step *step, u64 begin_ns,
			     u64 done_ns)
{
	struct irtx_sample *sample = &engine->log->sample[engine->log->nr];

	sample->due_ns = step->due_ns;
	sample->late_ns = irtx_late_ns(done_ns, engine->log->start_ns + step->due_ns);
	sample->cost_ns = done_ns - begin_ns;
	trace_irtx_edge(engine->minor, engine->log->nr, step->on, sample);
	engine->log->nr++;
}

/* The one place where an emitter is switched during a signal */
static int irtx_fire(struct irtx_engine *engine, const struct irtx_step *step,
		     u64 begin_ns)
{
	const struct irtx_desc *desc = engine->desc;
	u64 done_ns;
	int ret;

	ret = desc->ops->set(desc->emitter, step->on);
	done_ns = irtx_now_ns();

	if (!ret && step->envelope)
		irtx_sample_edge(engine, step, begin_ns, done_ns);

	return ret;
}

static int irtx_run_steps(struct irtx_engine *engine)
{
	struct irtx_step step;
	struct irtx_seq seq;
	u64 begin_ns;
	int ret = 0;

	irtx_seq_start(&seq, &engine->plan, engine->wave);
	while (!ret && irtx_seq_next(&seq, &step)) {
		begin_ns = irtx_wait_busy(engine->log->start_ns + step.due_ns);
		ret = irtx_fire(engine, &step, begin_ns);
	}

	return ret;
}

static int irtx_run_busy(struct irtx_engine *engine)
{
	struct irtx_log *log = engine->log;
	unsigned long flags;
	u64 off_ns;
	int ret;

	/* local_irq_save() alone would not keep a might_sleep() from rescheduling */
	preempt_disable();
	local_irq_save(flags);
	off_ns = irtx_now_ns();
	log->start_ns = off_ns + IRTX_HEADSTART_NS;
	ret = irtx_run_steps(engine);
	log->irqs_off_ns = irtx_now_ns() - off_ns;
	log->irqs_off_longest_ns = log->irqs_off_ns;
	local_irq_restore(flags);
	preempt_enable();

	return ret;
}

const struct irtx_mode irtx_mode_busy = {
	.name = "busy",
	.why = "the emitter can be switched with interrupts off",
	.run = irtx_run_busy,
};

/**
 * irtx_engine_dark() - switch the emitter off, whatever state it is in
 * @engine: the engine
 *
 * Every way out of a transmission comes through here.
 *
 * Context: Process, may sleep.
 * Return: 0, or the errno with which the emitter failed: it may be lit.
 */
int irtx_engine_dark(struct irtx_engine *engine)
{
	return engine->desc->ops->dark(engine->desc->emitter);
}

/**
 * irtx_engine_send() - send the planned signal
 * @engine: the engine, its emitter tuned, its plan filled in and its log empty
 *
 * What was measured is in the engine's log afterwards, up to the edge that
 * failed. The emitter is dark afterwards.
 *
 * Context: Process, may sleep.
 * Return: 0, or the errno with which the emitter failed.
 */
int irtx_engine_send(struct irtx_engine *engine)
{
	int ret, dark;

	ret = engine->mode->run(engine);
	dark = irtx_engine_dark(engine);

	return ret ?: dark;
}
