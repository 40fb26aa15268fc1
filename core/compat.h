/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one place that knows about kernel versions. Kbuild looks for a symbol in
 * the kernel's headers and defines IRTX_HAS_…, because stable and vendor
 * kernels carry backports that no version number shows.
 */
#ifndef IRTX_COMPAT_H
#define IRTX_COMPAT_H

#include <linux/gpio/consumer.h>
#include <linux/gpio/driver.h>
#include <linux/hrtimer.h>
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

/*
 * What a PWM that is not said to sleep stands. With PREEMPT_RT nothing: the
 * spinlocks of its driver and of the PWM core sleep there. From 6.13 on the core
 * takes one around an atomic apply, elsewhere with interrupts on: a hard
 * interrupt handler could wait for it for ever.
 */
#if IS_ENABLED(CONFIG_PREEMPT_RT)
#define IRTX_PWM_ABILITIES	0
#elif defined(IRTX_HAS_PWM_ATOMIC_LOCK)
#define IRTX_PWM_ABILITIES	IRTX_ATOMIC
#else
#define IRTX_PWM_ABILITIES	(IRTX_ATOMIC | IRTX_HARDIRQ)
#endif

/* Up to 6.12 an hrtimer was initialised and then given its function */
static inline void irtx_hrtimer_setup(struct hrtimer *timer,
				      enum hrtimer_restart (*function)(struct hrtimer *),
				      enum hrtimer_mode mode)
{
#ifdef IRTX_HAS_HRTIMER_SETUP
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, mode);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, mode);
	timer->function = function;
#endif
}

/* Up to 6.8 a PWM chip was no device of its own and named its parent "dev" */
#ifndef IRTX_HAS_PWMCHIP_PARENT
static inline struct device *pwmchip_parent(const struct pwm_chip *chip)
{
	return chip->dev;
}
#endif

/*
 * What a GPIO that is not said to sleep stands. With PREEMPT_RT nothing: the
 * spinlock of its driver may sleep there, which nothing tells.
 */
#if IS_ENABLED(CONFIG_PREEMPT_RT)
#define IRTX_GPIO_ABILITIES	0
#else
#define IRTX_GPIO_ABILITIES	(IRTX_ATOMIC | IRTX_HARDIRQ)
#endif

/* Up to 6.15, but for backports, setting a GPIO could not fail */
static inline int irtx_gpiod_set_value(struct gpio_desc *line, int value)
{
#ifdef IRTX_HAS_GPIO_SET_ERRNO
	return gpiod_set_value(line, value);
#else
	gpiod_set_value(line, value);

	return 0;
#endif
}

/* Up to 6.7 a GPIO led to its chip, from then on to its device */
static inline const char *irtx_gpiod_chip(struct gpio_desc *line)
{
#ifdef IRTX_HAS_GPIO_DEVICE
	return gpio_device_get_label(gpiod_to_gpio_device(line));
#else
	return gpiod_to_chip(line)->label;
#endif
}

static inline unsigned int irtx_gpiod_line(struct gpio_desc *line)
{
#ifdef IRTX_HAS_GPIO_DEVICE
	return desc_to_gpio(line) - gpio_device_get_base(gpiod_to_gpio_device(line));
#else
	return desc_to_gpio(line) - gpiod_to_chip(line)->base;
#endif
}

#endif
