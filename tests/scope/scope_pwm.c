// SPDX-License-Identifier: GPL-2.0-only
/*
 * scope-pwm: a PWM chip that the tests can make fail, be slow or be one that
 * sleeps. It is a real provider in the real PWM subsystem, without a carrier.
 */

#include <linux/bits.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pwm.h>

#include "compat.h"
#include "params.h"
#include "scope.h"

struct scope_pwm {
	struct scope *scope;
};

static int scope_pwm_apply(struct pwm_chip *chip, struct pwm_device *pwm,
			   const struct pwm_state *state)
{
	struct scope_pwm *mine = pwmchip_get_drvdata(chip);
	u32 line = BIT(pwm->hwpwm);
	struct scope_wave wave = {
		.period_ns = state->period,
		.high_ns = state->duty_cycle,
	};

	if (state->polarity != PWM_POLARITY_NORMAL)
		return -EINVAL;

	return scope_call(mine->scope, line, state->enabled && state->duty_cycle ? line : 0,
			  wave);
}

static const struct pwm_ops scope_pwm_ops = {
	.apply = scope_pwm_apply,
};

static int scope_pwm_probe(struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;
	struct scope_pwm *mine;
	struct pwm_chip *chip;
	struct scope *scope;

	scope = devm_scope_create(dev, &faults, "npwm");
	if (IS_ERR(scope))
		return PTR_ERR(scope);

	chip = devm_pwmchip_alloc(dev, scope_lines(scope), sizeof(*mine));
	if (IS_ERR(chip))
		return PTR_ERR(chip);

	mine = pwmchip_get_drvdata(chip);
	mine->scope = scope;
	chip->ops = &scope_pwm_ops;
	scope_set_atomic(chip, !faults.may_sleep);

	return devm_pwmchip_add(dev, chip);
}

static const struct of_device_id scope_pwm_of_match[] = {
	{ .compatible = "irtx,scope-pwm" },
	{ }
};
MODULE_DEVICE_TABLE(of, scope_pwm_of_match);

static struct platform_driver scope_pwm_driver = {
	.probe = scope_pwm_probe,
	.driver = {
		.name = "scope-pwm",
		.of_match_table = scope_pwm_of_match,
	},
};
module_platform_driver(scope_pwm_driver);

MODULE_DESCRIPTION("A PWM that can be made to fail");
MODULE_LICENSE("GPL");
