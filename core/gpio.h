/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GPIO lines as an emitter, which any transmitter may have.
 */
#ifndef IRTX_GPIO_H
#define IRTX_GPIO_H

#include <linux/types.h>

struct device;
struct irtx_emitter;

bool irtx_gpio_named(struct device *dev);
struct irtx_emitter *irtx_gpio_get(struct device *dev);
void irtx_gpio_put(struct irtx_emitter *emitter);

#endif
