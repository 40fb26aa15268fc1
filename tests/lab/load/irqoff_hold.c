// SPDX-License-Identifier: GPL-2.0-only
/*
 * A long stall at a moment of the test's choice: who writes a number to parameter hold_us has
 * interrupts off for so many us, on the CPU it is on. Marks in the oscilloscope's log (see
 * tests/lab/board) tell when that began and ended.
 */
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/time64.h>

#define BOARD_MARK	0x3f2f0000
#define MARK_BEGIN	2001
#define MARK_END	2002

static void __iomem *mark;

static void hold(unsigned int left_us)
{
	unsigned long flags;
	unsigned int us;

	local_irq_save(flags);
	writel(MARK_BEGIN, mark);
	for (; left_us; left_us -= us) {
		us = min(left_us, 1000U); /* udelay() stops at 2 ms */
		udelay(us);
	}
	writel(MARK_END, mark);
	local_irq_restore(flags);
}

static int hold_us_set(const char *text, const struct kernel_param *unused)
{
	unsigned int hold_us;
	int ret;

	ret = kstrtouint(text, 0, &hold_us);
	if (ret)
		return ret;
	if (hold_us > USEC_PER_SEC) {
		pr_err("hold_us is at most 1000000, not %u\n", hold_us);
		return -EINVAL;
	}
	hold(hold_us);

	return 0;
}

static const struct kernel_param_ops hold_us_ops = {
	.set = hold_us_set,
};
module_param_cb(hold_us, &hold_us_ops, NULL, 0200);
MODULE_PARM_DESC(hold_us, "turn interrupts off for so many us, now, 0 to 1000000");

static int __init irqoff_hold_init(void)
{
	mark = ioremap(BOARD_MARK, sizeof(u32));

	return mark ? 0 : -ENOMEM;
}
module_init(irqoff_hold_init);

static void __exit irqoff_hold_exit(void)
{
	iounmap(mark);
}
module_exit(irqoff_hold_exit);

MODULE_DESCRIPTION("turns interrupts off for a given time, once");
MODULE_LICENSE("GPL");
