// SPDX-License-Identifier: GPL-2.0-only
/*
 * An emitter that has no hardware: it notes when it is called, takes as long or
 * fails as it is told, and complains when it is misused.
 */

#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/kconfig.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/timekeeping.h>

#include "fake_emitter.h"

/* A kernel that cannot preempt does not count, and only interrupts show there. */
static bool fake_may_sleep(void)
{
	return !irqs_disabled() && !preempt_count();
}

static const char *fake_judge_context(const struct fake_emitter *fake)
{
	unsigned int abilities = fake->emitter.abilities;

	if (!(abilities & IRTX_ATOMIC) && !fake_may_sleep())
		return "switched where it may not sleep, which it must";
	if (!(abilities & IRTX_HARDIRQ) && in_hardirq())
		return "switched by an interrupt handler, which it does not stand";
	if (fake->irqs_off && !irqs_disabled())
		return "switched with interrupts on, in a mode that turns them off";
	if (fake->irqs_off && IS_ENABLED(CONFIG_PREEMPT_COUNT) && !preempt_count())
		return "switched with interrupts off but preemption on";

	return NULL;
}

static const char *fake_judge(const struct fake_emitter *fake, bool on)
{
	if (!fake->sending)
		return "switched outside a transmission";
	if (on && fake->lit)
		return "switched on twice";
	if (fake->under_way && (on || !fake->overtaken))
		return "switched while it was being switched";

	return fake_judge_context(fake);
}

static void fake_complain(struct fake_emitter *fake, const char *misuse)
{
	if (!fake->misuse)
		fake->misuse = misuse;
}

static int fake_set(struct irtx_emitter *emitter, bool on)
{
	struct fake_emitter *fake = to_fake(emitter);
	unsigned int nr = fake->nr++;
	struct fake_call *call = &fake->call[min(nr, FAKE_MAX_CALLS - 1)];

	fake_complain(fake, nr < FAKE_MAX_CALLS ? fake_judge(fake, on) : "switched too often");
	fake->under_way++;
	call->on = on;
	call->begin_ns = ktime_get_ns();
	ndelay(fake->cost_ns[on]);
	if (fake->at_call)
		fake->at_call(fake, nr);
	if (nr != fake->fail_at)
		fake->lit = on;
	call->end_ns = ktime_get_ns();
	fake->under_way--;

	return nr == fake->fail_at ? -EIO : 0;
}

static int fake_dark(struct irtx_emitter *emitter)
{
	struct fake_emitter *fake = to_fake(emitter);

	if (!fake_may_sleep())
		fake_complain(fake, "put out where it may not sleep");
	if (fake->at_dark)
		fake->at_dark(fake);
	fake->lit = false;
	fake->darks++;
	fake->dark_ns = ktime_get_ns();

	return 0;
}

static const struct irtx_emitter_ops fake_ops = {
	.set = fake_set,
	.dark = fake_dark,
};

/**
 * fake_init() - make a fake emitter
 * @fake: the emitter, all zero; its abilities are none
 */
void fake_init(struct fake_emitter *fake)
{
	fake->emitter.name = "fake";
	fake->emitter.lines = 1;
	fake->emitter.ops = &fake_ops;
	fake->fail_at = FAKE_NEVER;
}

/**
 * fake_forget() - forget the calls that were noted
 * @fake: the emitter, dark
 */
void fake_forget(struct fake_emitter *fake)
{
	fake->nr = 0;
	fake->darks = 0;
}
