// SPDX-License-Identifier: GPL-2.0-only
/*
 * The emitters of a transmitter: takes the one that is to send into use, changes
 * to another one, and keeps it dark.
 */

#include <linux/bits.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/panic_notifier.h>
#include <media/rc-core.h>

#include "compat.h"
#include "device.h"
#include "gpio.h"

/**
 * devm_irtx_name() - name an emitter for people, line by line
 * @dev: its device, with which the name goes
 * @name: what this function made of the lines before; NULL for the first
 * @kind: kind of emitter
 * @chip: chip of the next line
 * @line: what the chip's lines are called
 * @number: number of the line
 *
 * The lines are in the order of the transmitter mask's bits.
 *
 * Context: Process, may sleep.
 * Return: the name, or NULL when there is no memory.
 */
char *devm_irtx_name(struct device *dev, char *name, const char *kind, const char *chip,
		     const char *line, unsigned int number)
{
	if (!name)
		return devm_kasprintf(dev, GFP_KERNEL, "%s %s %s %u", kind, chip, line, number);

	return devm_kasprintf(dev, GFP_KERNEL, "%s, %s %s %u", name, chip, line, number);
}
EXPORT_SYMBOL_GPL(devm_irtx_name);

/* How long after it could not be switched off an emitter is tried again */
#define IRTX_DARK_AGAIN_MS	100

static int irtx_emitter_try_dark(struct irtx_device *irtx, struct irtx_emitter *emitter)
{
	int ret;

	ret = emitter->ops->dark(emitter);
	emitter->stuck = ret;
	if (ret)
		dev_crit_ratelimited(irtx->dev, "%s cannot be switched off (%pe): it may be lit\n",
				     emitter->name, ERR_PTR(ret));

	return ret;
}

/**
 * irtx_emitter_dark() - switch the emitter off, whatever state it is in
 * @irtx: the device, guarded
 *
 * Every way out of a transmission comes through here, successful ones, too. An
 * emitter that cannot be switched off is tried again until it can.
 *
 * Context: Process, may sleep; under the rc device's lock.
 * Return: 0, or the errno with which the emitter failed: it may be lit.
 */
int irtx_emitter_dark(struct irtx_device *irtx)
{
	int ret;

	ret = irtx_emitter_try_dark(irtx, irtx->engine.emitter);
	if (ret)
		schedule_delayed_work(&irtx->dark_again, msecs_to_jiffies(IRTX_DARK_AGAIN_MS));

	return ret;
}

/* The one that is stuck need not be the one in use: the user may have changed it. */
static bool irtx_emitter_free_stuck(struct irtx_device *irtx)
{
	struct irtx_emitter *emitter;
	bool stuck = false;
	int kind;

	for (kind = 0; kind < IRTX_KINDS; kind++) {
		emitter = irtx->emitters[kind];
		if (!emitter || !emitter->stuck)
			continue;
		if (irtx_emitter_try_dark(irtx, emitter))
			stuck = true;
		else
			dev_info(irtx->dev, "%s is off at last\n", emitter->name);
	}

	return stuck;
}

static void irtx_emitter_dark_again(struct work_struct *work)
{
	struct irtx_device *irtx = container_of(to_delayed_work(work), struct irtx_device,
						dark_again);

	mutex_lock(&irtx->rc->lock);
	if (irtx_emitter_free_stuck(irtx))
		schedule_delayed_work(&irtx->dark_again, msecs_to_jiffies(IRTX_DARK_AGAIN_MS));
	mutex_unlock(&irtx->rc->lock);
}

static int irtx_emitter_panic(struct notifier_block *panic, unsigned long action, void *text)
{
	irtx_engine_panic(&container_of(panic, struct irtx_device, panic)->engine);

	return NOTIFY_DONE;
}

/**
 * irtx_emitter_guard() - keep an emitter dark, come what may
 * @irtx: the device, its emitter in use and its rc device allocated
 *
 * Context: Process, may sleep.
 */
void irtx_emitter_guard(struct irtx_device *irtx)
{
	INIT_DELAYED_WORK(&irtx->dark_again, irtx_emitter_dark_again);
	irtx->panic.notifier_call = irtx_emitter_panic;
	atomic_notifier_chain_register(&panic_notifier_list, &irtx->panic);
}

/**
 * irtx_emitter_unguard() - let go of an emitter, dark if that can be had
 * @irtx: the device, with nobody left to send
 *
 * Context: Process, may sleep.
 */
void irtx_emitter_unguard(struct irtx_device *irtx)
{
	atomic_notifier_chain_unregister(&panic_notifier_list, &irtx->panic);
	cancel_delayed_work_sync(&irtx->dark_again);
	irtx_emitter_try_dark(irtx, irtx->engine.emitter);
	irtx_emitter_free_stuck(irtx);
}

/* GPIOs are not taken before they are needed: the PWM may have the same pin. */
static struct irtx_emitter *irtx_emitter_get(struct irtx_device *irtx, enum irtx_kind kind)
{
	struct irtx_emitter *emitter = irtx->emitters[kind];

	if (!emitter) {
		emitter = irtx_gpio_get(irtx->dev);
		if (!IS_ERR(emitter))
			irtx->emitters[kind] = emitter;
	}

	return emitter;
}

/* How fast the software may be that makes its carrier */
static int irtx_emitter_measure(struct irtx_device *irtx, struct irtx_emitter *emitter,
				u32 *switch_ns)
{
	int ret;

	ret = irtx_engine_measure(emitter, switch_ns);
	if (ret)
		dev_err(irtx->dev, "%s cannot be switched (%pe)\n", emitter->name, ERR_PTR(ret));

	return ret;
}

static int irtx_emitter_prepare(struct irtx_device *irtx, struct irtx_emitter *emitter,
				const struct irtx_carrier *carrier, u32 *made_hz)
{
	int ret;

	ret = irtx_emitter_try_dark(irtx, emitter);
	if (ret)
		return ret;

	emitter->ops->select(emitter, irtx_emitter_all(emitter));
	if (!emitter->ops->tune) {
		ret = irtx_emitter_measure(irtx, emitter, &emitter->switch_ns);
		if (ret)
			return ret;
	}

	return irtx_tune_try(irtx, emitter, carrier, made_hz);
}

static int irtx_emitter_commit(struct irtx_device *irtx, enum irtx_kind kind,
			       const struct irtx_carrier *carrier, u32 made_hz)
{
	struct irtx_emitter *emitter = irtx->emitters[kind];
	int ret;

	mutex_lock(&irtx->publish);
	ret = irtx_device_choose(irtx, irtx->settings.mode, emitter->abilities);
	if (!ret) {
		irtx->kind = kind;
		irtx->mask = irtx_emitter_all(emitter);
		irtx_engine_take(&irtx->engine, emitter, emitter->switch_ns);
		irtx_tune_take(irtx, carrier, made_hz);
	}
	mutex_unlock(&irtx->publish);

	return ret;
}

static int irtx_emitter_use(struct irtx_device *irtx, enum irtx_kind kind,
			    const struct irtx_carrier *carrier)
{
	struct irtx_emitter *emitter = irtx_emitter_get(irtx, kind);
	u32 made_hz;
	int ret;

	if (IS_ERR(emitter))
		return PTR_ERR(emitter);

	ret = irtx_emitter_prepare(irtx, emitter, carrier, &made_hz);
	if (ret)
		return ret;

	return irtx_emitter_commit(irtx, kind, carrier, made_hz);
}

static void irtx_emitter_make_offer(struct irtx_device *irtx)
{
	struct irtx_emitter *pwm = irtx->desc.pwm;
	struct irtx_offer *offer = &irtx->offer;

	offer->error[IRTX_KIND_PWM] = PTR_ERR_OR_ZERO(pwm);
	if (!IS_ERR(pwm)) {
		offer->abilities[IRTX_KIND_PWM] = pwm->abilities;
		irtx->emitters[IRTX_KIND_PWM] = pwm;
	}
	offer->error[IRTX_KIND_GPIO] = irtx_gpio_named(irtx->dev) ? 0 : -ENOENT;
	offer->abilities[IRTX_KIND_GPIO] = IRTX_GPIO_ABILITIES;
}

static int irtx_emitter_none(struct irtx_device *irtx, const char *why)
{
	const int *error = irtx->offer.error;
	int ret = error[IRTX_KIND_PWM];

	if (ret == -ENOENT)
		ret = error[IRTX_KIND_GPIO];

	return dev_err_probe(irtx->dev, ret, "%s\n", why);
}

/**
 * irtx_emitter_open() - take the better one of the emitters that work into use
 * @irtx: the device, its settings filled in
 * @carrier: the carrier to tune it to
 *
 * Context: Process, may sleep.
 * Return: 0 with the emitter dark; -EPROBE_DEFER; the errno with which the last one
 * of them failed; -ENOENT when none is named.
 */
int irtx_emitter_open(struct irtx_device *irtx, const struct irtx_carrier *carrier)
{
	struct irtx_pick pick;
	int ret;

	irtx_emitter_make_offer(irtx);
	for (;;) {
		pick = irtx_pick(IRTX_KIND_AUTO, &irtx->offer);
		if (pick.kind == IRTX_KIND_AUTO)
			return irtx_emitter_none(irtx, pick.why);
		ret = irtx_emitter_use(irtx, pick.kind, carrier);
		if (!ret || ret == -EPROBE_DEFER)
			break;
		irtx->offer.error[pick.kind] = ret;
	}
	irtx->kind_why = pick.why;

	return ret;
}

/**
 * irtx_emitter_close() - give the emitters back
 * @irtx: the device, with nobody left to send
 *
 * Context: Process, may sleep.
 */
void irtx_emitter_close(struct irtx_device *irtx)
{
	struct irtx_emitter *gpio = irtx->emitters[IRTX_KIND_GPIO];

	if (gpio)
		irtx_gpio_put(gpio);
}

static int irtx_emitter_change(struct irtx_device *irtx, enum irtx_kind asked)
{
	struct irtx_pick pick = irtx_pick(asked, &irtx->offer);
	int ret;

	if (pick.kind == IRTX_KIND_AUTO) {
		dev_err_ratelimited(irtx->dev, "tx_emitter %s: %s\n", irtx_kind_names[asked],
				    pick.why);
		return -EINVAL;
	}

	ret = pick.kind == irtx->kind ? 0 :
	      irtx_emitter_use(irtx, pick.kind, &irtx->carrier);
	if (ret == -EPROBE_DEFER) {
		dev_err_ratelimited(irtx->dev, "tx_emitter %s: its chip is not there (yet)\n",
				    irtx_kind_names[asked]);
		return -ENODEV;
	}
	if (ret)
		return ret;

	mutex_lock(&irtx->publish);
	irtx->kind_asked = asked;
	irtx->kind_why = pick.why;
	mutex_unlock(&irtx->publish);

	return 0;
}

/**
 * irtx_emitter_ask() - send with this kind of emitter from now on
 * @irtx: the device
 * @asked: the kind
 *
 * Carrier and duty cycle stay; the transmitter mask is all lines again. On error
 * everything stays as it was, but for the pin of a GPIO that was tried for the
 * first time: it stays a GPIO.
 *
 * Context: Process, may sleep; waits for the end of a transmission.
 * Return: 0; -EINVAL, with the reason in the log, when that kind is not there or
 * cannot send with the carrier or the mode that is set; the errno with which it
 * failed.
 */
int irtx_emitter_ask(struct irtx_device *irtx, enum irtx_kind asked)
{
	int ret;

	mutex_lock(&irtx->rc->lock);
	ret = irtx_emitter_change(irtx, asked);
	mutex_unlock(&irtx->rc->lock);

	return ret;
}

/* Fewer lines may be switched faster, which the edges of the next signal must know. */
static int irtx_emitter_retake(struct irtx_device *irtx, struct irtx_emitter *emitter)
{
	u32 switch_ns;
	int ret;

	ret = irtx_emitter_measure(irtx, emitter, &switch_ns);
	if (!ret)
		irtx_engine_take(&irtx->engine, emitter, switch_ns);

	return ret;
}

/**
 * irtx_emitter_select() - choose the lines that send
 * @irtx: the device
 * @mask: a bit for each line, the first one in bit 0
 *
 * Context: Process, under the rc device's lock.
 * Return: 0; the number of lines when there are not so many, as LIRC wants it; -EINVAL
 * for none; the errno with which the emitter failed.
 */
int irtx_emitter_select(struct irtx_device *irtx, u32 mask)
{
	struct irtx_emitter *emitter = irtx->engine.emitter;

	if (mask & ~irtx_emitter_all(emitter))
		return emitter->lines;
	if (!mask) {
		dev_err_ratelimited(irtx->dev, "transmitter mask 0: choose at least one of %u\n",
				    emitter->lines);
		return -EINVAL;
	}

	emitter->ops->select(emitter, mask);
	mutex_lock(&irtx->publish);
	irtx->mask = mask;
	mutex_unlock(&irtx->publish);

	return emitter->ops->tune ? 0 : irtx_emitter_retake(irtx, emitter);
}
