// SPDX-License-Identifier: GPL-2.0-only
/*
 * planted: one bug of each kind that a checker of the kernel is there to find.
 * Loading the module with the name of a bug makes that bug happen.
 */

#include <linux/compiler.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/pwm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

static char *bug = "none";
module_param(bug, charp, 0444);
MODULE_PARM_DESC(bug, "The bug to make happen");

/* The compiler must not see through the bugs: it would warn of them, or drop them. */
static int planted_hide(int value)
{
	OPTIMIZER_HIDE_VAR(value);

	return value;
}

static noinline void *planted_alloc(size_t size)
{
	return kzalloc(size, GFP_KERNEL);
}

static int planted_none(void)
{
	return 0;
}

/* --- KASAN --- */

static int planted_overrun(void)
{
	char *p = planted_alloc(16);

	if (!p)
		return -ENOMEM;
	WRITE_ONCE(p[planted_hide(16)], 1);
	kfree(p);

	return 0;
}

static int planted_use_after_free(void)
{
	char *p = planted_alloc(16);
	char *gone = p;

	OPTIMIZER_HIDE_VAR(gone);
	kfree(p);

	return READ_ONCE(*gone);
}

static int planted_stack_overrun(void)
{
	char p[16] = {};

	WRITE_ONCE(p[planted_hide(16)], 1);

	return READ_ONCE(p[planted_hide(0)]);
}

static int planted_vmalloc_overrun(void)
{
	char *p = vmalloc(100);

	if (!p)
		return -ENOMEM;
	WRITE_ONCE(p[planted_hide(100)], 1);
	vfree(p);

	return 0;
}

/* --- UBSAN --- */

static int planted_shift(void)
{
	return (1 << planted_hide(40)) == 1 ? -EINVAL : 0;
}

static int planted_array[4];

static int planted_index(void)
{
	return planted_array[planted_hide(4)] ? -EINVAL : 0;
}

static int planted_bool(void)
{
	int two = planted_hide(2);
	bool no_bool;

	memcpy(&no_bool, &two, sizeof(no_bool));

	return no_bool ? 0 : -EINVAL;
}

/* --- lockdep --- */

static DEFINE_MUTEX(planted_a);
static DEFINE_MUTEX(planted_b);

static int planted_lock_order(void)
{
	mutex_lock(&planted_a);
	mutex_lock(&planted_b);
	mutex_unlock(&planted_b);
	mutex_unlock(&planted_a);

	mutex_lock(&planted_b);
	mutex_lock(&planted_a);
	mutex_unlock(&planted_a);
	mutex_unlock(&planted_b);

	return 0;
}

static DEFINE_SPINLOCK(planted_lock);

static enum hrtimer_restart planted_handler(struct hrtimer *timer)
{
	spin_lock(&planted_lock);
	spin_unlock(&planted_lock);

	return HRTIMER_NORESTART;
}

static struct hrtimer planted_hrtimer;

static void planted_hrtimer_setup(struct hrtimer *timer)
{
#ifdef PLANTED_HAS_HRTIMER_SETUP
	hrtimer_setup(timer, planted_handler, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	timer->function = planted_handler;
#endif
}

/* A lock of an interrupt handler that is taken elsewhere with interrupts on */
static int planted_lock_in_irq(void)
{
	spin_lock(&planted_lock);
	spin_unlock(&planted_lock);

	planted_hrtimer_setup(&planted_hrtimer);
	hrtimer_start(&planted_hrtimer, ns_to_ktime(100000), HRTIMER_MODE_REL_HARD);
	msleep(20);
	hrtimer_cancel(&planted_hrtimer);

	return 0;
}

static int planted_sleep_in_atomic(void)
{
	spin_lock(&planted_lock);
	msleep(20);
	spin_unlock(&planted_lock);

	return 0;
}

/* --- kmemleak --- */

/* Several, since a stale copy of a pointer on a stack keeps one hidden. */
static int planted_leak(void)
{
	int i;

	for (i = 0; i < 10; i++)
		if (!planted_alloc(100))
			return -ENOMEM;

	return 0;
}

/* --- DEBUG_OBJECTS, DEBUG_KOBJECT_RELEASE --- */

struct planted_object {
	struct timer_list timer;
	struct work_struct work;
	struct kobject kobj;
};

static void planted_timer(struct timer_list *timer)
{
}

static int planted_armed_timer(void)
{
	struct planted_object *object = planted_alloc(sizeof(*object));

	if (!object)
		return -ENOMEM;
	timer_setup(&object->timer, planted_timer, 0);
	mod_timer(&object->timer, jiffies + HZ);
	kfree(object);

	return 0;
}

static void planted_work(struct work_struct *work)
{
}

static int planted_queued_work(void)
{
	struct planted_object *object = planted_alloc(sizeof(*object));

	if (!object)
		return -ENOMEM;
	INIT_WORK(&object->work, planted_work);
	queue_work(system_wq, &object->work);
	kfree(object);

	return 0;
}

static void planted_release(struct kobject *kobj)
{
}

static const struct kobj_type planted_type = {
	.release = planted_release,
};

/* Works by chance without the checker, which makes the last user let go late. */
static int planted_early_free(void)
{
	struct planted_object *object = planted_alloc(sizeof(*object));

	if (!object)
		return -ENOMEM;
	kobject_init(&object->kobj, &planted_type);
	kobject_put(&object->kobj);
	kfree(object);

	return 0;
}

/* --- others --- */

static int planted_list(void)
{
	LIST_HEAD(head);
	LIST_HEAD(node);

	list_add(&node, &head);
	list_add(&node, &head);

	return 0;
}

static int planted_hung_task(void)
{
	schedule_timeout_uninterruptible(400 * HZ);

	return 0;
}

static void planted_stall(struct work_struct *work)
{
	mdelay(80000);
}

static DECLARE_WORK(planted_stalled, planted_stall);
static DECLARE_WORK(planted_waiting, planted_work);

static int planted_stuck_work(void)
{
	schedule_work(&planted_stalled);
	schedule_work(&planted_waiting);
	flush_work(&planted_waiting);

	return 0;
}

/* The allocation that is made to fail; fail_nth is there on kernels with failslab. */
static int planted_allocation(void)
{
	void *p;

#ifdef CONFIG_FAULT_INJECTION
	current->fail_nth = 1;
#endif
	p = planted_alloc(100);
	kfree(p);

	return p ? 0 : -ENOMEM;
}

/* --- PWM_DEBUG: a PWM that rounds its period up --- */

static struct pwm_state planted_state;

static int planted_pwm_apply(struct pwm_chip *chip, struct pwm_device *pwm,
			     const struct pwm_state *state)
{
	planted_state = *state;
	planted_state.period += 10;

	return 0;
}

static int planted_pwm_get_state(struct pwm_chip *chip, struct pwm_device *pwm,
				 struct pwm_state *state)
{
	*state = planted_state;

	return 0;
}

static const struct pwm_ops planted_pwm_ops = {
	.apply = planted_pwm_apply,
	.get_state = planted_pwm_get_state,
};

static struct pwm_chip *planted_pwm_alloc(struct device *dev)
{
#ifdef PLANTED_HAS_PWMCHIP_ALLOC
	return devm_pwmchip_alloc(dev, 1, 0);
#else
	struct pwm_chip *chip = devm_kzalloc(dev, sizeof(*chip), GFP_KERNEL);

	if (!chip)
		return ERR_PTR(-ENOMEM);
	chip->dev = dev;
	chip->npwm = 1;

	return chip;
#endif
}

static struct platform_device *planted_device;

static int planted_pwm(void)
{
	struct pwm_chip *chip;

	planted_device = platform_device_register_simple("planted", PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(planted_device))
		return PTR_ERR(planted_device);

	chip = planted_pwm_alloc(&planted_device->dev);
	if (IS_ERR(chip))
		return PTR_ERR(chip);
	chip->ops = &planted_pwm_ops;

	return pwmchip_add(chip);
}

static const struct {
	const char *name;
	int (*make)(void);
} planted_bugs[] = {
	{ "none", planted_none },
	{ "overrun", planted_overrun },
	{ "use-after-free", planted_use_after_free },
	{ "stack-overrun", planted_stack_overrun },
	{ "vmalloc-overrun", planted_vmalloc_overrun },
	{ "shift", planted_shift },
	{ "index", planted_index },
	{ "bool", planted_bool },
	{ "lock-order", planted_lock_order },
	{ "lock-in-irq", planted_lock_in_irq },
	{ "sleep-in-atomic", planted_sleep_in_atomic },
	{ "leak", planted_leak },
	{ "armed-timer", planted_armed_timer },
	{ "queued-work", planted_queued_work },
	{ "early-free", planted_early_free },
	{ "list", planted_list },
	{ "hung-task", planted_hung_task },
	{ "stuck-work", planted_stuck_work },
	{ "allocation", planted_allocation },
	{ "pwm", planted_pwm },
};

static int __init planted_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(planted_bugs); i++)
		if (!strcmp(bug, planted_bugs[i].name))
			return planted_bugs[i].make();

	return -EINVAL;
}
module_init(planted_init);

MODULE_DESCRIPTION("Bugs that the kernel's checkers must find");
MODULE_LICENSE("GPL");
