// SPDX-License-Identifier: GPL-2.0-only
/*
 * The engine: sends a planned signal, each edge at its absolute time.
 *
 * Model. The sequencer hands out steps. A visit is a stretch in which the CPU
 * is ours and steps are fired one after another, each after a spin to its exact
 * time; it ends when the next step is far away. What happens between two
 * visits is the mode:
 *
 *	busy	nothing: a signal is one visit, up to the bound on interrupts-off
 *		time, behind which we go on waiting with interrupts on
 *	hybrid	the CPU is let go. A timer, margin before the step is due, makes
 *		the next visit in its hard interrupt handler; or, where the emitter
 *		does not stand that, wakes the sending thread
 *	thread	as the latter, and interrupts stay on during the visit
 *
 * irtx_fire() alone switches the emitter and takes the sample.
 *
 * Beside all that a timer keeps watch, on another CPU where there is one. The
 * engine tells it by when the emitter must be dark again; when that has not
 * happened, since a wake-up was lost or somebody had the CPU for too long, it
 * switches the emitter off and ends the transmission.
 *
 * Units. Times are ns on CLOCK_MONOTONIC. Deadlines are absolute, so an error
 * made at one edge does not move the next. A call to the emitter begins lead
 * before the edge is due, so that the pin moves when it is.
 *
 * Context. irtx_engine_send() runs in process context under the rc device's
 * lock, one at a time for an engine, and hands the signal to the sending
 * thread, which is bound to the CPU that was chosen. From there to the last edge
 * the engine is that thread's and the timer's, which never run at the same
 * time; nothing allocates, prints, takes a sleeping lock or divides 64-bit
 * numbers. The one thing set from outside is abort, by a signal to the process
 * that sends, by the watch and by a shutdown.
 */

#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/processor.h>
#include <linux/sched.h>
#include <linux/sched/isolation.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>

#include "compat.h"
#include "engine.h"
#include "irtx.h"
#include "trace.h"

/*
 * The first edge is due this long after sending begins, and the margin: enough
 * to get into the waiting loop with cold caches, so that it is met like any
 * other.
 */
#define IRTX_HEADSTART_NS	(20 * NSEC_PER_USEC)

/* What it takes to let the CPU go and to be woken again, with nothing to gain */
#define IRTX_REARM_NS		(10 * NSEC_PER_USEC)

/*
 * How long others are let in when the bound on interrupts-off time is reached:
 * longer than a tick, or the timer is due again before its interrupt is left. A
 * wake-up that is further away than the least is no such case.
 */
#define IRTX_BREATH_NS		(30 * NSEC_PER_USEC)
#define IRTX_BREATH_MIN_NS	(5 * NSEC_PER_USEC)

/* The last stretch before a deadline is spent reading the clock */
#define IRTX_SPIN_NS		(4 * NSEC_PER_USEC)

/* The watch steps in, and looks again, this long after a pulse: all is dark 1 ms after it */
#define IRTX_WATCH_NS		(900 * NSEC_PER_USEC)

/* How often an emitter is switched to find out how long that takes */
#define IRTX_TRIALS		16

/* What the engine itself does from one step to the next, with head-room */
#define IRTX_STEP_NS		200

/* udelay() is not made for more than this at once (ARM stops at 2 ms) */
#define IRTX_UDELAY_MAX_US	1000

/* Another CPU, which the administrator has not isolated; or, if there is none, this. */
static int irtx_free_cpu_but(int this_cpu)
{
	const struct cpumask *free = housekeeping_cpumask(HK_TYPE_DOMAIN);
	int cpu;

	for_each_cpu_and(cpu, cpu_online_mask, free)
		if (cpu != this_cpu)
			return cpu;

	return this_cpu;
}

static u64 irtx_now_ns(void)
{
	return ktime_get_ns();
}

/*
 * Each udelay() takes about half of what is left (a shift by 11 is a division
 * by 2048), so that one which is off by nearly a factor of two, as where it
 * counts loops instead of reading a clock, cannot make us miss the deadline.
 * Takes a time read just before, returns the one at which the wait was over.
 */
static u64 irtx_wait_busy(u64 now_ns, u64 due_ns)
{
	s64 left_ns;

	while ((left_ns = due_ns - now_ns) > 0) {
		if (left_ns > IRTX_SPIN_NS)
			udelay(min_t(s64, left_ns >> 11, IRTX_UDELAY_MAX_US));
		else
			cpu_relax();
		now_ns = irtx_now_ns();
	}

	return now_ns;
}

static s32 irtx_late_ns(u64 done_ns, u64 due_ns)
{
	return clamp_t(s64, done_ns - due_ns, S32_MIN, S32_MAX);
}

/* An edge is where the middle one of the emitter's lines has it. */
static void irtx_sample_edge(struct irtx_engine *engine, u64 begin_ns, u64 done_ns)
{
	const struct irtx_step *step = &engine->step;
	u32 skew_ns = engine->emitter->skew_ns;
	struct irtx_log *log = engine->log;
	struct irtx_sample *sample = &log->sample[log->nr];

	sample->due_ns = step->due_ns;
	sample->late_ns = irtx_late_ns(done_ns - skew_ns / 2, log->start_ns + step->due_ns);
	sample->cost_ns = irtx_late_ns(done_ns, begin_ns);
	irtx_log_skew(log, skew_ns);
	trace_irtx_edge(engine->minor, log->nr, step->on, sample);
	log->nr++;
}

/*
 * The one place where an emitter is switched during a signal. Takes the time at
 * which it begins and makes it that at which it is done.
 */
static int irtx_fire(struct irtx_engine *engine, u64 *now_ns)
{
	struct irtx_emitter *emitter = engine->emitter;
	u64 begin_ns = *now_ns;
	int ret;

	WRITE_ONCE(engine->switching, true);
	ret = emitter->ops->set(emitter, engine->step.on);
	WRITE_ONCE(engine->switching, false);
	*now_ns = irtx_now_ns();

	if (!ret && engine->step.envelope)
		irtx_sample_edge(engine, begin_ns, *now_ns);

	return ret;
}

static void irtx_arm_watch(void *data)
{
	struct irtx_engine *engine = data;

	hrtimer_start(&engine->watch, ns_to_ktime(atomic64_read(&engine->dark_by_ns)),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * Promise by when the pulse that comes next is over; the watch steps in if it is
 * not. Another CPU's watch finds the promise when it looks. On our own a timer that
 * goes off for nothing would harm an edge, so it is put off before it does.
 */
static void irtx_renew_promise(struct irtx_engine *engine)
{
	u64 rounding_ns = engine->wave ? engine->wave->period_q32 >> 33 : 0;

	atomic64_set(&engine->dark_by_ns, engine->log->start_ns +
		     engine->plan.due_ns[engine->seq.edge] + rounding_ns + IRTX_WATCH_NS);
	if (engine->watch_here)
		irtx_arm_watch(engine);
}

/* When the call for the next step must begin */
static u64 irtx_begin_ns(const struct irtx_engine *engine)
{
	return engine->log->start_ns + engine->step.due_ns -
	       engine->lead_now_ns[engine->step.on];
}

static u64 irtx_wake_ns(const struct irtx_engine *engine)
{
	return irtx_begin_ns(engine) - engine->margin_now_ns;
}

/* Does the next step belong to a carrier that we make, inside a pulse? */
static bool irtx_in_carrier(const struct irtx_engine *engine)
{
	return engine->wave && !(engine->step.on && engine->step.envelope);
}

/*
 * Until when does the next step hold the CPU? A pulse with a carrier that we make
 * holds it to its end, so that it is left before it begins and not amid cycles.
 */
static u64 irtx_held_until_ns(const struct irtx_engine *engine)
{
	const struct irtx_seq *seq = &engine->seq;

	if (engine->wave && !irtx_in_carrier(engine))
		return engine->log->start_ns + seq->plan->due_ns[seq->edge];

	return irtx_begin_ns(engine);
}

/*
 * Is the next step too near to let the CPU go before it? Behind the bound on
 * interrupts-off time it is let go all the same: right after an edge, so that
 * handlers which are shorter than the segment harm no edge. A carrier that we
 * make is left nowhere else, and only while it is dark.
 */
static bool irtx_stays(const struct irtx_engine *engine, u64 visit_ns, u64 now_ns)
{
	u64 held_ns = irtx_held_until_ns(engine) - visit_ns;
	bool within = (s64)held_ns <= (s64)engine->bound_ns;

	if (irtx_in_carrier(engine))
		return within || !engine->step.on;
	if (!within)
		return false;

	return held_ns <= engine->hold_ns ||
	       (s64)(irtx_wake_ns(engine) - now_ns) <= (s64)IRTX_REARM_NS;
}

/* Carrier cycles whose time has gone by while others had the CPU are left out. */
static void irtx_catch_up(struct irtx_engine *engine, u64 now_ns)
{
	s64 into_ns = now_ns - engine->log->start_ns;

	if (engine->wave && into_ns > 0)
		irtx_seq_catch_up(&engine->seq, &engine->step, min_t(s64, into_ns, U32_MAX));
}

/*
 * An abort ends a signal before the emitter is lit again: at the end of a pulse, or
 * of the light of a carrier cycle that we make.
 */
static bool irtx_ends(struct irtx_engine *engine)
{
	if (engine->step.on)
		engine->result = READ_ONCE(engine->abort);

	return engine->result;
}

/*
 * Fire the next step, and those that are near behind it. The CPU is ours.
 * Returns false when the signal is over.
 */
static bool irtx_visit(struct irtx_engine *engine)
{
	u64 visit_ns = irtx_now_ns();
	u64 now_ns = visit_ns;

	do {
		if (irtx_ends(engine))
			return false;
		irtx_catch_up(engine, now_ns);
		now_ns = irtx_wait_busy(now_ns, irtx_begin_ns(engine));
		if (irtx_ends(engine))
			return false;
		engine->result = irtx_fire(engine, &now_ns);
		if (engine->result || !irtx_seq_next(&engine->seq, &engine->step))
			return false;
		if (engine->step.on && engine->step.envelope)
			irtx_renew_promise(engine);
	} while (irtx_stays(engine, visit_ns, now_ns));

	return true;
}

static bool irtx_visit_irqs_off(struct irtx_engine *engine)
{
	struct irtx_log *log = engine->log;
	unsigned long flags;
	u64 off_ns;
	bool more;

	/* local_irq_save() alone would not keep a might_sleep() from rescheduling */
	preempt_disable();
	local_irq_save(flags);
	off_ns = irtx_now_ns();
	more = irtx_visit(engine);
	irtx_log_irqs_off(log, irtx_now_ns() - off_ns);
	local_irq_restore(flags);
	preempt_enable();

	return more;
}

/* A wake-up that came after its step was to begin has cost that step its edge. */
static void irtx_woke(struct irtx_engine *engine, u64 asked_ns)
{
	u32 latency_ns = clamp_t(s64, irtx_now_ns() - asked_ns, 0, S32_MAX);

	irtx_margin_learn(&engine->margin, latency_ns);
	irtx_log_wakeup(engine->log, latency_ns, latency_ns > engine->margin_now_ns);
}

/* --- busy --- */

static void irtx_run_busy(struct irtx_engine *engine)
{
	bool more;

	preempt_disable();
	do {
		irtx_wait_busy(irtx_now_ns(), irtx_wake_ns(engine));
		more = irtx_visit_irqs_off(engine);
	} while (more);
	preempt_enable();
}

/* --- hybrid by the timer's interrupt --- */

/* A time that is past would keep us in the interrupt that we want to leave. */
static u64 irtx_next_wake_ns(const struct irtx_engine *engine)
{
	u64 wake_ns = irtx_wake_ns(engine);
	u64 now_ns = irtx_now_ns();

	return (s64)(wake_ns - now_ns) > (s64)IRTX_BREATH_MIN_NS ? wake_ns :
								   now_ns + IRTX_BREATH_NS;
}

static enum hrtimer_restart irtx_timer(struct hrtimer *timer)
{
	struct irtx_engine *engine = container_of(timer, struct irtx_engine, timer);

	irtx_woke(engine, ktime_to_ns(hrtimer_get_expires(timer)));
	if (!irtx_visit_irqs_off(engine)) {
		complete(&engine->timer_done);
		return HRTIMER_NORESTART;
	}

	hrtimer_set_expires(timer, ns_to_ktime(irtx_next_wake_ns(engine)));

	return HRTIMER_RESTART;
}

static void irtx_run_timer(struct irtx_engine *engine)
{
	reinit_completion(&engine->timer_done);
	hrtimer_start(&engine->timer, ns_to_ktime(irtx_wake_ns(engine)),
		      HRTIMER_MODE_ABS_PINNED_HARD);
	wait_for_completion(&engine->timer_done);
	hrtimer_cancel(&engine->timer);
}

/* --- hybrid by the thread, and thread --- */

static void irtx_sleep_until(struct irtx_engine *engine, u64 wake_ns)
{
	ktime_t expires = ns_to_ktime(wake_ns);

	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_hrtimeout_range(&expires, 0, HRTIMER_MODE_ABS);
	irtx_woke(engine, wake_ns);
}

static void irtx_run_thread(struct irtx_engine *engine,
			    bool (*visit)(struct irtx_engine *engine))
{
	do
		irtx_sleep_until(engine, irtx_wake_ns(engine));
	while (visit(engine));
}

/* --- the watch --- */

static void irtx_douse(struct work_struct *work)
{
	struct irtx_engine *engine = container_of(work, struct irtx_engine, douse);

	engine->emitter->ops->dark(engine->emitter);
}

/*
 * The emitter may be in the middle of a call on the CPU in trouble. What comes of
 * both is put right by dark() when the transmission has ended.
 */
static void irtx_step_in(struct irtx_engine *engine)
{
	struct irtx_emitter *emitter = engine->emitter;

	WRITE_ONCE(engine->abort, -ETIMEDOUT);
	if (emitter->abilities & IRTX_HARDIRQ)
		emitter->ops->set(emitter, false);
	else
		queue_work(system_highpri_wq, &engine->douse);

	complete(&engine->timer_done);
	wake_up_process(engine->task);
}

static enum hrtimer_restart irtx_watch(struct hrtimer *timer)
{
	struct irtx_engine *engine = container_of(timer, struct irtx_engine, watch);
	u64 look_again_ns = atomic64_read(&engine->dark_by_ns);
	u64 now_ns = irtx_now_ns();

	if ((s64)(look_again_ns - now_ns) <= 0) {
		irtx_step_in(engine);
		look_again_ns = now_ns + IRTX_WATCH_NS;
	}
	hrtimer_set_expires(timer, ns_to_ktime(look_again_ns));

	return HRTIMER_RESTART;
}

/* The first promise gives us the time to make the one that counts. */
static void irtx_begin_watch_on_cpu(void *data)
{
	struct irtx_engine *engine = data;

	atomic64_set(&engine->dark_by_ns, irtx_now_ns() + IRTX_WATCH_NS);
	irtx_arm_watch(engine);
}

/*
 * The CPU that sends may be the one that is in trouble. The other one may take
 * its time to answer, so this comes before the signal's start is fixed.
 */
static void irtx_begin_watch(struct irtx_engine *engine)
{
	int cpu = irtx_free_cpu_but(engine->log->cpu);

	engine->watch_here = cpu == engine->log->cpu ||
			     smp_call_function_single(cpu, irtx_begin_watch_on_cpu, engine, true);
	if (engine->watch_here)
		irtx_begin_watch_on_cpu(engine);
}

static void irtx_end_watch(struct irtx_engine *engine)
{
	hrtimer_cancel(&engine->watch);
	cancel_work_sync(&engine->douse);
}

/* --- a transmission --- */

static void irtx_run(struct irtx_engine *engine)
{
	if (engine->choice.mode == IRTX_MODE_BUSY)
		irtx_run_busy(engine);
	else if (engine->choice.mode == IRTX_MODE_THREAD)
		irtx_run_thread(engine, irtx_visit);
	else if (engine->choice.hardirq)
		irtx_run_timer(engine);
	else
		irtx_run_thread(engine, irtx_visit_irqs_off);
}

static u64 irtx_bound_ns(const struct irtx_engine *engine)
{
	u32 max_us = engine->settings.max_irqs_off_us;

	return max_us && engine->choice.mode != IRTX_MODE_THREAD ?
	       (u64)max_us * NSEC_PER_USEC : S64_MAX;
}

/* Busy mode comes back from interrupts, which no latency seen so far bounds. */
static u32 irtx_choose_margin_ns(const struct irtx_engine *engine)
{
	const struct irtx_settings *settings = &engine->settings;

	if (settings->margin_ns)
		return settings->margin_ns;
	if (engine->choice.mode == IRTX_MODE_BUSY)
		return settings->margin_max_ns;

	return irtx_margin_ns(&engine->margin, settings->margin_max_ns);
}

static void irtx_choose_lead(struct irtx_engine *engine)
{
	int on;

	for (on = 0; on <= 1; on++)
		engine->lead_now_ns[on] = engine->settings.lead_ns == IRTX_LEAD_LEARNT ?
			irtx_lead_ns(&engine->lead, on) : engine->settings.lead_ns;
}

static void irtx_prepare(struct irtx_engine *engine)
{
	engine->result = 0;
	engine->bound_ns = irtx_bound_ns(engine);
	engine->margin_now_ns = min_t(u64, irtx_choose_margin_ns(engine), engine->bound_ns);
	engine->hold_ns = engine->choice.mode == IRTX_MODE_BUSY ? engine->bound_ns : 0;
	irtx_choose_lead(engine);
	irtx_seq_start(&engine->seq, &engine->plan, engine->wave);
	irtx_seq_next(&engine->seq, &engine->step);
}

/*
 * What the watch has ended may have come to its last edge all the same, or have lost the
 * timer that would have noticed.
 */
static int irtx_outcome(const struct irtx_engine *engine)
{
	int abort = READ_ONCE(engine->abort);
	bool whole = engine->log->nr == engine->plan.nr_edges;

	if (engine->result || (whole && abort != -ETIMEDOUT))
		return engine->result;

	return abort;
}

static void irtx_transmit(struct kthread_work *work)
{
	struct irtx_engine *engine = container_of(work, struct irtx_engine, work);

	irtx_prepare(engine);
	cpu_latency_qos_add_request(&engine->qos, 0);
	irtx_begin_watch(engine);
	engine->log->start_ns = irtx_now_ns() + engine->margin_now_ns +
				engine->lead_now_ns[true] + IRTX_HEADSTART_NS;
	irtx_renew_promise(engine);
	irtx_run(engine);
	irtx_end_watch(engine);
	engine->result = irtx_outcome(engine);
	cpu_latency_qos_remove_request(&engine->qos);
	complete(&engine->sent);
}

/* --- the sending thread --- */

/*
 * Boards route their interrupts to the boot CPU, so where there is another one,
 * that one sends.
 */
static int irtx_auto_cpu(void)
{
	return irtx_free_cpu_but(cpumask_first(cpu_present_mask));
}

/* Where the CPU that was asked for is not there the automatic choice sends. */
static int irtx_choose_cpu(const struct irtx_engine *engine)
{
	int asked = engine->settings.cpu;
	int cpu = irtx_auto_cpu();

	if (asked == IRTX_CPU_AUTO)
		return cpu;
	if (cpu_online(asked))
		return asked;
	dev_warn_ratelimited(engine->dev, "CPU %d is offline, so CPU %d sends\n", asked, cpu);

	return cpu;
}

static void irtx_place(struct irtx_engine *engine)
{
	int cpu = irtx_choose_cpu(engine);

	engine->log->cpu = cpu;
	set_cpus_allowed_ptr(engine->task, cpumask_of(cpu));
}

static void irtx_set_priority(struct irtx_engine *engine)
{
	struct task_struct *task = engine->task;

	if (engine->settings.priority == IRTX_PRIORITY_FIFO)
		sched_set_fifo(task);
	else if (engine->settings.priority == IRTX_PRIORITY_FIFO_LOW)
		sched_set_fifo_low(task);
	else
		sched_set_normal(task, 0);
}

/**
 * irtx_engine_start() - get an engine ready to send
 * @engine: the engine, its emitter and its device filled in
 *
 * Context: Process, may sleep.
 * Return: 0, or the errno with which the thread could not be created.
 */
int irtx_engine_start(struct irtx_engine *engine)
{
	irtx_margin_reset(&engine->margin);
	init_completion(&engine->sent);
	init_completion(&engine->timer_done);
	irtx_hrtimer_setup(&engine->timer, irtx_timer, HRTIMER_MODE_ABS_PINNED_HARD);
	irtx_hrtimer_setup(&engine->watch, irtx_watch, HRTIMER_MODE_ABS_PINNED_HARD);
	INIT_WORK(&engine->douse, irtx_douse);
	kthread_init_work(&engine->work, irtx_transmit);
	engine->worker = kthread_create_worker(0, "irtx/%s", dev_name(engine->dev));
	if (IS_ERR(engine->worker))
		return PTR_ERR(engine->worker);

	/* If an emitter's driver crashes, the watch outlives the thread. */
	engine->task = get_task_struct(engine->worker->task);

	return 0;
}

/**
 * irtx_engine_stop() - end an engine
 * @engine: the engine, with no transmission under way
 *
 * Context: Process, may sleep.
 */
void irtx_engine_stop(struct irtx_engine *engine)
{
	kthread_destroy_worker(engine->worker);
	put_task_struct(engine->task);
}

/**
 * irtx_engine_measure() - find out how long switching an emitter takes
 * @emitter: the emitter, dark, with its lines selected; it stays dark
 * @switch_ns: set to the time in ns
 *
 * The least of some trials is what the switching itself takes; what interrupts
 * add to the others is not of interest here.
 *
 * Context: Process, may sleep if the emitter may.
 * Return: 0, or the errno with which the emitter failed.
 */
int irtx_engine_measure(struct irtx_emitter *emitter, u32 *switch_ns)
{
	u64 least_ns = U32_MAX;
	u64 begin_ns;
	int i, ret;

	for (i = 0; i < IRTX_TRIALS; i++) {
		begin_ns = irtx_now_ns();
		ret = emitter->ops->set(emitter, false);
		if (ret)
			return ret;
		least_ns = min(least_ns, irtx_now_ns() - begin_ns);
	}
	*switch_ns = least_ns;

	return 0;
}

/**
 * irtx_engine_step_ns() - the shortest time between two steps that is kept
 * @emitter: the emitter, measured
 *
 * Context: Any.
 * Return: the time in ns.
 */
u32 irtx_engine_step_ns(const struct irtx_emitter *emitter)
{
	return emitter->switch_ns + IRTX_STEP_NS;
}

/**
 * irtx_engine_take() - send with this emitter from now on
 * @engine: the engine, with no transmission under way
 * @emitter: the emitter
 * @switch_ns: what switching the selected lines takes; 0 where that is not known
 *
 * Context: Process.
 */
void irtx_engine_take(struct irtx_engine *engine, struct irtx_emitter *emitter, u32 switch_ns)
{
	engine->emitter = emitter;
	engine->lead = (struct irtx_lead) {};
	irtx_lead_learn(&engine->lead, true, switch_ns, 1);
	irtx_lead_learn(&engine->lead, false, switch_ns, 1);
}

/**
 * irtx_engine_send() - send the planned signal
 * @engine: the engine: its emitter tuned, its plan and settings filled in, its
 *	mode chosen and its log empty
 *
 * What was measured is in the engine's log afterwards, up to the edge that
 * failed. The emitter may be on then; the caller switches it off. A fatal signal
 * ends the transmission before the emitter is lit again.
 *
 * Context: Process, may sleep.
 * Return: 0, -EINTR after a fatal signal, -ETIMEDOUT when the watch stepped in,
 * -ESHUTDOWN when the machine goes down, or the errno with which the emitter failed.
 */
int irtx_engine_send(struct irtx_engine *engine)
{
	reinit_completion(&engine->sent);
	irtx_set_priority(engine);
	irtx_place(engine);
	kthread_queue_work(engine->worker, &engine->work);
	if (wait_for_completion_killable(&engine->sent)) {
		WRITE_ONCE(engine->abort, -EINTR);
		wait_for_completion(&engine->sent);
	}
	/* not before: a shutdown may have asked for the end of what had not begun */
	WRITE_ONCE(engine->abort, 0);

	return engine->result;
}

/**
 * irtx_engine_panic() - switch the emitter off, since the machine stops
 * @engine: the engine, whatever it is doing
 *
 * A PWM goes on without a kernel. An emitter that was being switched when all
 * stopped may hold a lock that nobody will give back, so it is left alone.
 *
 * Context: Panic: interrupts off, other CPUs stopped.
 */
void irtx_engine_panic(struct irtx_engine *engine)
{
	struct irtx_emitter *emitter = engine->emitter;

	if ((emitter->abilities & IRTX_ATOMIC) && !READ_ONCE(engine->switching))
		emitter->ops->set(emitter, false);
}

/* What a call takes when nothing gets in between */
static s32 irtx_least_cost_ns(const struct irtx_log *log, bool on)
{
	s32 least_ns = S32_MAX;
	unsigned int i;

	for (i = !on; i < log->nr; i += 2)
		least_ns = min(least_ns, log->sample[i].cost_ns);

	return least_ns;
}

/*
 * A call in which somebody else had the CPU says nothing of the emitter, and
 * one alone would move the edges of the next signals: it is left out.
 */
static void irtx_learn_lead(struct irtx_engine *engine, bool on)
{
	const struct irtx_log *log = engine->log;
	s64 least_ns = irtx_least_cost_ns(log, on);
	s64 skew_ns = min_t(s64, log->skew_longest_ns, least_ns);
	unsigned int i, calls = 0;
	u64 cost_ns = 0;

	for (i = !on; i < log->nr; i += 2) {
		if (log->sample[i].cost_ns > 2 * least_ns)
			continue;
		cost_ns += log->sample[i].cost_ns - skew_ns / 2;
		calls++;
	}

	irtx_lead_learn(&engine->lead, on, cost_ns, calls);
}

/**
 * irtx_engine_learn() - learn from the transmission that has ended
 * @engine: the engine, with the transmission's log
 * @threshold_ns: an edge that was off by this much or more was lost
 *
 * Context: Process.
 */
void irtx_engine_learn(struct irtx_engine *engine, u32 threshold_ns)
{
	if (!engine->log->error) {
		irtx_learn_lead(engine, true);
		irtx_learn_lead(engine, false);
	}

	if (engine->settings.mode != IRTX_MODE_AUTO)
		engine->auto_state.busy_left = 0;
	else if (engine->choice.mode != IRTX_MODE_THREAD &&
		 irtx_auto_learn(&engine->auto_state,
				 irtx_log_worst_ns(engine->log) >= threshold_ns))
		trace_irtx_auto(engine->minor, engine->auto_state.busy_left);
}
