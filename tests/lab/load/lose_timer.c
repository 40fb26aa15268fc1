// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loses a timer, as a broken clock chip or a bug of the kernel would: the Nth time that the
 * function of an hrtimer is called nothing happens, and the timer is not started again.
 */
#include <linux/hrtimer.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>

static char *function = "irtx_core:irtx_timer";
module_param(function, charp, 0444);
MODULE_PARM_DESC(function, "of the timer (default irtx_core:irtx_timer)");

static char *sleeper = "";
module_param(sleeper, charp, 0444);
MODULE_PARM_DESC(sleeper, "only timers that wake tasks whose name begins so; function is hrtimer_wakeup then");

static uint call;
module_param(call, uint, 0644);
MODULE_PARM_DESC(call, "which call of it is lost, counted from when this is written; 0 = none");

static bool is_ours(struct hrtimer *timer)
{
	struct hrtimer_sleeper *sleeps = container_of(timer, struct hrtimer_sleeper, timer);

	return !*sleeper || (sleeps->task && strstarts(sleeps->task->comm, sleeper));
}

/* Go back to the caller, as if the function had returned HRTIMER_NORESTART. */
static int lose(struct kprobe *probe, struct pt_regs *regs)
{
	if (!is_ours((struct hrtimer *)regs->regs[0]) || !call || --call)
		return 0;

	regs->regs[0] = HRTIMER_NORESTART;
	instruction_pointer_set(regs, procedure_link_pointer(regs));

	return 1;
}

static struct kprobe probe = {
	.pre_handler = lose,
};

static int __init lose_timer_init(void)
{
	probe.symbol_name = function;

	return register_kprobe(&probe);
}
module_init(lose_timer_init);

static void __exit lose_timer_exit(void)
{
	unregister_kprobe(&probe);
}
module_exit(lose_timer_exit);

MODULE_DESCRIPTION("loses one call of a timer's function");
MODULE_LICENSE("GPL");
