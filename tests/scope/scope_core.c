// SPDX-License-Identifier: GPL-2.0-only
/*
 * scope-core: what the virtual chips have in common. Every change of a line is
 * written, with its time, to a ring that debugfs shows; GPIOs may show the
 * lines to an oscilloscope, too. Shares no code with what it tests.
 *
 * A call works in any context, hard interrupts on PREEMPT_RT included: it takes
 * a raw spinlock for some instructions and neither allocates nor prints.
 */

#include <linux/bits.h>
#include <linux/bitops.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/gpio/consumer.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/property.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/time64.h>
#include <linux/vmalloc.h>

#include "scope.h"

#define SCOPE_RECORDS 65536

/**
 * struct scope_record - one change
 * @at_ns: when, on CLOCK_MONOTONIC
 * @wave: the carrier of the lines that moved
 * @moved: the lines that it is about, a bit each
 * @on: all lines that are on after it
 */
struct scope_record {
	u64 at_ns;
	struct scope_wave wave;
	u32 moved;
	u32 on;
};

/**
 * struct scope - a chip
 * @faults: how it behaves; belongs to all chips of a module
 * @lit: GPIOs that show its first lines, or NULL
 * @lines: how many lines it has
 * @on: those that are on, a bit each
 * @wave: the carrier of each line
 * @calls: calls since the last reset
 * @changes: changes since the last reset, of which the ring holds the last ones
 * @ring: the record of change n at n modulo SCOPE_RECORDS
 */
struct scope {
	struct scope_faults *faults;
	struct gpio_descs *lit;
	unsigned int lines;
	u32 on;
	struct scope_wave wave[SCOPE_MAX_LINES];
	u64 calls;
	u64 changes;
	struct scope_record *ring;
};

/* Guards the counters, states and rings of all chips. */
static DEFINE_RAW_SPINLOCK(scope_lock);
static struct dentry *scope_root;

/* --- calls --- */

static unsigned int scope_count(struct scope *scope)
{
	unsigned long flags;
	unsigned int number;

	raw_spin_lock_irqsave(&scope_lock, flags);
	number = ++scope->faults->applies;
	scope->calls++;
	raw_spin_unlock_irqrestore(&scope_lock, flags);

	return number;
}

static bool scope_is_within(unsigned int number, unsigned int from, unsigned int count)
{
	return from && number >= from && number - from < count;
}

static void scope_sleep(unsigned long length_us)
{
	might_sleep();
	if (length_us)
		usleep_range(length_us, length_us);
}

static void scope_spin(unsigned int slow_us, unsigned int op_ns)
{
	if (slow_us)
		udelay(slow_us);
	if (op_ns >= NSEC_PER_USEC)
		udelay(op_ns / NSEC_PER_USEC);
	if (op_ns % NSEC_PER_USEC)
		ndelay(op_ns % NSEC_PER_USEC);
}

static void scope_take_time(const struct scope_faults *faults, unsigned int number)
{
	bool slow = scope_is_within(number, faults->slow_from, faults->slow_count);
	unsigned int slow_us = slow ? faults->slow_us : 0;

	if (faults->may_sleep)
		scope_sleep(slow_us + DIV_ROUND_UP(faults->op_ns, NSEC_PER_USEC));
	else
		scope_spin(slow_us, faults->op_ns);
}

/* What a driver's bug does: whoever called it is gone, in whatever state that leaves things. */
static void scope_oops(const struct scope_faults *faults, unsigned int number)
{
	static struct scope *nowhere;

	if (scope_is_within(number, faults->oops_from, 1))
		WRITE_ONCE(nowhere->lines, 0);
}

static void scope_show(const struct scope *scope, unsigned long lines, u32 on)
{
	unsigned int line;

	if (!scope->lit)
		return;

	for_each_set_bit(line, &lines, scope->lit->ndescs)
		gpiod_set_value(scope->lit->desc[line], !!(on & BIT(line)));
}

/* Lines that move in one call have one carrier, so the first stands for all. */
static bool scope_is_retuned(const struct scope *scope, u32 lines, struct scope_wave wave)
{
	const struct scope_wave *old = &scope->wave[__ffs(lines)];

	return old->period_ns != wave.period_ns || old->high_ns != wave.high_ns;
}

static void scope_write(struct scope *scope, u32 lines, u32 on, struct scope_wave wave)
{
	struct scope_record *record;
	unsigned long flags;
	u64 at_ns;
	u32 moved;

	raw_spin_lock_irqsave(&scope_lock, flags);
	at_ns = ktime_get_ns();
	moved = scope_is_retuned(scope, lines, wave) ? lines : (scope->on ^ on) & lines;
	if (moved) {
		scope->on = (scope->on & ~lines) | (on & lines);
		scope->wave[__ffs(lines)] = wave;
		record = &scope->ring[scope->changes++ % SCOPE_RECORDS];
		*record = (struct scope_record){
			.at_ns = at_ns,
			.wave = wave,
			.moved = moved,
			.on = scope->on,
		};
	}
	raw_spin_unlock_irqrestore(&scope_lock, flags);
}

/**
 * scope_call - a call that switches lines of a chip
 * @scope: the chip
 * @lines: the lines, a bit each, at least one
 * @on: which of them are to be on; other bits do not matter
 * @wave: their carrier, the same for all; a chip whose lines have carriers of
 *	  their own switches one a call
 *
 * The lines move at one time, that of the record. GPIOs that show them follow
 * one after the other just before.
 *
 * Context: Any, but process context that can sleep where the chip may sleep.
 * Return: 0, or -EIO when this call was to fail.
 */
int scope_call(struct scope *scope, u32 lines, u32 on, struct scope_wave wave)
{
	const struct scope_faults *faults = scope->faults;
	unsigned int number = scope_count(scope);
	bool fails = scope_is_within(number, faults->fail_from, faults->fail_count);

	scope_take_time(faults, number);
	scope_oops(faults, number);
	if (!fails || faults->fail_late) {
		scope_show(scope, lines, on);
		scope_write(scope, lines, on, wave);
	}

	return fails ? -EIO : 0;
}
EXPORT_SYMBOL_GPL(scope_call);

/**
 * scope_is_on - whether a line is on
 * @scope: the chip
 * @line: the line's number
 *
 * Context: Any.
 */
bool scope_is_on(const struct scope *scope, unsigned int line)
{
	return READ_ONCE(scope->on) & BIT(line);
}
EXPORT_SYMBOL_GPL(scope_is_on);

/**
 * scope_lines - how many lines a chip has
 * @scope: the chip
 *
 * Context: Any.
 */
unsigned int scope_lines(const struct scope *scope)
{
	return scope->lines;
}
EXPORT_SYMBOL_GPL(scope_lines);

/* --- debugfs --- */

static u64 scope_lost(const struct scope *scope)
{
	return scope->changes > SCOPE_RECORDS ? scope->changes - SCOPE_RECORDS : 0;
}

/* Position 0 is the header, n + 1 is change n; what was overwritten is skipped. */
static void *scope_record_start(struct seq_file *m, loff_t *pos)
{
	struct scope *scope = m->private;
	unsigned long flags;
	bool is_there;

	raw_spin_lock_irqsave(&scope_lock, flags);
	if (*pos)
		*pos = max_t(loff_t, *pos, scope_lost(scope) + 1);
	is_there = *pos <= scope->changes;
	raw_spin_unlock_irqrestore(&scope_lock, flags);

	return is_there ? pos : NULL;
}

static void *scope_record_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;

	return scope_record_start(m, pos);
}

static void scope_record_stop(struct seq_file *m, void *v)
{
}

static void scope_show_header(struct seq_file *m, const struct scope *scope)
{
	unsigned long flags;
	u64 lost;

	raw_spin_lock_irqsave(&scope_lock, flags);
	lost = scope_lost(scope);
	raw_spin_unlock_irqrestore(&scope_lock, flags);

	seq_puts(m, "# irtx scope record 1\n");
	seq_printf(m, "# lost %llu\n", lost);
	seq_puts(m, "# number at_ns moved_hex on_hex period_ns high_ns\n");
}

static void scope_show_change(struct seq_file *m, const struct scope *scope, u64 number)
{
	struct scope_record record;
	unsigned long flags;

	raw_spin_lock_irqsave(&scope_lock, flags);
	record = scope->ring[number % SCOPE_RECORDS];
	raw_spin_unlock_irqrestore(&scope_lock, flags);

	seq_printf(m, "%llu %llu %x %x %llu %llu\n", number, record.at_ns, record.moved,
		   record.on, record.wave.period_ns, record.wave.high_ns);
}

static int scope_record_show(struct seq_file *m, void *v)
{
	loff_t pos = *(loff_t *)v;

	if (pos)
		scope_show_change(m, m->private, pos - 1);
	else
		scope_show_header(m, m->private);

	return 0;
}

static const struct seq_operations scope_record_sops = {
	.start = scope_record_start,
	.next = scope_record_next,
	.stop = scope_record_stop,
	.show = scope_record_show,
};
DEFINE_SEQ_ATTRIBUTE(scope_record);

static int scope_calls_get(void *data, u64 *value)
{
	const struct scope *scope = data;
	unsigned long flags;

	raw_spin_lock_irqsave(&scope_lock, flags);
	*value = scope->calls;
	raw_spin_unlock_irqrestore(&scope_lock, flags);

	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(scope_calls_fops, scope_calls_get, NULL, "%llu\n");

static int scope_reset_set(void *data, u64 value)
{
	struct scope *scope = data;
	unsigned long flags;

	raw_spin_lock_irqsave(&scope_lock, flags);
	scope->calls = 0;
	scope->changes = 0;
	raw_spin_unlock_irqrestore(&scope_lock, flags);

	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(scope_reset_fops, NULL, scope_reset_set, "%llu\n");

static void scope_close(void *folder)
{
	debugfs_remove_recursive(folder);
}

static int scope_export(struct device *dev, struct scope *scope)
{
	struct dentry *folder = debugfs_create_dir(dev_name(dev), scope_root);

	debugfs_create_file("record", 0444, folder, scope, &scope_record_fops);
	debugfs_create_x32("lit", 0444, folder, &scope->on);
	debugfs_create_file_unsafe("calls", 0444, folder, scope, &scope_calls_fops);
	debugfs_create_file_unsafe("reset", 0200, folder, scope, &scope_reset_fops);

	return devm_add_action_or_reset(dev, scope_close, folder);
}

/* --- set-up --- */

static int scope_read_lines(struct device *dev, struct scope *scope, const char *property)
{
	u32 lines = 1;

	device_property_read_u32(dev, property, &lines);
	if (!lines || lines > SCOPE_MAX_LINES)
		return dev_err_probe(dev, -EINVAL, "%s is %u, and must be 1 to %u\n",
				     property, lines, SCOPE_MAX_LINES);

	scope->lines = lines;

	return 0;
}

static int scope_get_lit(struct device *dev, struct scope *scope)
{
	scope->lit = devm_gpiod_get_array_optional(dev, "lit", GPIOD_OUT_LOW);
	if (IS_ERR(scope->lit))
		return dev_err_probe(dev, PTR_ERR(scope->lit), "cannot get lit-gpios\n");

	if (scope->lit && scope->lit->ndescs > scope->lines)
		return dev_err_probe(dev, -EINVAL, "%u lit-gpios: there can be %u, one a line\n",
				     scope->lit->ndescs, scope->lines);

	return 0;
}

static void scope_free_ring(void *ring)
{
	vfree(ring);
}

static int scope_make_ring(struct device *dev, struct scope *scope)
{
	scope->ring = vzalloc(array_size(SCOPE_RECORDS, sizeof(*scope->ring)));
	if (!scope->ring)
		return -ENOMEM;

	return devm_add_action_or_reset(dev, scope_free_ring, scope->ring);
}

/**
 * devm_scope_create - make what a chip needs, its files in debugfs included
 * @dev: the chip's device; its lit-gpios, if any, will show the first lines
 * @faults: how the chip is to behave
 * @lines_property: the device's property that holds the number of lines, or
 *		    leaves it at 1
 *
 * Context: Process, may sleep.
 * Return: the chip; -EINVAL with a message for too many lines; the error of a
 *	   GPIO that cannot be had; -ENOMEM.
 */
struct scope *devm_scope_create(struct device *dev, struct scope_faults *faults,
				const char *lines_property)
{
	struct scope *scope = devm_kzalloc(dev, sizeof(*scope), GFP_KERNEL);
	int ret;

	if (!scope)
		return ERR_PTR(-ENOMEM);

	scope->faults = faults;
	ret = scope_read_lines(dev, scope, lines_property) ?:
	      scope_get_lit(dev, scope) ?:
	      scope_make_ring(dev, scope) ?:
	      scope_export(dev, scope);

	return ret ? ERR_PTR(ret) : scope;
}
EXPORT_SYMBOL_GPL(devm_scope_create);

static int __init scope_init(void)
{
	scope_root = debugfs_create_dir("irtx-scope", NULL);

	return 0;
}
module_init(scope_init);

static void __exit scope_exit(void)
{
	debugfs_remove_recursive(scope_root);
}
module_exit(scope_exit);

MODULE_DESCRIPTION("What the virtual chips of the tests have in common");
MODULE_LICENSE("GPL");
