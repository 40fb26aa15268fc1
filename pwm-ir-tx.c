// SPDX-License-Identifier: GPL-2.0-only
/*
 * pwm-ir-tx: sends infrared with a PWM. The PWM makes the carrier, irtx-core
 * switches it on and off at each edge.
 */

#include <linux/clk.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pwm.h>

#include "core/compat.h"
#include "core/irtx.h"

/**
 * struct pwm_ir - a PWM as an emitter
 * @pwm: the PWM
 * @apply: how it is switched during a signal
 * @mark: its state while the emitter is on
 * @space: its state between the pulses of a signal
 */
struct pwm_ir {
	struct pwm_device *pwm;
	int (*apply)(struct pwm_device *pwm, const struct pwm_state *state);
	struct pwm_state mark;
	struct pwm_state space;
};

/*
 * Unmodulated is a duty cycle of 100 %, at the default period as good as any.
 */
static void pwm_ir_set_states(struct pwm_ir *ir,
			      const struct irtx_carrier *carrier)
{
	pwm_init_state(ir->pwm, &ir->mark);
	ir->mark.period = irtx_carrier_period_ns(carrier->hz ?: IRTX_CARRIER_DEFAULT_HZ);
	ir->mark.duty_cycle = carrier->hz ? irtx_carrier_high_ns(carrier) : ir->mark.period;
	ir->mark.enabled = true;

	ir->space = ir->mark;
	ir->space.enabled = false;
}

/*
 * Most PWM drivers do not look at the period of a PWM that is to be off, so
 * the carrier is tried out running, with a duty cycle of nothing. It keeps that
 * on its way back: a duty cycle that arrives before the PWM is off would flash. What the
 * driver thinks of the duty cycle it may say when it gets it last, switched off.
 */
static int pwm_ir_try(struct pwm_ir *ir)
{
	struct pwm_state dark = ir->mark;
	int ret;

	dark.duty_cycle = 0;
	ret = pwm_apply_might_sleep(ir->pwm, &dark);
	if (ret)
		return ret;

	dark.enabled = false;

	return pwm_apply_might_sleep(ir->pwm, &dark) ?:
	       pwm_apply_might_sleep(ir->pwm, &ir->space);
}

/*
 * A PWM's cycle is a whole number of cycles of its clock, which tells what
 * comes of a carrier. Some divide the clock first and are coarser than that;
 * where there is no clock to ask (0) nothing can be said.
 */
static u32 pwm_ir_clock_hz(struct pwm_ir *ir)
{
	struct clk *clk = clk_get(pwmchip_parent(ir->pwm->chip), NULL);
	unsigned long clock_hz;

	if (IS_ERR(clk))
		return 0;

	clock_hz = clk_get_rate(clk);
	clk_put(clk);

	return clock_hz <= U32_MAX ? clock_hz : 0;
}

static int pwm_ir_tune(void *emitter, const struct irtx_carrier *carrier,
		       u32 *made_hz)
{
	struct pwm_ir *ir = emitter;
	u32 clock_hz = pwm_ir_clock_hz(ir);

	if (carrier->hz && clock_hz) {
		*made_hz = irtx_carrier_on_grid_hz(carrier->hz, clock_hz);
		if (*made_hz && !irtx_carrier_duty_fits(carrier, clock_hz))
			return -EINVAL;
	}

	pwm_ir_set_states(ir, carrier);

	return pwm_ir_try(ir);
}

static int pwm_ir_set(void *emitter, bool on)
{
	struct pwm_ir *ir = emitter;

	return ir->apply(ir->pwm, on ? &ir->mark : &ir->space);
}

/*
 * The PWM core does not pass on a state that equals the last one it believes
 * in, which after a failed call need not be what the hardware is in. The two
 * states differ in their period, so at least one of them reaches the hardware.
 */
static int pwm_ir_dark(void *emitter)
{
	struct pwm_ir *ir = emitter;
	struct pwm_state dark;
	int ret;

	pwm_init_state(ir->pwm, &dark);
	dark.enabled = false;
	dark.duty_cycle = 0;
	dark.period = irtx_carrier_period_ns(IRTX_CARRIER_DEFAULT_HZ);
	ret = pwm_apply_might_sleep(ir->pwm, &dark);

	dark.period++;

	return pwm_apply_might_sleep(ir->pwm, &dark) ?: ret;
}

static const struct irtx_emitter_ops pwm_ir_ops = {
	.tune = pwm_ir_tune,
	.set = pwm_ir_set,
	.dark = pwm_ir_dark,
};

static const char *pwm_ir_name(struct device *dev, const struct pwm_device *pwm)
{
	return devm_kasprintf(dev, GFP_KERNEL, "PWM %s channel %u",
			      dev_name(pwmchip_parent(pwm->chip)), pwm->hwpwm);
}

static int pwm_ir_probe(struct platform_device *pdev)
{
	struct irtx_desc desc = {
		.driver_name = "pwm-ir-tx",
		.device_name = "PWM IR Transmitter",
		.ops = &pwm_ir_ops,
	};
	struct device *dev = &pdev->dev;
	struct pwm_ir *ir;

	ir = devm_kzalloc(dev, sizeof(*ir), GFP_KERNEL);
	if (!ir)
		return -ENOMEM;

	ir->pwm = devm_pwm_get(dev, NULL);
	if (IS_ERR(ir->pwm))
		return dev_err_probe(dev, PTR_ERR(ir->pwm), "cannot get the PWM\n");

	desc.emitter = ir;
	desc.emitter_name = pwm_ir_name(dev, ir->pwm);
	if (!desc.emitter_name)
		return -ENOMEM;

	if (pwm_might_sleep(ir->pwm)) {
		ir->apply = pwm_apply_might_sleep;
	} else {
		ir->apply = pwm_apply_atomic;
		desc.abilities = IRTX_PWM_ABILITIES;
	}

	return devm_irtx_register(dev, &desc);
}

static void pwm_ir_shutdown(struct platform_device *pdev)
{
	irtx_shutdown(&pdev->dev);
}

static const struct of_device_id pwm_ir_of_match[] = {
	{ .compatible = "pwm-ir-tx" },
	{ .compatible = "nokia,n900-ir" },
	{ }
};
MODULE_DEVICE_TABLE(of, pwm_ir_of_match);

static struct platform_driver pwm_ir_driver = {
	.probe = pwm_ir_probe,
	.shutdown = pwm_ir_shutdown,
	.driver = {
		.name = "pwm-ir-tx",
		.of_match_table = pwm_ir_of_match,
	},
};
module_platform_driver(pwm_ir_driver);

MODULE_DESCRIPTION("Infrared transmitter on a PWM, with exact edges");
MODULE_AUTHOR("the irtx authors");
MODULE_LICENSE("GPL");
