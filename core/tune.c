// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tuning: finds out whether an emitter can send with a carrier, says what its
 * limit is where it cannot, and puts the carrier in force where it can.
 */

#include <linux/device.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>

#include "compat-math.h"
#include "device.h"

/* A carrier in software: does the emitter switch within its shortest stretch? */
static int irtx_tune_soft(struct irtx_device *irtx, const struct irtx_emitter *emitter,
			  const struct irtx_carrier *carrier)
{
	u32 step_ns = irtx_engine_step_ns(emitter);
	struct irtx_wave wave;

	if (!carrier->hz)
		return 0;

	irtx_wave_set(&wave, carrier);
	if (irtx_wave_shortest_ns(&wave) >= step_ns)
		return 0;

	dev_err_ratelimited(irtx->dev,
			    "carrier %u Hz with %u %% duty: %s can be switched every %u ns, so the limit at this duty cycle is %u Hz\n",
			    carrier->hz, carrier->duty_pct, emitter->name, step_ns,
			    irtx_wave_limit_hz(carrier->duty_pct, step_ns));

	return -EINVAL;
}

static int irtx_tune_hard(struct irtx_emitter *emitter, const struct irtx_carrier *carrier,
			  u32 *made_hz)
{
	*made_hz = carrier->hz;

	return emitter->ops->tune(emitter, carrier, made_hz);
}

/*
 * The frequency next to a refused one that the hardware takes, found by asking
 * it: no interface tells its limits. A bisection between the default carrier,
 * which it took at probe, and the refused one takes at most 32 questions.
 */
static u32 irtx_limit_hz(struct irtx_emitter *emitter, const struct irtx_carrier *refused)
{
	struct irtx_carrier try = *refused;
	u32 good_hz = IRTX_CARRIER_DEFAULT_HZ;
	u32 bad_hz = refused->hz;
	u32 made_hz;

	while (abs_diff(good_hz, bad_hz) > 1) {
		try.hz = min(good_hz, bad_hz) + abs_diff(good_hz, bad_hz) / 2;
		if (irtx_tune_hard(emitter, &try, &made_hz))
			bad_hz = try.hz;
		else
			good_hz = try.hz;
	}

	return good_hz;
}

static void irtx_say_refused(struct irtx_device *irtx, struct irtx_emitter *emitter,
			     const struct irtx_carrier *refused, int error)
{
	if (!refused->hz)
		dev_err_ratelimited(irtx->dev,
				    "carrier 0: %s cannot be steadily on for unmodulated pulses (%pe)\n",
				    emitter->name, ERR_PTR(error));
	else if (error == -EINVAL && refused->hz != IRTX_CARRIER_DEFAULT_HZ)
		dev_err_ratelimited(irtx->dev,
				    "carrier %u Hz: out of range, the limit of %s is %u Hz\n",
				    refused->hz, emitter->name, irtx_limit_hz(emitter, refused));
	else
		dev_err_ratelimited(irtx->dev,
				    "carrier %u Hz with %u %% duty: %s fails with %pe\n",
				    refused->hz, refused->duty_pct, emitter->name,
				    ERR_PTR(error));
}

/**
 * irtx_tune_try() - tune an emitter
 * @irtx: the device
 * @emitter: one of its emitters, dark
 * @wanted: the carrier
 * @made_hz: set to the frequency that is made for it, as far as can be known
 *
 * Context: Process, may sleep.
 * Return: 0; -EINVAL, with the limit in the log, when it cannot make this carrier
 * within %IRTX_CARRIER_TOLERANCE_PPM; the errno with which it failed.
 */
int irtx_tune_try(struct irtx_device *irtx, struct irtx_emitter *emitter,
		  const struct irtx_carrier *wanted, u32 *made_hz)
{
	int ret;

	*made_hz = wanted->hz;
	if (!emitter->ops->tune)
		return irtx_tune_soft(irtx, emitter, wanted);

	ret = irtx_tune_hard(emitter, wanted, made_hz);
	if (ret) {
		irtx_say_refused(irtx, emitter, wanted, ret);
		return ret;
	}

	if (!irtx_carrier_tolerable(wanted->hz, *made_hz)) {
		dev_err_ratelimited(irtx->dev,
				    "carrier %u Hz: the nearest that %s makes is %u Hz, and it may be off by %u %% only\n",
				    wanted->hz, emitter->name, *made_hz,
				    IRTX_CARRIER_TOLERANCE_PPM / 10000);
		return -EINVAL;
	}

	return 0;
}

/**
 * irtx_tune_take() - put a carrier in force
 * @irtx: the device, its emitter tuned to @carrier
 * @carrier: the carrier
 * @made_hz: the frequency that is made for it
 *
 * Context: Process, under the device's publish lock and that of its rc device.
 */
void irtx_tune_take(struct irtx_device *irtx, const struct irtx_carrier *carrier,
		    u32 made_hz)
{
	bool soft = carrier->hz && !irtx->engine.emitter->ops->tune;

	lockdep_assert_held(&irtx->publish);
	irtx->carrier = *carrier;
	irtx->made_hz = made_hz;
	irtx->engine.wave = NULL;
	if (!soft)
		return;
	irtx_wave_set(&irtx->wave, carrier);
	irtx->engine.wave = &irtx->wave;
}

/**
 * irtx_tune() - change the carrier, or leave everything as it was
 * @irtx: the device
 * @wanted: the carrier
 *
 * Context: Process, may sleep; under the rc device's lock.
 * Return: as irtx_tune_try().
 */
int irtx_tune(struct irtx_device *irtx, const struct irtx_carrier *wanted)
{
	struct irtx_emitter *emitter = irtx->engine.emitter;
	u32 made_hz;
	int ret;

	ret = irtx_tune_try(irtx, emitter, wanted, &made_hz);
	if (ret) {
		if (emitter->ops->tune)
			irtx_tune_hard(emitter, &irtx->carrier, &made_hz);
		return ret;
	}

	mutex_lock(&irtx->publish);
	irtx_tune_take(irtx, wanted, made_hz);
	mutex_unlock(&irtx->publish);

	return 0;
}
