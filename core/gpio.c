// SPDX-License-Identifier: GPL-2.0-only
/*
 * GPIO lines as an emitter. They can be on or off; the carrier is made by the
 * engine.
 */

#include <linux/bitmap.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/gpio/consumer.h>
#include <linux/slab.h>

#include "compat.h"
#include "gpio.h"
#include "irtx.h"

/**
 * struct irtx_gpio - GPIO lines as an emitter
 * @emitter: the emitter
 * @lines: all lines
 * @selected: those that are switched
 * @nr_selected: how many these are
 * @on: a value for each of @selected, all on
 * @off: a value for each of @selected, all off
 */
struct irtx_gpio {
	struct irtx_emitter emitter;
	struct gpio_descs *lines;
	struct gpio_desc *selected[IRTX_MAX_LINES];
	unsigned int nr_selected;
	DECLARE_BITMAP(on, IRTX_MAX_LINES);
	DECLARE_BITMAP(off, IRTX_MAX_LINES);
};

static struct irtx_gpio *to_irtx_gpio(struct irtx_emitter *emitter)
{
	return container_of(emitter, struct irtx_gpio, emitter);
}

static void irtx_gpio_select(struct irtx_emitter *emitter, u32 mask)
{
	struct irtx_gpio *gpio = to_irtx_gpio(emitter);
	unsigned int i;

	gpio->nr_selected = 0;
	for (i = 0; i < emitter->lines; i++)
		if (mask & BIT(i))
			gpio->selected[gpio->nr_selected++] = gpio->lines->desc[i];
}

/* One line is a carrier's business, too, and has the shorter way. */
static int irtx_gpio_set(struct irtx_emitter *emitter, bool on)
{
	struct irtx_gpio *gpio = to_irtx_gpio(emitter);

	if (gpio->nr_selected == 1)
		return irtx_gpiod_set_value(gpio->selected[0], on);

	return gpiod_set_array_value(gpio->nr_selected, gpio->selected, NULL,
				     on ? gpio->on : gpio->off);
}

static int irtx_gpio_dark(struct irtx_emitter *emitter)
{
	struct irtx_gpio *gpio = to_irtx_gpio(emitter);
	unsigned int i;
	int ret = 0;

	for (i = 0; i < emitter->lines; i++)
		ret = irtx_gpiod_set_value(gpio->lines->desc[i], false) ?: ret;

	return ret;
}

static const struct irtx_emitter_ops irtx_gpio_ops = {
	.select = irtx_gpio_select,
	.set = irtx_gpio_set,
	.dark = irtx_gpio_dark,
};

static char *irtx_gpio_name(struct device *dev, const struct gpio_descs *lines)
{
	char *name = NULL;
	unsigned int i;

	for (i = 0; i < lines->ndescs; i++) {
		name = devm_irtx_name(dev, name, "GPIO", irtx_gpiod_chip(lines->desc[i]),
				      "line", irtx_gpiod_line(lines->desc[i]));
		if (!name)
			return NULL;
	}

	return name;
}

/*
 * A line that may sleep hangs on a bus that takes longer to reach than a carrier
 * cycle lasts, and not always equally long: it could make neither carrier nor edges.
 */
static int irtx_gpio_check(struct device *dev, const struct gpio_descs *lines)
{
	unsigned int i;

	if (lines->ndescs > IRTX_MAX_LINES)
		return dev_err_probe(dev, -EINVAL, "%u GPIOs are named, and at most %u can be\n",
				     lines->ndescs, IRTX_MAX_LINES);

	for (i = 0; i < lines->ndescs; i++)
		if (gpiod_cansleep(lines->desc[i]))
			return dev_err_probe(dev, -EOPNOTSUPP,
					     "GPIO %s line %u may sleep, so it can make no carrier: use a GPIO of the SoC itself\n",
					     irtx_gpiod_chip(lines->desc[i]),
					     irtx_gpiod_line(lines->desc[i]));

	return 0;
}

static int irtx_gpio_init(struct irtx_gpio *gpio, struct device *dev)
{
	int ret;

	ret = irtx_gpio_check(dev, gpio->lines);
	if (ret)
		return ret;

	gpio->emitter.name = irtx_gpio_name(dev, gpio->lines);
	if (!gpio->emitter.name)
		return -ENOMEM;
	gpio->emitter.abilities = IRTX_GPIO_ABILITIES;
	gpio->emitter.lines = gpio->lines->ndescs;
	gpio->emitter.ops = &irtx_gpio_ops;
	bitmap_fill(gpio->on, IRTX_MAX_LINES);

	return 0;
}

/**
 * irtx_gpio_named() - does a device name GPIOs to send with?
 * @dev: the device
 *
 * Context: Process, may sleep.
 * Return: true if it does, be they there or not.
 */
bool irtx_gpio_named(struct device *dev)
{
	return gpiod_count(dev, NULL) > 0;
}

/**
 * irtx_gpio_get() - take the GPIOs that a device names
 * @dev: the device
 *
 * Context: Process, may sleep.
 * Return: the emitter, dark; an ERR_PTR() with a message: -EINVAL for more than
 * %IRTX_MAX_LINES of them, -EOPNOTSUPP for one that may sleep, -ENOMEM, or the
 * errno with which they cannot be had.
 */
struct irtx_emitter *irtx_gpio_get(struct device *dev)
{
	struct irtx_gpio *gpio;
	int ret;

	gpio = kzalloc(sizeof(*gpio), GFP_KERNEL);
	if (!gpio)
		return ERR_PTR(-ENOMEM);

	gpio->lines = gpiod_get_array(dev, NULL, GPIOD_OUT_LOW);
	if (IS_ERR(gpio->lines)) {
		ret = dev_err_probe(dev, PTR_ERR(gpio->lines), "cannot get the GPIOs\n");
		kfree(gpio);
		return ERR_PTR(ret);
	}

	ret = irtx_gpio_init(gpio, dev);
	if (ret) {
		irtx_gpio_put(&gpio->emitter);
		return ERR_PTR(ret);
	}

	return &gpio->emitter;
}

/**
 * irtx_gpio_put() - give GPIOs back
 * @emitter: from irtx_gpio_get(), dark
 *
 * Context: Process, may sleep.
 */
void irtx_gpio_put(struct irtx_emitter *emitter)
{
	struct irtx_gpio *gpio = to_irtx_gpio(emitter);

	gpiod_put_array(gpio->lines);
	kfree(gpio);
}
