/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the virtual hardware needs on kernels whose PWM and GPIO cores are older
 * ones. Kbuild looks for a symbol in the headers and defines SCOPE_HAS_….
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

/* From 6.15 on, and where that was backported, setting a line can fail */
#if defined(SCOPE_HAS_GPIO_SET_RV) || defined(SCOPE_HAS_GPIO_SET_INT)
#define scope_set_return int
static inline int scope_set_result(int error)
{
	return error;
}
#else
#define scope_set_return void
static inline void scope_set_result(int error)
{
}
#endif

/* Until 6.18 or so those that can fail stood beside those that cannot */
#ifdef SCOPE_HAS_GPIO_SET_RV
#define scope_set_member set_rv
#define scope_set_multiple_member set_multiple_rv
#else
#define scope_set_member set
#define scope_set_multiple_member set_multiple
#endif

#endif
