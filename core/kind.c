// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kinds of emitter: which of them sends, and why.
 */

#include <linux/errno.h>

#include "kind.h"
#include "mode.h"

const char * const irtx_kind_names[IRTX_KINDS] = {
	[IRTX_KIND_AUTO] = "auto",
	[IRTX_KIND_PWM] = "pwm",
	[IRTX_KIND_GPIO] = "gpio",
};

static struct irtx_pick irtx_pick_asked(enum irtx_kind asked, int error)
{
	if (!error)
		return (struct irtx_pick) { asked, "it was asked for" };
	if (error == -ENOENT)
		return (struct irtx_pick) { .why = "none is named" };

	return (struct irtx_pick) { .why = "it cannot be used" };
}

static struct irtx_pick irtx_pick_gpio(int pwm_error)
{
	return (struct irtx_pick) {
		.kind = IRTX_KIND_GPIO,
		.why = !pwm_error ? "the PWM cannot be switched with interrupts off" :
		       pwm_error == -ENOENT ? "no PWM is named" : "the PWM cannot be used",
	};
}

/**
 * irtx_pick() - find the kind of emitter that sends
 * @asked: what the user asks for
 * @offer: what is there
 *
 * A PWM makes a better carrier than software can. It is passed over only for a
 * GPIO that can be switched with interrupts off where the PWM cannot, since
 * then the edges would suffer.
 *
 * Context: Any.
 * Return: the kind with its reason; IRTX_KIND_AUTO as the kind with the reason
 * why the request is impossible.
 */
struct irtx_pick irtx_pick(enum irtx_kind asked, const struct irtx_offer *offer)
{
	bool pwm = !offer->error[IRTX_KIND_PWM];
	bool gpio = !offer->error[IRTX_KIND_GPIO];
	bool gpio_is_better = gpio && !(offer->abilities[IRTX_KIND_PWM] & IRTX_ATOMIC) &&
			      (offer->abilities[IRTX_KIND_GPIO] & IRTX_ATOMIC);

	if (asked != IRTX_KIND_AUTO)
		return irtx_pick_asked(asked, offer->error[asked]);
	if (pwm && !gpio_is_better)
		return (struct irtx_pick) {
			.kind = IRTX_KIND_PWM,
			.why = gpio ? "it is as good as the GPIO, and its carrier better" :
				      "no GPIO can take its place",
		};
	if (gpio)
		return irtx_pick_gpio(offer->error[IRTX_KIND_PWM]);

	return (struct irtx_pick) {
		.why = offer->error[IRTX_KIND_PWM] == -ENOENT &&
		       offer->error[IRTX_KIND_GPIO] == -ENOENT ?
			"neither a PWM nor a GPIO is named" :
			"no emitter that is named can be used",
	};
}
