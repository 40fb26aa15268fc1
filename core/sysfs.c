// SPDX-License-Identifier: GPL-2.0-only
/*
 * The settings: module parameters for the defaults, and files of each device in
 * sysfs, /sys/class/rc/rcN/device/tx_*.
 */

#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "device.h"

static char *mode = "default";
module_param(mode, charp, 0444);
MODULE_PARM_DESC(mode, "default, busy, hybrid, thread or auto (default: busy where the emitter allows it, else thread)");

static int cpu = IRTX_CPU_AUTO;
module_param(cpu, int, 0444);
MODULE_PARM_DESC(cpu, "CPU that sends (default -1: not the boot CPU where there is another)");

static int margin_max_ns = IRTX_MARGIN_MAX_NS;
module_param(margin_max_ns, int, 0444);
MODULE_PARM_DESC(margin_max_ns, "how early at most a timer wakes the sender, 5000 to 10000000 ns (default 200000)");

static int max_irqs_off_us = IRTX_MAX_IRQS_OFF_US;
module_param(max_irqs_off_us, int, 0444);
MODULE_PARM_DESC(max_irqs_off_us, "interrupts are let in after this, up to 1000000 us (default 10000; 0 = never)");

static char *priority = "fifo";
module_param(priority, charp, 0444);
MODULE_PARM_DESC(priority, "of the sending thread: normal, fifo-low or fifo (default)");

static const char * const irtx_priority_names[IRTX_PRIORITIES] = {
	[IRTX_PRIORITY_NORMAL] = "normal",
	[IRTX_PRIORITY_FIFO_LOW] = "fifo-low",
	[IRTX_PRIORITY_FIFO] = "fifo",
};

/**
 * struct irtx_knob - a setting
 * @attr: its file in sysfs
 * @offset: where it lies in struct irtx_settings
 * @min: least value
 * @max: largest value
 * @names: words for the values, from 0 to @max; NULL where it is a number
 * @allowed: those words, for people
 */
struct irtx_knob {
	struct device_attribute attr;
	size_t offset;
	int min;
	int max;
	const char * const *names;
	const char *allowed;
};

static int *irtx_knob_value(const struct irtx_knob *knob, struct irtx_settings *settings)
{
	return (void *)settings + knob->offset;
}

static int irtx_knob_set(struct device *dev, const struct irtx_knob *knob,
			 struct irtx_settings *settings, int value)
{
	if (value < knob->min || value > knob->max) {
		dev_err_ratelimited(dev, "%s: %d is not within %d to %d\n",
				    knob->attr.attr.name, value, knob->min, knob->max);
		return -EINVAL;
	}
	*irtx_knob_value(knob, settings) = value;

	return 0;
}

static int irtx_knob_parse(struct device *dev, const struct irtx_knob *knob,
			   struct irtx_settings *settings, const char *text)
{
	int value, ret;

	if (knob->names) {
		value = __sysfs_match_string(knob->names, knob->max + 1, text);
		ret = min(value, 0);
	} else {
		ret = kstrtoint(text, 0, &value);
	}
	if (ret == -ERANGE)
		return irtx_knob_set(dev, knob, settings, text[0] == '-' ? INT_MIN : INT_MAX);
	if (ret) {
		dev_err_ratelimited(dev, "%s: it is %s\n", knob->attr.attr.name, knob->allowed);
		return ret;
	}

	return irtx_knob_set(dev, knob, settings, value);
}

static ssize_t irtx_knob_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct irtx_knob *knob = container_of(attr, struct irtx_knob, attr);
	struct irtx_device *irtx = dev_get_drvdata(dev);
	int value;

	mutex_lock(&irtx->publish);
	value = *irtx_knob_value(knob, &irtx->settings);
	mutex_unlock(&irtx->publish);

	return knob->names ? sysfs_emit(buf, "%s\n", knob->names[value]) :
			     sysfs_emit(buf, "%d\n", value);
}

static ssize_t irtx_knob_store(struct device *dev, struct device_attribute *attr,
			       const char *buf, size_t count)
{
	const struct irtx_knob *knob = container_of(attr, struct irtx_knob, attr);
	struct irtx_device *irtx = dev_get_drvdata(dev);
	struct irtx_settings settings;
	int ret;

	mutex_lock(&irtx->publish);
	settings = irtx->settings;
	ret = irtx_knob_parse(dev, knob, &settings, buf) ?:
	      irtx_device_set(irtx, &settings);
	mutex_unlock(&irtx->publish);

	return ret ?: count;
}

#define IRTX_KNOB(_field, _min, _max, _names, _allowed)				\
	static struct irtx_knob irtx_knob_##_field = {				\
		.attr = __ATTR(tx_##_field, 0644, irtx_knob_show, irtx_knob_store), \
		.offset = offsetof(struct irtx_settings, _field),		\
		.min = _min,							\
		.max = _max,							\
		.names = _names,						\
		.allowed = _allowed,						\
	}

#define IRTX_NUMBER(_field, _min, _max)						\
	IRTX_KNOB(_field, _min, _max, NULL, "a whole number")

IRTX_KNOB(mode, 0, IRTX_MODES - 1, irtx_mode_names, "default, busy, hybrid, thread or auto");
IRTX_KNOB(priority, 0, IRTX_PRIORITIES - 1, irtx_priority_names, "normal, fifo-low or fifo");
IRTX_NUMBER(cpu, IRTX_CPU_AUTO, 0); /* the largest is in irtx_settings_init() */
IRTX_NUMBER(margin_ns, 0, IRTX_MARGIN_LIMIT_NS);
IRTX_NUMBER(margin_max_ns, IRTX_MARGIN_FLOOR_NS, IRTX_MARGIN_LIMIT_NS);
IRTX_NUMBER(max_irqs_off_us, 0, IRTX_IRQS_OFF_LIMIT_US);
IRTX_NUMBER(lead_ns, IRTX_LEAD_LEARNT, IRTX_LEAD_MAX_NS);

static ssize_t tx_mode_active_show(struct device *dev, struct device_attribute *attr,
				   char *buf)
{
	struct irtx_device *irtx = dev_get_drvdata(dev);
	enum irtx_mode active;

	mutex_lock(&irtx->publish);
	active = irtx->choice.mode;
	mutex_unlock(&irtx->publish);

	return sysfs_emit(buf, "%s\n", irtx_mode_names[active]);
}
static DEVICE_ATTR_RO(tx_mode_active);

static ssize_t tx_emitter_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct irtx_device *irtx = dev_get_drvdata(dev);
	enum irtx_kind asked;

	mutex_lock(&irtx->publish);
	asked = irtx->kind_asked;
	mutex_unlock(&irtx->publish);

	return sysfs_emit(buf, "%s\n", irtx_kind_names[asked]);
}

static ssize_t tx_emitter_store(struct device *dev, struct device_attribute *attr,
				const char *buf, size_t count)
{
	int asked, ret;

	asked = __sysfs_match_string(irtx_kind_names, IRTX_KINDS, buf);
	if (asked < 0) {
		dev_err_ratelimited(dev, "tx_emitter: it is auto, pwm or gpio\n");
		return asked;
	}
	ret = irtx_emitter_ask(dev_get_drvdata(dev), asked);

	return ret ?: count;
}
static DEVICE_ATTR_RW(tx_emitter);

static struct attribute *irtx_settings_attrs[] = {
	&irtx_knob_mode.attr.attr,
	&dev_attr_tx_mode_active.attr,
	&dev_attr_tx_emitter.attr,
	&irtx_knob_priority.attr.attr,
	&irtx_knob_cpu.attr.attr,
	&irtx_knob_margin_ns.attr.attr,
	&irtx_knob_margin_max_ns.attr.attr,
	&irtx_knob_max_irqs_off_us.attr.attr,
	&irtx_knob_lead_ns.attr.attr,
	NULL
};

const struct attribute_group irtx_settings_group = {
	.attrs = irtx_settings_attrs,
};

/**
 * irtx_settings_init() - fill in the ranges that depend on the machine
 *
 * Context: Process, once.
 */
void __init irtx_settings_init(void)
{
	irtx_knob_cpu.max = nr_cpu_ids - 1;
}

/**
 * irtx_settings_defaults() - what the module parameters say
 * @dev: a device, to tell of a wrong parameter
 * @settings: filled in
 *
 * Context: Process.
 * Return: 0, or -EINVAL with a message for a parameter out of its range.
 */
int irtx_settings_defaults(struct device *dev, struct irtx_settings *settings)
{
	*settings = (struct irtx_settings) { .lead_ns = IRTX_LEAD_LEARNT };

	return irtx_knob_parse(dev, &irtx_knob_mode, settings, mode) ?:
	       irtx_knob_parse(dev, &irtx_knob_priority, settings, priority) ?:
	       irtx_knob_set(dev, &irtx_knob_cpu, settings, cpu) ?:
	       irtx_knob_set(dev, &irtx_knob_margin_max_ns, settings, margin_max_ns) ?:
	       irtx_knob_set(dev, &irtx_knob_max_irqs_off_us, settings, max_irqs_off_us);
}
