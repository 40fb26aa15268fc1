// SPDX-License-Identifier: GPL-2.0-only
/*
 * A storm of timer interrupts: bursts of a pseudo-random number of them, each of which keeps the
 * CPU for some time, with pauses between bursts. Loading it starts the storm, removing it ends it.
 */
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/prandom.h>

#define BURST_MAX	20
#define APART_MAX_US	30
#define HANDLER_MAX_US	5
#define PAUSE_MAX_US	2000

static ulong seed = 1;
module_param(seed, ulong, 0444);
MODULE_PARM_DESC(seed, "start of the pseudo-random sequence (default 1)");

static ulong count;
module_param(count, ulong, 0444);
MODULE_PARM_DESC(count, "how many interrupts there were so far");

static struct hrtimer timer;
static struct rnd_state rnd;
static u32 burst_left;

/* 1 to limit, every value as likely as any other */
static u32 pick(u32 limit)
{
	return 1 + prandom_u32_state(&rnd) % limit;
}

static u32 next_us(void)
{
	if (burst_left--)
		return pick(APART_MAX_US);
	burst_left = pick(BURST_MAX);

	return pick(PAUSE_MAX_US);
}

static enum hrtimer_restart strike(struct hrtimer *timer)
{
	count++;
	udelay(pick(HANDLER_MAX_US));
	hrtimer_forward_now(timer, ns_to_ktime(next_us() * NSEC_PER_USEC));

	return HRTIMER_RESTART;
}

static int __init irq_storm_init(void)
{
	prandom_seed_state(&rnd, seed);
#ifdef HAS_HRTIMER_SETUP
	hrtimer_setup(&timer, strike, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
#else
	hrtimer_init(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	timer.function = strike;
#endif
	hrtimer_start(&timer, ns_to_ktime(PAUSE_MAX_US * NSEC_PER_USEC), HRTIMER_MODE_REL_HARD);

	return 0;
}
module_init(irq_storm_init);

static void __exit irq_storm_exit(void)
{
	hrtimer_cancel(&timer);
}
module_exit(irq_storm_exit);

MODULE_DESCRIPTION("a storm of timer interrupts");
MODULE_LICENSE("GPL");
