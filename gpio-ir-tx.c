// SPDX-License-Identifier: GPL-2.0-only
/*
 * gpio-ir-tx: sends infrared with GPIO lines. irtx-core switches them, both for
 * the edges and for the carrier.
 */

#include <linux/err.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/platform_device.h>

#include "core/irtx.h"

static int gpio_ir_probe(struct platform_device *pdev)
{
	const struct irtx_desc desc = {
		.driver_name = "gpio-ir-tx",
		.device_name = "GPIO IR Bit Banging Transmitter",
		.pwm = ERR_PTR(-ENOENT),
	};

	return devm_irtx_register(&pdev->dev, &desc);
}

static void gpio_ir_shutdown(struct platform_device *pdev)
{
	irtx_shutdown(&pdev->dev);
}

static const struct of_device_id gpio_ir_of_match[] = {
	{ .compatible = "gpio-ir-tx" },
	{ }
};
MODULE_DEVICE_TABLE(of, gpio_ir_of_match);

static struct platform_driver gpio_ir_driver = {
	.probe = gpio_ir_probe,
	.shutdown = gpio_ir_shutdown,
	.driver = {
		.name = "gpio-ir-tx",
		.of_match_table = gpio_ir_of_match,
	},
};
module_platform_driver(gpio_ir_driver);

MODULE_DESCRIPTION("Infrared transmitter on GPIO lines, with exact edges");
MODULE_AUTHOR("the irtx authors");
MODULE_LICENSE("GPL");
