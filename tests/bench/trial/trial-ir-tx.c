// SPDX-License-Identifier: GPL-2.0-only
/*
 * The change that started this project, as its report describes it, for the benchmark to compare
 * with: interrupts off for the whole signal, udelay() between switching a PWM on and off, and no
 * allowance for the time that anything takes. Not for use: nothing bounds how long it holds a CPU.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pwm.h>
#include <linux/time64.h>
#include <media/rc-core.h>

#define DRIVER_NAME	"trial-ir-tx"
#define DELAY_MAX_US	1000U /* udelay() stops at 2 ms */

struct trial {
	struct pwm_device *pwm;
	u32 carrier_hz;
	u32 duty_pct;
};

static void wait_us(unsigned int left_us)
{
	unsigned int us;

	for (; left_us; left_us -= us) {
		us = min(left_us, DELAY_MAX_US);
		udelay(us);
	}
}

static int trial_tx(struct rc_dev *rc, unsigned int *lengths_us, unsigned int count)
{
	struct trial *trial = rc->priv;
	struct pwm_state state;
	unsigned long flags;
	unsigned int i;

	pwm_init_state(trial->pwm, &state);
	state.period = DIV_ROUND_CLOSEST(NSEC_PER_SEC, trial->carrier_hz);
	pwm_set_relative_duty_cycle(&state, trial->duty_pct, 100);

	local_irq_save(flags);
	for (i = 0; i < count; i++) {
		state.enabled = !(i % 2);
		pwm_apply_atomic(trial->pwm, &state);
		wait_us(lengths_us[i]);
	}
	state.enabled = false;
	pwm_apply_atomic(trial->pwm, &state);
	local_irq_restore(flags);

	return count;
}

static int trial_set_carrier(struct rc_dev *rc, u32 carrier_hz)
{
	struct trial *trial = rc->priv;

	if (!carrier_hz)
		return -EINVAL;
	trial->carrier_hz = carrier_hz;

	return 0;
}

static int trial_set_duty_cycle(struct rc_dev *rc, u32 duty_pct)
{
	struct trial *trial = rc->priv;

	trial->duty_pct = duty_pct;

	return 0;
}

static int trial_probe(struct platform_device *pdev)
{
	struct trial *trial;
	struct rc_dev *rc;

	trial = devm_kzalloc(&pdev->dev, sizeof(*trial), GFP_KERNEL);
	rc = devm_rc_allocate_device(&pdev->dev, RC_DRIVER_IR_RAW_TX);
	if (!trial || !rc)
		return -ENOMEM;

	trial->pwm = devm_pwm_get(&pdev->dev, NULL);
	if (IS_ERR(trial->pwm))
		return PTR_ERR(trial->pwm);
	if (pwm_might_sleep(trial->pwm))
		return -EOPNOTSUPP;

	trial->carrier_hz = 38000;
	trial->duty_pct = 50;
	rc->priv = trial;
	rc->driver_name = DRIVER_NAME;
	rc->device_name = "PWM IR Transmitter, trial";
	rc->tx_ir = trial_tx;
	rc->s_tx_carrier = trial_set_carrier;
	rc->s_tx_duty_cycle = trial_set_duty_cycle;

	return devm_rc_register_device(&pdev->dev, rc);
}

static const struct of_device_id trial_of_match[] = {
	{ .compatible = "pwm-ir-tx" },
	{ }
};
MODULE_DEVICE_TABLE(of, trial_of_match);

static struct platform_driver trial_driver = {
	.probe = trial_probe,
	.driver = {
		.name = DRIVER_NAME,
		.of_match_table = trial_of_match,
	},
};
module_platform_driver(trial_driver);

MODULE_DESCRIPTION("PWM infrared transmitter, a trial to compare with");
MODULE_LICENSE("GPL");
