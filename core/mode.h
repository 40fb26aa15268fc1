/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The modes: what they are called, what they need, and which of them is in
 * force. Pure: no clock, no lock, no device.
 */
#ifndef IRTX_MODE_H
#define IRTX_MODE_H

#include <linux/bits.h>
#include <linux/types.h>

/**
 * enum irtx_mode - ways to wait for an edge
 * @IRTX_MODE_DEFAULT: asks for busy where the emitter allows it, else thread
 * @IRTX_MODE_BUSY: interrupts off, udelay and spin
 * @IRTX_MODE_HYBRID: a timer wakes us early, then spin with interrupts off
 * @IRTX_MODE_THREAD: a real-time thread sleeps, then spins with interrupts on
 * @IRTX_MODE_AUTO: asks for hybrid, and busy for a while after a lost edge
 * @IRTX_MODES: how many there are
 *
 * The numbers appear in trace events.
 */
enum irtx_mode {
	IRTX_MODE_DEFAULT,
	IRTX_MODE_BUSY,
	IRTX_MODE_HYBRID,
	IRTX_MODE_THREAD,
	IRTX_MODE_AUTO,
	IRTX_MODES
};

/* What an emitter can stand */
#define IRTX_ATOMIC	BIT(0)	/* being switched with interrupts off */
#define IRTX_HARDIRQ	BIT(1)	/* being switched by a hard interrupt handler */

/**
 * struct irtx_choice - the mode in force
 * @mode: busy, hybrid or thread; IRTX_MODE_DEFAULT when the request is impossible
 * @hardirq: hybrid's timer switches the emitter itself, instead of waking the
 *	sending thread
 * @why: the reason in words, also of a refusal
 */
struct irtx_choice {
	enum irtx_mode mode;
	bool hardirq;
	const char *why;
};

/* Signals that auto mode sends busy after an edge was lost */
#define IRTX_AUTO_BUSY_SIGNALS	16

/**
 * struct irtx_auto - what auto mode remembers
 * @busy_left: signals still to be sent busy
 * @changes: how often it changed between hybrid and busy
 */
struct irtx_auto {
	unsigned int busy_left;
	u64 changes;
};

/* What users call the modes */
extern const char * const irtx_mode_names[IRTX_MODES];

struct irtx_choice irtx_choose(enum irtx_mode asked, unsigned int abilities,
			       const struct irtx_auto *state);
bool irtx_auto_learn(struct irtx_auto *state, bool lost_edge);

#endif
