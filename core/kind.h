/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kinds of emitter a transmitter may have: which of them sends, and why.
 * Pure: no clock, no lock, no device.
 */
#ifndef IRTX_KIND_H
#define IRTX_KIND_H

#include <linux/types.h>

/**
 * enum irtx_kind - kinds of emitter
 * @IRTX_KIND_AUTO: asks for the better one of those that are there
 * @IRTX_KIND_PWM: a PWM, which makes the carrier itself
 * @IRTX_KIND_GPIO: a GPIO, whose carrier is made by software
 * @IRTX_KINDS: how many there are
 */
enum irtx_kind {
	IRTX_KIND_AUTO,
	IRTX_KIND_PWM,
	IRTX_KIND_GPIO,
	IRTX_KINDS
};

/**
 * struct irtx_offer - what is known of the emitters of a transmitter
 * @error: of each kind: 0 = it is there, -ENOENT = it was not named, another
 *	errno = it was named and cannot be used
 * @abilities: of each kind that is there: IRTX_ATOMIC, IRTX_HARDIRQ
 */
struct irtx_offer {
	int error[IRTX_KINDS];
	unsigned int abilities[IRTX_KINDS];
};

/**
 * struct irtx_pick - the kind that sends
 * @kind: PWM or GPIO; IRTX_KIND_AUTO when the request is impossible
 * @why: the reason in words, also of a refusal
 */
struct irtx_pick {
	enum irtx_kind kind;
	const char *why;
};

/* What users call the kinds */
extern const char * const irtx_kind_names[IRTX_KINDS];

struct irtx_pick irtx_pick(enum irtx_kind asked, const struct irtx_offer *offer);

#endif
