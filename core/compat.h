/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one place that knows about kernel versions. Kbuild looks for a symbol in
 * the kernel's headers and defines IRTX_HAS_…, because stable and vendor
 * kernels carry backports that no version number shows.
 */
#ifndef IRTX_COMPAT_H
#define IRTX_COMPAT_H

#include <linux/pwm.h>

/* Up to 6.7 nothing tells whether a PWM may be set with interrupts off */
#ifndef IRTX_HAS_PWM_APPLY_ATOMIC
static inline bool pwm_might_sleep(struct pwm_device *pwm)
{
	return true;
}

static inline int pwm_apply_might_sleep(struct pwm_device *pwm,
					const struct pwm_state *state)
{
	return pwm_apply_state(pwm, state);
}

static inline int pwm_apply_atomic(struct pwm_device *pwm,
				   const struct pwm_state *state)
{
	return -EOPNOTSUPP;
}
#endif

/* Up to 6.8 a PWM chip was no device of its own and named its parent "dev" */
#ifndef IRTX_HAS_PWMCHIP_PARENT
static inline struct device *pwmchip_parent(const struct pwm_chip *chip)
{
	return chip->dev;
}
#endif

#endif
