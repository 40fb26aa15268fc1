// SPDX-License-Identifier: GPL-2.0-only
/*
 * pwm-ir-tx: sends infrared with PWMs. They make the carrier, irtx-core switches
 * it on and off at each edge.
 */

#include <linux/clk.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/gpio/consumer.h>
#include <linux/ktime.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/property.h>
#include <linux/pwm.h>

#include "core/compat.h"
#include "core/compat-math.h"
#include "core/irtx.h"

/**
 * struct pwm_ir_line - a PWM
 * @pwm: the PWM
 * @mark: its state while it is on
 * @space: its state between the pulses of a signal
 */
struct pwm_ir_line {
	struct pwm_device *pwm;
	struct pwm_state mark;
	struct pwm_state space;
};

/**
 * struct pwm_ir - PWMs as an emitter
 * @emitter: the emitter
 * @apply: how they are switched during a signal
 * @selected: those that are switched
 * @nr_selected: how many these are
 * @line: all of them
 */
struct pwm_ir {
	struct irtx_emitter emitter;
	int (*apply)(struct pwm_device *pwm, const struct pwm_state *state);
	struct pwm_ir_line *selected[IRTX_MAX_LINES];
	unsigned int nr_selected;
	struct pwm_ir_line line[IRTX_MAX_LINES];
};

static struct pwm_ir *to_pwm_ir(struct irtx_emitter *emitter)
{
	return container_of(emitter, struct pwm_ir, emitter);
}

/*
 * Unmodulated is a duty cycle of 100 %, at the default period as good as any.
 */
static void pwm_ir_set_states(struct pwm_ir_line *line,
			      const struct irtx_carrier *carrier)
{
	pwm_init_state(line->pwm, &line->mark);
	line->mark.period = irtx_carrier_period_ns(carrier->hz ?: IRTX_CARRIER_DEFAULT_HZ);
	line->mark.duty_cycle = carrier->hz ? irtx_carrier_high_ns(carrier) :
				line->mark.period;
	line->mark.enabled = true;

	line->space = line->mark;
	line->space.enabled = false;
}

/*
 * Most PWM drivers do not look at the period of a PWM that is to be off, so
 * the carrier is tried out running, with a duty cycle of nothing. It keeps that
 * on its way back: a duty cycle that arrives before the PWM is off would flash. What the
 * driver thinks of the duty cycle it may say when it gets it last, switched off.
 */
static int pwm_ir_try(const struct pwm_ir_line *line)
{
	struct pwm_state dark = line->mark;
	int ret;

	dark.duty_cycle = 0;
	ret = pwm_apply_might_sleep(line->pwm, &dark);
	if (ret)
		return ret;

	dark.enabled = false;

	return pwm_apply_might_sleep(line->pwm, &dark) ?:
	       pwm_apply_might_sleep(line->pwm, &line->space);
}

/*
 * A PWM's cycle is a whole number of cycles of its clock, which tells what
 * comes of a carrier. Some divide the clock first and are coarser than that;
 * where there is no clock to ask (0) nothing can be said.
 */
static u32 pwm_ir_clock_hz(const struct pwm_ir_line *line)
{
	struct clk *clk = clk_get(pwmchip_parent(line->pwm->chip), NULL);
	unsigned long clock_hz;

	if (IS_ERR(clk))
		return 0;

	clock_hz = clk_get_rate(clk);
	clk_put(clk);

	return clock_hz <= U32_MAX ? clock_hz : 0;
}

static int pwm_ir_tune_line(struct pwm_ir_line *line, const struct irtx_carrier *carrier,
			    u32 *made_hz)
{
	u32 clock_hz = pwm_ir_clock_hz(line);

	if (carrier->hz && clock_hz) {
		*made_hz = irtx_carrier_on_grid_hz(carrier->hz, clock_hz);
		if (*made_hz && !irtx_carrier_duty_fits(carrier, clock_hz))
			return -EINVAL;
	}

	pwm_ir_set_states(line, carrier);

	return pwm_ir_try(line);
}

/* The line that comes off worst speaks for all. */
static int pwm_ir_tune(struct irtx_emitter *emitter, const struct irtx_carrier *carrier,
		       u32 *made_hz)
{
	struct pwm_ir *ir = to_pwm_ir(emitter);
	unsigned int i;
	u32 line_hz;
	int ret;

	for (i = 0; i < emitter->lines; i++) {
		line_hz = carrier->hz;
		ret = pwm_ir_tune_line(&ir->line[i], carrier, &line_hz);
		if (ret)
			return ret;
		if (abs_diff(line_hz, carrier->hz) > abs_diff(*made_hz, carrier->hz))
			*made_hz = line_hz;
	}

	return 0;
}

static void pwm_ir_select(struct irtx_emitter *emitter, u32 mask)
{
	struct pwm_ir *ir = to_pwm_ir(emitter);
	unsigned int i;

	ir->nr_selected = 0;
	for (i = 0; i < emitter->lines; i++)
		if (mask & BIT(i))
			ir->selected[ir->nr_selected++] = &ir->line[i];
}

static int pwm_ir_set_line(const struct pwm_ir *ir, const struct pwm_ir_line *line, bool on)
{
	return ir->apply(line->pwm, on ? &line->mark : &line->space);
}

static int pwm_ir_set(struct irtx_emitter *emitter, bool on)
{
	struct pwm_ir *ir = to_pwm_ir(emitter);
	unsigned int i;
	u64 first_ns;
	int ret;

	ret = pwm_ir_set_line(ir, ir->selected[0], on);
	if (ret || ir->nr_selected == 1) {
		emitter->skew_ns = 0;
		return ret;
	}

	first_ns = ktime_get_ns();
	for (i = 1; i < ir->nr_selected && !ret; i++)
		ret = pwm_ir_set_line(ir, ir->selected[i], on);
	emitter->skew_ns = ktime_get_ns() - first_ns;

	return ret;
}

/*
 * The PWM core does not pass on a state that equals the last one it believes
 * in, which after a failed call need not be what the hardware is in. The two
 * states differ in their period, so at least one of them reaches the hardware.
 */
static int pwm_ir_dark_line(const struct pwm_ir_line *line)
{
	struct pwm_state dark;
	int ret;

	pwm_init_state(line->pwm, &dark);
	dark.enabled = false;
	dark.duty_cycle = 0;
	dark.period = irtx_carrier_period_ns(IRTX_CARRIER_DEFAULT_HZ);
	ret = pwm_apply_might_sleep(line->pwm, &dark);

	dark.period++;

	return pwm_apply_might_sleep(line->pwm, &dark) ?: ret;
}

static int pwm_ir_dark(struct irtx_emitter *emitter)
{
	struct pwm_ir *ir = to_pwm_ir(emitter);
	unsigned int i;
	int ret = 0;

	for (i = 0; i < emitter->lines; i++)
		ret = pwm_ir_dark_line(&ir->line[i]) ?: ret;

	return ret;
}

static const struct irtx_emitter_ops pwm_ir_ops = {
	.tune = pwm_ir_tune,
	.select = pwm_ir_select,
	.set = pwm_ir_set,
	.dark = pwm_ir_dark,
};

/*
 * A PWM that is not there yet may never come. While it may, there is reason to
 * wait; after that, where a GPIO is named, there is none.
 */
static int pwm_ir_no_pwm(struct device *dev, int error)
{
	if (error == -EPROBE_DEFER && gpiod_count(dev, NULL) > 0)
		error = driver_deferred_probe_check_state(dev);

	return dev_err_probe(dev, error, "cannot get the PWM\n");
}

static int pwm_ir_get_line(struct pwm_ir *ir, struct device *dev, const char *name)
{
	struct pwm_device *pwm = devm_pwm_get(dev, name);
	struct irtx_emitter *emitter = &ir->emitter;

	if (IS_ERR(pwm))
		return pwm_ir_no_pwm(dev, PTR_ERR(pwm));

	ir->line[emitter->lines++].pwm = pwm;
	emitter->name = devm_irtx_name(dev, (char *)emitter->name, "PWM",
				       dev_name(pwmchip_parent(pwm->chip)), "channel", pwm->hwpwm);

	return emitter->name ? 0 : -ENOMEM;
}

static void pwm_ir_warn_unnamed(struct device *dev)
{
	struct fwnode_reference_args second;

	if (fwnode_property_get_reference_args(dev_fwnode(dev), "pwms", "#pwm-cells", 0, 1,
					       &second))
		return;

	fwnode_handle_put(second.fwnode);
	dev_warn(dev, "pwms has several entries but pwm-names does not name each: only the first one sends\n");
}

static int pwm_ir_get_first_line(struct pwm_ir *ir, struct device *dev)
{
	pwm_ir_warn_unnamed(dev);

	return pwm_ir_get_line(ir, dev, NULL);
}

/* The kernel hands out PWMs of a device by their names, or the first one. */
static int pwm_ir_get_lines(struct pwm_ir *ir, struct device *dev)
{
	const char *names[IRTX_MAX_LINES] = {};
	int nr, i, ret;

	nr = device_property_string_array_count(dev, "pwm-names");
	if (nr <= 1)
		return pwm_ir_get_first_line(ir, dev);
	if (nr > IRTX_MAX_LINES)
		return dev_err_probe(dev, -EINVAL, "%d PWMs are named, and at most %d can be\n",
				     nr, IRTX_MAX_LINES);

	device_property_read_string_array(dev, "pwm-names", names, nr);
	for (i = 0; i < nr; i++) {
		ret = pwm_ir_get_line(ir, dev, names[i]);
		if (ret)
			return ret;
	}

	return 0;
}

/* All PWMs are switched alike: atomically if all of them can be. */
static void pwm_ir_set_abilities(struct pwm_ir *ir)
{
	unsigned int i;

	for (i = 0; i < ir->emitter.lines; i++) {
		if (pwm_might_sleep(ir->line[i].pwm)) {
			ir->apply = pwm_apply_might_sleep;
			return;
		}
	}
	ir->apply = pwm_apply_atomic;
	ir->emitter.abilities = IRTX_PWM_ABILITIES;
}

static struct irtx_emitter *pwm_ir_get(struct device *dev)
{
	struct pwm_ir *ir;
	int ret;

	if (!device_property_present(dev, "pwms"))
		return ERR_PTR(-ENOENT);

	ir = devm_kzalloc(dev, sizeof(*ir), GFP_KERNEL);
	if (!ir)
		return ERR_PTR(-ENOMEM);

	ret = pwm_ir_get_lines(ir, dev);
	if (ret)
		return ERR_PTR(ret);
	ir->emitter.ops = &pwm_ir_ops;
	pwm_ir_set_abilities(ir);

	return &ir->emitter;
}

static int pwm_ir_probe(struct platform_device *pdev)
{
	struct irtx_desc desc = {
		.driver_name = "pwm-ir-tx",
		.device_name = "PWM IR Transmitter",
	};

	desc.pwm = pwm_ir_get(&pdev->dev);
	if (desc.pwm == ERR_PTR(-EPROBE_DEFER))
		return -EPROBE_DEFER;

	return devm_irtx_register(&pdev->dev, &desc);
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

MODULE_DESCRIPTION("Infrared transmitter on PWMs, with exact edges");
MODULE_AUTHOR("the irtx authors");
MODULE_LICENSE("GPL");
