// SPDX-License-Identifier: GPL-2.0-only
/*
 * scope-gpio: a GPIO chip that the tests can make fail, be slow or be one that
 * sleeps. It is a real provider in the real GPIO subsystem; all its lines are
 * outputs, low at first.
 *
 * Where the kernel's set function returns nothing (see compat.h) a line that
 * fails just does not move; setting its direction can fail on every kernel.
 */

#include <linux/bits.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/gpio/driver.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/platform_device.h>

#include "compat.h"
#include "params.h"
#include "scope.h"

static bool no_multiple;
module_param(no_multiple, bool, 0444);
MODULE_PARM_DESC(no_multiple, "Be a chip that sets its lines one by one (default N)");

static const struct scope_wave steady = { };

static int scope_gpio_get_direction(struct gpio_chip *gc, unsigned int offset)
{
	return GPIO_LINE_DIRECTION_OUT;
}

static int scope_gpio_get(struct gpio_chip *gc, unsigned int offset)
{
	return scope_is_on(gpiochip_get_data(gc), offset);
}

static int scope_gpio_direction_output(struct gpio_chip *gc, unsigned int offset, int value)
{
	return scope_call(gpiochip_get_data(gc), BIT(offset), value ? BIT(offset) : 0, steady);
}

static scope_set_return scope_gpio_set(struct gpio_chip *gc, unsigned int offset, int value)
{
	return scope_set_result(scope_gpio_direction_output(gc, offset, value));
}

static scope_set_return scope_gpio_set_multiple(struct gpio_chip *gc, unsigned long *mask,
						unsigned long *bits)
{
	return scope_set_result(scope_call(gpiochip_get_data(gc), *mask, *bits, steady));
}

static int scope_gpio_probe(struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;
	struct gpio_chip *gc;
	struct scope *scope;

	scope = devm_scope_create(dev, &faults, "ngpios");
	if (IS_ERR(scope))
		return PTR_ERR(scope);

	gc = devm_kzalloc(dev, sizeof(*gc), GFP_KERNEL);
	if (!gc)
		return -ENOMEM;

	gc->label = dev_name(dev);
	gc->parent = dev;
	gc->owner = THIS_MODULE;
	gc->base = -1;
	gc->ngpio = scope_lines(scope);
	gc->can_sleep = faults.may_sleep;
	gc->get_direction = scope_gpio_get_direction;
	gc->direction_output = scope_gpio_direction_output;
	gc->get = scope_gpio_get;
	gc->scope_set_member = scope_gpio_set;
	if (!no_multiple)
		gc->scope_set_multiple_member = scope_gpio_set_multiple;

	return devm_gpiochip_add_data(dev, gc, scope);
}

static const struct of_device_id scope_gpio_of_match[] = {
	{ .compatible = "irtx,scope-gpio" },
	{ }
};
MODULE_DEVICE_TABLE(of, scope_gpio_of_match);

static struct platform_driver scope_gpio_driver = {
	.probe = scope_gpio_probe,
	.driver = {
		.name = "scope-gpio",
		.of_match_table = scope_gpio_of_match,
	},
};
module_platform_driver(scope_gpio_driver);

MODULE_DESCRIPTION("A GPIO chip that can be made to fail");
MODULE_LICENSE("GPL");
