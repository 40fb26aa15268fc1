/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The engine: sends a planned signal, each edge at its absolute time.
 */
#ifndef IRTX_ENGINE_H
#define IRTX_ENGINE_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/pm_qos.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "adapt.h"
#include "mode.h"
#include "plan.h"
#include "seq.h"
#include "stats.h"

struct device;
struct irtx_emitter;
struct irtx_wave;

#define IRTX_CPU_AUTO		-1
#define IRTX_LEAD_LEARNT	-1

/* Default bound on busy mode's interrupts-off stretches, and its limit */
#define IRTX_MAX_IRQS_OFF_US	10000
#define IRTX_IRQS_OFF_LIMIT_US	1000000

/**
 * enum irtx_priority - priorities of the sending thread
 * @IRTX_PRIORITY_NORMAL: SCHED_NORMAL
 * @IRTX_PRIORITY_FIFO_LOW: SCHED_FIFO, below all other real-time threads
 * @IRTX_PRIORITY_FIFO: SCHED_FIFO, in the middle
 * @IRTX_PRIORITIES: how many there are
 *
 * The kernel lets a module give no others (sched_set_fifo() and its kin).
 */
enum irtx_priority {
	IRTX_PRIORITY_NORMAL,
	IRTX_PRIORITY_FIFO_LOW,
	IRTX_PRIORITY_FIFO,
	IRTX_PRIORITIES
};

/**
 * struct irtx_settings - what a user can set
 * @mode: mode that is asked for, an enum irtx_mode
 * @cpu: CPU that sends, or IRTX_CPU_AUTO
 * @margin_ns: fixed margin, or 0 for one that adapts
 * @margin_max_ns: largest margin that adapting takes
 * @max_irqs_off_us: interrupts are let in after this; 0 = never
 * @lead_ns: fixed lead, or IRTX_LEAD_LEARNT
 * @priority: of the sending thread, an enum irtx_priority
 */
struct irtx_settings {
	int mode;
	int cpu;
	int margin_ns;
	int margin_max_ns;
	int max_irqs_off_us;
	int lead_ns;
	int priority;
};

/**
 * struct irtx_engine - one emitter's engine
 * @dev: the device it was probed from
 * @emitter: the emitter that sends
 * @minor: number of its rc device, for the trace
 * @wave: the carrier to make in software; NULL when the hardware makes it
 * @plan: the signal to send, filled in by the caller
 * @log: what is measured in the transmission under way or just ended; empty
 *	when it begins
 * @settings: what the user has set, for this signal
 * @choice: the mode in force, for this signal
 * @auto_state: what auto mode remembers
 * @margin: wake-up latencies seen, from which the margin comes
 * @lead: what calls to the emitter cost, from which the lead comes
 * @worker: the sending thread
 * @task: its task
 * @work: a transmission, for it
 * @sent: completed when @work is through
 * @timer: wakes hybrid mode
 * @timer_done: completed when @timer has fired the last step
 * @qos: keeps deep idle states away while sending
 * @watch: sees to it that the emitter does not stay lit
 * @watch_here: @watch runs on the CPU that sends
 * @dark_by_ns: when it must be dark again, on CLOCK_MONOTONIC
 * @douse: switches it off for @watch where an interrupt may not
 * @switching: the emitter is being switched
 * @abort: 0, or the errno with which to end before the emitter is lit again
 * @seq: where in the signal we are
 * @step: the step that comes next
 * @margin_now_ns: margin for this signal
 * @lead_now_ns: lead for this signal, off and on
 * @hold_ns: how long this mode holds the CPU between edges that are not near
 * @bound_ns: how long a visit may last before interrupts are let in
 * @result: how the transmission ended
 */
struct irtx_engine {
	struct device *dev;
	struct irtx_emitter *emitter;
	unsigned int minor;
	const struct irtx_wave *wave;
	struct irtx_plan plan;
	struct irtx_log *log;

	struct irtx_settings settings;
	struct irtx_choice choice;
	struct irtx_auto auto_state;
	struct irtx_margin margin;
	struct irtx_lead lead;

	struct kthread_worker *worker;
	struct task_struct *task;
	struct kthread_work work;
	struct completion sent;
	struct hrtimer timer;
	struct completion timer_done;
	struct pm_qos_request qos;
	struct hrtimer watch;
	bool watch_here;
	atomic64_t dark_by_ns;
	struct work_struct douse;
	bool switching;
	int abort;

	struct irtx_seq seq;
	struct irtx_step step;
	u32 margin_now_ns;
	u32 lead_now_ns[2];
	u64 hold_ns;
	u64 bound_ns;
	int result;
};

int irtx_engine_measure(struct irtx_emitter *emitter, u32 *switch_ns);
u32 irtx_engine_step_ns(const struct irtx_emitter *emitter);
void irtx_engine_take(struct irtx_engine *engine, struct irtx_emitter *emitter, u32 switch_ns);
int irtx_engine_start(struct irtx_engine *engine);
void irtx_engine_stop(struct irtx_engine *engine);
int irtx_engine_send(struct irtx_engine *engine);
void irtx_engine_panic(struct irtx_engine *engine);
void irtx_engine_learn(struct irtx_engine *engine, u32 threshold_ns);

#endif
