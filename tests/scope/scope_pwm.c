// SPDX-License-Identifier: GPL-2.0-only
/*
 * scope-pwm: a PWM that the tests can make fail. It is a real provider in the
 * real PWM subsystem, without a carrier: a GPIO shows whether it is on, so that
 * the oscilloscope sees it. Shares no code with what it tests.
 */

#include <linux/delay.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/gpio/consumer.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pwm.h>

#include "compat.h"

static unsigned int applies;
module_param(applies, uint, 0644);
MODULE_PARM_DESC(applies, "Calls so far; write 0 to count anew");

static unsigned int fail_from;
module_param(fail_from, uint, 0644);
MODULE_PARM_DESC(fail_from, "First call that fails, counted like applies; 0 = none (default)");

static unsigned int fail_count = 1;
module_param(fail_count, uint, 0644);
MODULE_PARM_DESC(fail_count, "How many calls in a row fail (default 1)");

static bool fail_late;
module_param(fail_late, bool, 0644);
MODULE_PARM_DESC(fail_late, "Fail after the pin has moved instead of before (default N)");

static bool may_sleep;
module_param(may_sleep, bool, 0444);
MODULE_PARM_DESC(may_sleep, "Be a PWM that may sleep (default N)");

static unsigned int slow_from;
module_param(slow_from, uint, 0644);
MODULE_PARM_DESC(slow_from, "First call that is slow, counted like applies; 0 = none (default)");

static unsigned int slow_count = 1;
module_param(slow_count, uint, 0644);
MODULE_PARM_DESC(slow_count, "How many calls in a row are slow (default 1)");

static unsigned int slow_us;
module_param(slow_us, uint, 0644);
MODULE_PARM_DESC(slow_us, "How many us longer a slow call takes before the pin moves");

struct scope_pwm {
	struct gpio_desc *lit;
};

static bool scope_pwm_is_within(unsigned int from, unsigned int count)
{
	return from && applies >= from && applies - from < count;
}

static int scope_pwm_apply(struct pwm_chip *chip, struct pwm_device *pwm,
			   const struct pwm_state *state)
{
	struct scope_pwm *scope = pwmchip_get_drvdata(chip);
	bool fails;

	applies++;
	fails = scope_pwm_is_within(fail_from, fail_count);
	if (scope_pwm_is_within(slow_from, slow_count))
		udelay(slow_us);
	if (!fails || fail_late)
		gpiod_set_value(scope->lit, state->enabled && state->duty_cycle);

	return fails ? -EIO : 0;
}

static const struct pwm_ops scope_pwm_ops = {
	.apply = scope_pwm_apply,
};

static int scope_pwm_probe(struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;
	struct scope_pwm *scope;
	struct pwm_chip *chip;

	chip = devm_pwmchip_alloc(dev, 1, sizeof(*scope));
	if (IS_ERR(chip))
		return PTR_ERR(chip);

	scope = pwmchip_get_drvdata(chip);
	scope->lit = devm_gpiod_get(dev, "lit", GPIOD_OUT_LOW);
	if (IS_ERR(scope->lit))
		return dev_err_probe(dev, PTR_ERR(scope->lit), "no lit-gpios\n");

	chip->ops = &scope_pwm_ops;
	scope_set_atomic(chip, !may_sleep);

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
