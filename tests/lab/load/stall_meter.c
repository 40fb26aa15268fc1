// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the rest of the system suffers, by means of its own: a timer that is due every 20 us
 * tells how long interrupts were held off, an ordinary thread that reads the clock all the time
 * tells how long it was without a CPU. Measures from load to removal, on the CPU that loads it.
 */
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/smp.h>

#define PERIOD_NS	(20 * NSEC_PER_USEC)

/* What reading the clock and letting others in takes at most */
#define GAP_NS		(10 * NSEC_PER_USEC)

static ulong irqs_longest_ns;
module_param(irqs_longest_ns, ulong, 0444);
MODULE_PARM_DESC(irqs_longest_ns, "the longest that an interrupt had to wait; 20 us less than interrupts were off, at most");

static ulong task_longest_ns;
module_param(task_longest_ns, ulong, 0444);
MODULE_PARM_DESC(task_longest_ns, "the longest that the thread was without a CPU");

static ulong task_lost_ns;
module_param(task_lost_ns, ulong, 0444);
MODULE_PARM_DESC(task_lost_ns, "how long it was without one, all in all");

static ulong watched_ns;
module_param(watched_ns, ulong, 0444);
MODULE_PARM_DESC(watched_ns, "how long it has been measuring");

static struct task_struct *thread;
static struct hrtimer timer;

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	u64 late_ns = ktime_to_ns(ktime_sub(ktime_get(), hrtimer_get_expires(timer)));

	irqs_longest_ns = max_t(ulong, irqs_longest_ns, late_ns);
	hrtimer_forward_now(timer, ns_to_ktime(PERIOD_NS));

	return HRTIMER_RESTART;
}

static void count_gap(u64 gap_ns)
{
	watched_ns += gap_ns;
	if (gap_ns < GAP_NS)
		return;
	task_lost_ns += gap_ns;
	task_longest_ns = max_t(ulong, task_longest_ns, gap_ns);
}

static int watch(void *unused)
{
	u64 before_ns = ktime_get_ns();
	u64 now_ns;

	while (!kthread_should_stop()) {
		cond_resched();
		now_ns = ktime_get_ns();
		count_gap(now_ns - before_ns);
		before_ns = now_ns;
	}

	return 0;
}

static int __init stall_meter_init(void)
{
	thread = kthread_create(watch, NULL, "stall_meter");
	if (IS_ERR(thread))
		return PTR_ERR(thread);

	kthread_bind(thread, raw_smp_processor_id());
	wake_up_process(thread);
#ifdef HAS_HRTIMER_SETUP
	hrtimer_setup(&timer, tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer.function = tick;
#endif
	hrtimer_start(&timer, ns_to_ktime(PERIOD_NS), HRTIMER_MODE_REL_PINNED_HARD);

	return 0;
}
module_init(stall_meter_init);

static void __exit stall_meter_exit(void)
{
	hrtimer_cancel(&timer);
	kthread_stop(thread);
}
module_exit(stall_meter_exit);

MODULE_DESCRIPTION("measures what the rest of the system suffers");
MODULE_LICENSE("GPL");
