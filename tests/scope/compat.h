/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the virtual hardware needs on kernels whose PWM core is an older one.
 * Kbuild looks for a symbol in the headers and defines SCOPE_HAS_….
 */
#ifndef SCOPE_COMPAT_H
#define SCOPE_COMPAT_H

#include <linux/err.h>
#include <linux/pwm.h>
#include <linux/slab.h>

/* Up to 6.8 a driver made its chip itself */
#ifndef SCOPE_HAS_PWMCHIP_ALLOC
static inline struct pwm_chip *devm_pwmchip_alloc(struct device *parent, unsigned int npwm,
						  size_t size)
{
	struct pwm_chip *chip = devm_kzalloc(parent, sizeof(*chip) + size, GFP_KERNEL);

	if (!chip)
		return ERR_PTR(-ENOMEM);

	chip->dev = parent;
	chip->npwm = npwm;

	return chip;
}

static inline void *pwmchip_get_drvdata(struct pwm_chip *chip)
{
	return chip + 1;
}
#endif

/* Up to 6.7 a chip could not say that it does not sleep */
static inline void scope_set_atomic(struct pwm_chip *chip, bool atomic)
{
#ifdef SCOPE_HAS_PWM_APPLY_ATOMIC
	chip->atomic = atomic;
#endif
}

#endif
