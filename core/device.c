// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device: makes an emitter an rc device that can transmit.
 */

#include <linux/device.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/property.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/timekeeping.h>
#include <media/rc-core.h>

#include "device.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

static int irtx_s_tx_carrier(struct rc_dev *rc, u32 hz)
{
	struct irtx_device *irtx = rc->priv;
	struct irtx_carrier wanted = irtx->carrier;
	int ret;

	wanted.hz = hz;
	ret = irtx_tune(irtx, &wanted);
	if (ret != -EINVAL || wanted.duty_pct == IRTX_DUTY_DEFAULT_PCT)
		return ret;

	/* The duty cycle may be what another sender has left. */
	wanted.duty_pct = IRTX_DUTY_DEFAULT_PCT;
	ret = irtx_tune(irtx, &wanted);
	if (!ret)
		dev_info_ratelimited(irtx->dev, "carrier %u Hz: taken with %u %% duty\n", hz,
				     wanted.duty_pct);

	return ret;
}

static int irtx_s_tx_duty_cycle(struct rc_dev *rc, u32 duty_pct)
{
	struct irtx_device *irtx = rc->priv;
	struct irtx_carrier wanted = irtx->carrier;

	wanted.duty_pct = duty_pct;

	return irtx_tune(irtx, &wanted);
}

static int irtx_s_tx_mask(struct rc_dev *rc, u32 mask)
{
	return irtx_emitter_select(rc->priv, mask);
}

static void irtx_open_log(struct irtx_device *irtx)
{
	struct irtx_log *log = irtx->engine.log;

	memset(log, 0, offsetof(struct irtx_log, sample));
	log->signal = ++irtx->signals;
	log->asked_ns = ktime_get_ns();
}

/* What the user has set meanwhile counts from this signal on. */
static void irtx_take_settings(struct irtx_device *irtx)
{
	mutex_lock(&irtx->publish);
	irtx->engine.settings = irtx->settings;
	irtx->engine.choice = irtx->choice;
	mutex_unlock(&irtx->publish);
}

static void irtx_rechoose(struct irtx_device *irtx)
{
	irtx->choice = irtx_choose(irtx->settings.mode, irtx->engine.emitter->abilities,
				   &irtx->engine.auto_state);
}

static void irtx_publish(struct irtx_device *irtx, int error)
{
	struct irtx_engine *engine = &irtx->engine;

	engine->log->error = error;

	mutex_lock(&irtx->publish);
	irtx_engine_learn(engine, irtx->stats.threshold_ns);
	irtx_rechoose(irtx);
	irtx->margin_ns = engine->margin_now_ns;
	irtx->lead_ns[false] = irtx_lead_ns(&engine->lead, false);
	irtx->lead_ns[true] = irtx_lead_ns(&engine->lead, true);
	swap(engine->log, irtx->last);
	irtx_stats_fold(&irtx->stats, irtx->last);
	mutex_unlock(&irtx->publish);
}

static void irtx_say_cut_off(const struct irtx_device *irtx, int error)
{
	unsigned int edges = irtx->engine.plan.nr_edges;
	unsigned int edge = irtx->engine.log->nr;

	if (!error || error == -EINTR || error == -ESHUTDOWN)
		return;
	if (error == -ETIMEDOUT)
		dev_err_ratelimited(irtx->dev,
				    "edge %u of %u could not be sent in time, since something held the CPU; the emitter was switched off\n",
				    edge, edges);
	else
		dev_err_ratelimited(irtx->dev,
				    "%s failed at edge %u of %u: %pe; the signal was cut off\n",
				    irtx->engine.emitter->name, edge, edges, ERR_PTR(error));
}

static int irtx_send(struct irtx_device *irtx)
{
	const struct irtx_plan *plan = &irtx->engine.plan;
	int ret, dark;

	trace_irtx_tx_start(irtx->rc->minor, plan->nr_edges,
			    plan->due_ns[plan->nr_edges - 1], &irtx->carrier,
			    irtx->engine.choice.mode);
	ret = irtx_engine_send(&irtx->engine);
	dark = irtx_emitter_dark(irtx);
	trace_irtx_tx_done(irtx->rc->minor, irtx->engine.log->nr, ret ?: dark);

	irtx_say_cut_off(irtx, ret);

	return ret ?: dark;
}

static int irtx_tx_ir(struct rc_dev *rc, unsigned int *length_us,
		      unsigned int count)
{
	struct irtx_device *irtx = rc->priv;
	int ret;

	if (READ_ONCE(irtx->down))
		return -ESHUTDOWN;

	ret = irtx_plan_set(&irtx->engine.plan, length_us, count);
	if (ret)
		return ret;

	irtx_open_log(irtx);
	irtx_take_settings(irtx);
	ret = irtx_send(irtx);
	irtx_publish(irtx, ret);

	return ret ?: count;
}

/**
 * irtx_device_reset() - forget what was measured
 * @irtx: the device
 *
 * The last transmission's edges and the threshold stay.
 *
 * Context: Process, may sleep.
 */
void irtx_device_reset(struct irtx_device *irtx)
{
	mutex_lock(&irtx->publish);
	irtx_stats_reset(&irtx->stats);
	mutex_unlock(&irtx->publish);
}

/**
 * irtx_device_set_threshold() - say from where on an edge is bad
 * @irtx: the device
 * @threshold_ns: the least error of a bad edge, 1 or more
 *
 * The statistics start anew: counts under two thresholds mean nothing.
 *
 * Context: Process, may sleep.
 */
void irtx_device_set_threshold(struct irtx_device *irtx, u32 threshold_ns)
{
	mutex_lock(&irtx->publish);
	irtx->stats.threshold_ns = threshold_ns;
	irtx_stats_reset(&irtx->stats);
	mutex_unlock(&irtx->publish);
}

/**
 * irtx_device_choose() - put a mode in force
 * @irtx: the device
 * @mode: the mode that is asked for
 * @abilities: of the emitter that is to send: IRTX_ATOMIC, IRTX_HARDIRQ
 *
 * Context: Process, under the device's publish lock.
 * Return: 0, or -EINVAL with a message when the emitter does not allow the mode.
 */
int irtx_device_choose(struct irtx_device *irtx, int mode, unsigned int abilities)
{
	struct irtx_choice choice;

	lockdep_assert_held(&irtx->publish);
	choice = irtx_choose(mode, abilities, &irtx->engine.auto_state);
	if (choice.mode == IRTX_MODE_DEFAULT) {
		dev_err_ratelimited(irtx->dev, "mode %s: %s\n", irtx_mode_names[mode],
				    choice.why);
		return -EINVAL;
	}
	irtx->choice = choice;

	return 0;
}

/**
 * irtx_device_set() - change settings
 * @irtx: the device
 * @wanted: the settings, each within its range
 *
 * They count from the next signal on.
 *
 * Context: Process, under the device's publish lock.
 * Return: 0, or -EINVAL with a message when the emitter does not allow the mode.
 */
int irtx_device_set(struct irtx_device *irtx, const struct irtx_settings *wanted)
{
	int ret;

	ret = irtx_device_choose(irtx, wanted->mode, irtx->engine.emitter->abilities);
	if (!ret)
		irtx->settings = *wanted;

	return ret;
}

static void irtx_remove_debugfs(void *data)
{
	irtx_debugfs_remove(data);
}

static void irtx_free(void *data)
{
	kvfree(data);
}

/* The statistics are too large for one run of pages. */
static struct irtx_device *irtx_alloc(struct device *dev,
				      const struct irtx_desc *desc)
{
	struct irtx_device *irtx;

	irtx = kvzalloc(sizeof(*irtx), GFP_KERNEL);
	if (!irtx || devm_add_action_or_reset(dev, irtx_free, irtx))
		return NULL;

	irtx->dev = dev;
	irtx->desc = *desc;
	irtx->engine.dev = dev;
	irtx->engine.log = &irtx->logs[0];
	irtx->last = &irtx->logs[1];
	irtx->stats.threshold_ns = IRTX_THRESHOLD_DEFAULT_NS;
	irtx_stats_reset(&irtx->stats);
	mutex_init(&irtx->publish);
	dev_set_drvdata(dev, irtx);

	return irtx;
}

static void irtx_stop(void *data)
{
	irtx_engine_stop(data);
}

static int irtx_start(struct irtx_device *irtx)
{
	int ret;

	ret = irtx_engine_start(&irtx->engine);
	if (ret)
		return dev_err_probe(irtx->dev, ret, "cannot create the sending thread\n");

	return devm_add_action_or_reset(irtx->dev, irtx_stop, &irtx->engine);
}

static void irtx_close_emitters(void *data)
{
	irtx_emitter_close(data);
}

static int irtx_default_carrier(struct device *dev, struct irtx_carrier *carrier)
{
	carrier->hz = IRTX_CARRIER_DEFAULT_HZ;
	carrier->duty_pct = IRTX_DUTY_DEFAULT_PCT;
	device_property_read_u32(dev, "default-carrier-hz", &carrier->hz);
	if (carrier->hz > IRTX_CARRIER_DEFAULT_MAX_HZ)
		return dev_err_probe(dev, -EINVAL, "default-carrier-hz: 0 to %u, not %u\n",
				     IRTX_CARRIER_DEFAULT_MAX_HZ, carrier->hz);

	return 0;
}

static int irtx_open(struct irtx_device *irtx)
{
	struct irtx_carrier carrier;
	int ret;

	ret = irtx_settings_defaults(irtx->dev, &irtx->settings) ?:
	      irtx_default_carrier(irtx->dev, &carrier);
	if (ret)
		return ret;

	ret = devm_add_action_or_reset(irtx->dev, irtx_close_emitters, irtx);
	if (ret)
		return ret;

	return irtx_emitter_open(irtx, &carrier);
}

static void irtx_remove_group(void *data)
{
	struct irtx_device *irtx = data;

	sysfs_remove_group(&irtx->dev->kobj, &irtx_settings_group);
}

/* Before the rc device, so that udev finds the files when that appears. */
static int irtx_add_group(struct irtx_device *irtx)
{
	int ret;

	ret = sysfs_create_group(&irtx->dev->kobj, &irtx_settings_group);
	if (ret)
		return dev_err_probe(irtx->dev, ret, "cannot create its files in sysfs\n");

	return devm_add_action_or_reset(irtx->dev, irtx_remove_group, irtx);
}

static int irtx_alloc_rc(struct irtx_device *irtx)
{
	struct rc_dev *rc;

	rc = devm_rc_allocate_device(irtx->dev, RC_DRIVER_IR_RAW_TX);
	if (!rc)
		return -ENOMEM;

	rc->priv = irtx;
	rc->driver_name = irtx->desc.driver_name;
	rc->device_name = irtx->desc.device_name;
	rc->tx_ir = irtx_tx_ir;
	rc->s_tx_carrier = irtx_s_tx_carrier;
	rc->s_tx_duty_cycle = irtx_s_tx_duty_cycle;
	rc->s_tx_mask = irtx_s_tx_mask;
	irtx->rc = rc;

	return 0;
}

static void irtx_unguard(void *data)
{
	irtx_emitter_unguard(data);
}

/* Between the rc device's birth and the day it can be sent to. */
static int irtx_guard(struct irtx_device *irtx)
{
	irtx_emitter_guard(irtx);

	return devm_add_action_or_reset(irtx->dev, irtx_unguard, irtx);
}

static int irtx_register_rc(struct irtx_device *irtx)
{
	int ret;

	ret = devm_rc_register_device(irtx->dev, irtx->rc);
	if (ret)
		return dev_err_probe(irtx->dev, ret, "cannot register an rc device\n");
	irtx->engine.minor = irtx->rc->minor;

	return 0;
}

static void irtx_say_ready(const struct irtx_device *irtx)
{
	if (irtx->kind == IRTX_KIND_GPIO && irtx->offer.error[IRTX_KIND_PWM] != -ENOENT)
		dev_info(irtx->dev, "a GPIO sends instead of the PWM, since %s\n", irtx->kind_why);
	dev_info(irtx->dev, "%s sends by %s in %s mode, since %s\n", dev_name(&irtx->rc->dev),
		 irtx->engine.emitter->name, irtx_mode_names[irtx->choice.mode],
		 irtx->choice.why);
}

/**
 * devm_irtx_register() - make an emitter a transmitter
 * @dev: the emitter's device; everything goes with it
 * @desc: the transmitter; copied, but what it points to must live as long as @dev
 *
 * Where the device names GPIOs they send if the driver's emitter cannot, or not
 * with interrupts off. The emitter is dark afterwards, whatever state the firmware
 * left it in, and ready for the carrier of the property default-carrier-hz, or 38
 * kHz, at a duty cycle of 50 %.
 *
 * Context: Process, may sleep.
 * Return: 0; -EINVAL when no emitter can make that carrier, or when a module
 * parameter asks for what it does not allow; the errno with which the emitter
 * failed or cannot be had, -EPROBE_DEFER among them; -ENOENT when there is none;
 * -ENOMEM.
 */
int devm_irtx_register(struct device *dev, const struct irtx_desc *desc)
{
	struct irtx_device *irtx;
	int ret;

	irtx = irtx_alloc(dev, desc);
	if (!irtx)
		return -ENOMEM;

	ret = irtx_open(irtx) ?:
	      irtx_start(irtx) ?:
	      irtx_alloc_rc(irtx) ?:
	      irtx_guard(irtx) ?:
	      irtx_add_group(irtx) ?:
	      irtx_register_rc(irtx);
	if (ret)
		return ret;

	irtx_debugfs_add(irtx);
	ret = devm_add_action_or_reset(dev, irtx_remove_debugfs, irtx);
	if (ret)
		return ret;

	irtx_say_ready(irtx);

	return 0;
}
EXPORT_SYMBOL_GPL(devm_irtx_register);

/**
 * irtx_shutdown() - leave the emitter dark, since the machine goes down
 * @dev: the emitter's device
 *
 * A PWM goes on without a kernel. What is being sent ends with its next pulse.
 *
 * Context: Process, may sleep.
 */
void irtx_shutdown(struct device *dev)
{
	struct irtx_device *irtx = dev_get_drvdata(dev);

	WRITE_ONCE(irtx->down, true);
	WRITE_ONCE(irtx->engine.abort, -ESHUTDOWN);
	mutex_lock(&irtx->rc->lock);
	irtx_emitter_dark(irtx);
	mutex_unlock(&irtx->rc->lock);
}
EXPORT_SYMBOL_GPL(irtx_shutdown);

static int __init irtx_init(void)
{
	irtx_settings_init();
	irtx_debugfs_init();

	return 0;
}
module_init(irtx_init);

static void __exit irtx_exit(void)
{
	irtx_debugfs_exit();
}
module_exit(irtx_exit);

MODULE_DESCRIPTION("Infrared transmit with exact edges: schedule, timing, statistics");
MODULE_AUTHOR("the irtx authors");
MODULE_LICENSE("GPL");
