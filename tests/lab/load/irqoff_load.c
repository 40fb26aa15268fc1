// SPDX-License-Identifier: GPL-2.0-only
/*
 * A bad neighbour: a kernel thread that turns interrupts off again and again, for pseudo-random
 * times, as some drivers do. Loading it starts the thread, removing it stops it.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>

static uint max_us = 100;
module_param(max_us, uint, 0444);
MODULE_PARM_DESC(max_us, "longest time with interrupts off, 1 to 1000 us (default 100)");

static uint pause_us = 1000;
module_param(pause_us, uint, 0444);
MODULE_PARM_DESC(pause_us, "longest sleep between two of them, 1 to 1000000 us (default 1000)");

static ulong seed = 1;
module_param(seed, ulong, 0444);
MODULE_PARM_DESC(seed, "start of the pseudo-random sequence (default 1)");

static ulong count;
module_param(count, ulong, 0444);
MODULE_PARM_DESC(count, "how often interrupts were turned off so far");

static ulong longest_ns;
module_param(longest_ns, ulong, 0444);
MODULE_PARM_DESC(longest_ns, "the longest that interrupts were off so far");

static struct task_struct *thread;
static struct rnd_state rnd;

/* 1 to limit, every value as likely as any other */
static u32 pick(u32 limit)
{
	return 1 + prandom_u32_state(&rnd) % limit;
}

static void hold_interrupts_off(u32 hold_us)
{
	unsigned long flags;
	u64 start_ns, held_ns;

	local_irq_save(flags);
	start_ns = local_clock();
	udelay(hold_us);
	held_ns = local_clock() - start_ns;
	local_irq_restore(flags);

	count++;
	longest_ns = max_t(ulong, longest_ns, held_ns);
}

static void sleep_us(u32 sleep_us)
{
	ktime_t expires = ktime_add_us(ktime_get(), sleep_us);

	set_current_state(TASK_IDLE);
	schedule_hrtimeout(&expires, HRTIMER_MODE_ABS);
}

static int disturb(void *unused)
{
	while (!kthread_should_stop()) {
		hold_interrupts_off(pick(max_us));
		sleep_us(pick(pause_us));
	}
	return 0;
}

static int __init irqoff_load_init(void)
{
	if (!max_us || max_us > 1000 || !pause_us || pause_us > USEC_PER_SEC) {
		pr_err("max_us %u is not 1 to 1000, or pause_us %u not 1 to 1000000\n",
		       max_us, pause_us);
		return -EINVAL;
	}
	prandom_seed_state(&rnd, seed);
	thread = kthread_run(disturb, NULL, "irqoff_load");
	return PTR_ERR_OR_ZERO(thread);
}
module_init(irqoff_load_init);

static void __exit irqoff_load_exit(void)
{
	kthread_stop(thread);
}
module_exit(irqoff_load_exit);

MODULE_DESCRIPTION("turns interrupts off for pseudo-random times");
MODULE_LICENSE("GPL");
