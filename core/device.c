// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device: makes an emitter an rc device that can transmit.
 */

#include <linux/device.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/timekeeping.h>
#include <media/rc-core.h>

#include "compat-math.h"
#include "device.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

static int irtx_tune(struct irtx_device *irtx, const struct irtx_carrier *carrier,
		     u32 *made_hz)
{
	*made_hz = carrier->hz;

	return irtx->desc.ops->tune(irtx->desc.emitter, carrier, made_hz);
}

/*
 * The frequency next to a refused one that the hardware takes, found by asking
 * it: no interface tells its limits. A bisection between the default carrier,
 * which it took at probe, and the refused one takes at most 32 questions.
 */
static u32 irtx_limit_hz(struct irtx_device *irtx,
			 const struct irtx_carrier *refused)
{
	struct irtx_carrier try = *refused;
	u32 good_hz = IRTX_CARRIER_DEFAULT_HZ;
	u32 bad_hz = refused->hz;
	u32 made_hz;

	while (abs_diff(good_hz, bad_hz) > 1) {
		try.hz = min(good_hz, bad_hz) + abs_diff(good_hz, bad_hz) / 2;
		if (irtx_tune(irtx, &try, &made_hz))
			bad_hz = try.hz;
		else
			good_hz = try.hz;
	}

	return good_hz;
}

static void irtx_say_refused(struct irtx_device *irtx,
			     const struct irtx_carrier *refused, int error)
{
	const char *name = irtx->desc.emitter_name;

	if (!refused->hz)
		dev_err_ratelimited(irtx->dev,
				    "carrier 0: %s cannot be steadily on for unmodulated pulses (%pe)\n",
				    name, ERR_PTR(error));
	else if (error == -EINVAL && refused->hz != IRTX_CARRIER_DEFAULT_HZ)
		dev_err_ratelimited(irtx->dev,
				    "carrier %u Hz: out of range, the limit of %s is %u Hz\n",
				    refused->hz, name, irtx_limit_hz(irtx, refused));
	else
		dev_err_ratelimited(irtx->dev,
				    "carrier %u Hz with %u %% duty: %s fails with %pe\n",
				    refused->hz, refused->duty_pct, name, ERR_PTR(error));
}

static int irtx_try(struct irtx_device *irtx, const struct irtx_carrier *wanted,
		    u32 *made_hz)
{
	int ret;

	ret = irtx_tune(irtx, wanted, made_hz);
	if (ret) {
		irtx_say_refused(irtx, wanted, ret);
		return ret;
	}

	if (!irtx_carrier_tolerable(wanted->hz, *made_hz)) {
		dev_err_ratelimited(irtx->dev,
				    "carrier %u Hz: the nearest that %s makes is %u Hz, and it may be off by %u %% only\n",
				    wanted->hz, irtx->desc.emitter_name, *made_hz,
				    IRTX_CARRIER_TOLERANCE_PPM / 10000);
		return -EINVAL;
	}

	return 0;
}

static void irtx_take(struct irtx_device *irtx, const struct irtx_carrier *carrier,
		      u32 made_hz)
{
	mutex_lock(&irtx->publish);
	irtx->carrier = *carrier;
	irtx->made_hz = made_hz;
	mutex_unlock(&irtx->publish);
}

/* Changes the carrier, or leaves everything as it was. */
static int irtx_set(struct irtx_device *irtx, const struct irtx_carrier *wanted)
{
	u32 made_hz;
	int ret;

	ret = irtx_try(irtx, wanted, &made_hz);
	if (ret)
		irtx_tune(irtx, &irtx->carrier, &made_hz);
	else
		irtx_take(irtx, wanted, made_hz);

	return ret;
}

static int irtx_s_tx_carrier(struct rc_dev *rc, u32 hz)
{
	struct irtx_device *irtx = rc->priv;
	struct irtx_carrier wanted = irtx->carrier;

	wanted.hz = hz;

	return irtx_set(irtx, &wanted);
}

static int irtx_s_tx_duty_cycle(struct rc_dev *rc, u32 duty_pct)
{
	struct irtx_device *irtx = rc->priv;
	struct irtx_carrier wanted = irtx->carrier;

	wanted.duty_pct = duty_pct;

	return irtx_set(irtx, &wanted);
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
	irtx->choice = irtx_choose(irtx->settings.mode, irtx->desc.abilities,
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

static int irtx_dark(struct irtx_device *irtx)
{
	int ret;

	ret = irtx_engine_dark(&irtx->engine);
	if (ret)
		dev_crit(irtx->dev, "%s cannot be switched off (%pe): it may be lit\n",
			 irtx->desc.emitter_name, ERR_PTR(ret));

	return ret;
}

static int irtx_send(struct irtx_device *irtx)
{
	const struct irtx_plan *plan = &irtx->engine.plan;
	int ret, dark;

	trace_irtx_tx_start(irtx->rc->minor, plan->nr_edges,
			    plan->due_ns[plan->nr_edges - 1], &irtx->carrier,
			    irtx->engine.choice.mode);
	ret = irtx_engine_send(&irtx->engine);
	dark = irtx_dark(irtx);
	trace_irtx_tx_done(irtx->rc->minor, irtx->engine.log->nr, ret ?: dark);

	if (ret && ret != -EINTR)
		dev_err_ratelimited(irtx->dev,
				    "%s failed at edge %u of %u: %pe; the signal was cut off\n",
				    irtx->desc.emitter_name, irtx->engine.log->nr,
				    plan->nr_edges, ERR_PTR(ret));

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
	struct irtx_choice choice;

	lockdep_assert_held(&irtx->publish);
	choice = irtx_choose(wanted->mode, irtx->desc.abilities, &irtx->engine.auto_state);
	if (choice.mode == IRTX_MODE_DEFAULT) {
		dev_err_ratelimited(irtx->dev, "mode %s: %s\n",
				    irtx_mode_names[wanted->mode], choice.why);
		return -EINVAL;
	}
	irtx->settings = *wanted;
	irtx->choice = choice;

	return 0;
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
	irtx->engine.desc = &irtx->desc;
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

static int irtx_set_defaults(struct irtx_device *irtx)
{
	struct irtx_settings settings;
	int ret;

	ret = irtx_settings_defaults(irtx->dev, &settings);
	if (ret)
		return ret;

	mutex_lock(&irtx->publish);
	ret = irtx_device_set(irtx, &settings);
	mutex_unlock(&irtx->publish);

	return ret;
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

static int irtx_register_rc(struct irtx_device *irtx)
{
	struct rc_dev *rc;
	int ret;

	rc = devm_rc_allocate_device(irtx->dev, RC_DRIVER_IR_RAW_TX);
	if (!rc)
		return -ENOMEM;

	rc->priv = irtx;
	rc->driver_name = irtx->desc.driver_name;
	rc->device_name = irtx->desc.device_name;
	rc->tx_ir = irtx_tx_ir;
	rc->s_tx_carrier = irtx_s_tx_carrier;
	rc->s_tx_duty_cycle = irtx_s_tx_duty_cycle;
	irtx->rc = rc;

	ret = devm_rc_register_device(irtx->dev, rc);
	if (ret)
		return ret;
	irtx->engine.minor = rc->minor;

	return 0;
}

/**
 * devm_irtx_register() - make an emitter a transmitter
 * @dev: the emitter's device; everything goes with it
 * @desc: the emitter; copied, but what it points to must live as long as @dev
 *
 * The emitter is dark afterwards, whatever state the firmware left it in, and
 * ready for 38 kHz at a duty cycle of 50 %.
 *
 * Context: Process, may sleep.
 * Return: 0; -EINVAL when the emitter cannot make the default carrier, or when a
 * module parameter asks for what it does not allow; the errno with which the
 * emitter failed; -ENOMEM.
 */
int devm_irtx_register(struct device *dev, const struct irtx_desc *desc)
{
	static const struct irtx_carrier carrier = {
		.hz = IRTX_CARRIER_DEFAULT_HZ,
		.duty_pct = IRTX_DUTY_DEFAULT_PCT,
	};
	struct irtx_device *irtx;
	u32 made_hz;
	int ret;

	irtx = irtx_alloc(dev, desc);
	if (!irtx)
		return -ENOMEM;

	ret = irtx_set_defaults(irtx);
	if (ret)
		return ret;

	ret = irtx_dark(irtx);
	if (ret)
		return ret;

	ret = irtx_try(irtx, &carrier, &made_hz);
	if (ret)
		return ret;
	irtx_take(irtx, &carrier, made_hz);

	ret = irtx_start(irtx);
	if (ret)
		return ret;

	ret = irtx_add_group(irtx);
	if (ret)
		return ret;

	ret = irtx_register_rc(irtx);
	if (ret)
		return dev_err_probe(dev, ret, "cannot register an rc device\n");

	irtx_debugfs_add(irtx);
	ret = devm_add_action_or_reset(dev, irtx_remove_debugfs, irtx);
	if (ret)
		return ret;

	dev_info(dev, "%s sends by %s in %s mode, since %s\n",
		 dev_name(&irtx->rc->dev), desc->emitter_name,
		 irtx_mode_names[irtx->choice.mode], irtx->choice.why);

	return 0;
}
EXPORT_SYMBOL_GPL(devm_irtx_register);

/**
 * irtx_shutdown() - leave the emitter dark, since the machine goes down
 * @dev: the emitter's device
 *
 * A PWM goes on without a kernel. What is being sent ends at its next edge.
 *
 * Context: Process, may sleep.
 */
void irtx_shutdown(struct device *dev)
{
	struct irtx_device *irtx = dev_get_drvdata(dev);

	WRITE_ONCE(irtx->down, true);
	WRITE_ONCE(irtx->engine.abort, true);
	mutex_lock(&irtx->rc->lock);
	irtx_dark(irtx);
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
