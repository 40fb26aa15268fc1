// SPDX-License-Identifier: GPL-2.0-only
/*
 * The modes: which of them is in force, and why.
 */

#include "mode.h"

const char * const irtx_mode_names[IRTX_MODES] = {
	[IRTX_MODE_DEFAULT] = "default",
	[IRTX_MODE_BUSY] = "busy",
	[IRTX_MODE_HYBRID] = "hybrid",
	[IRTX_MODE_THREAD] = "thread",
	[IRTX_MODE_AUTO] = "auto",
};

static struct irtx_choice irtx_choose_hybrid(unsigned int abilities, const char *why)
{
	return (struct irtx_choice) {
		.mode = IRTX_MODE_HYBRID,
		.hardirq = abilities & IRTX_HARDIRQ,
		.why = why,
	};
}

static struct irtx_choice irtx_choose_auto(unsigned int abilities,
					   const struct irtx_auto *state)
{
	if (!state->busy_left)
		return irtx_choose_hybrid(abilities, "auto, and no edge was lost of late");

	return (struct irtx_choice) {
		.mode = IRTX_MODE_BUSY,
		.why = "auto, after hybrid lost an edge",
	};
}

static struct irtx_choice irtx_choose_sleeping(enum irtx_mode asked)
{
	if (asked == IRTX_MODE_THREAD)
		return (struct irtx_choice) { IRTX_MODE_THREAD, .why = "it was asked for" };
	if (asked == IRTX_MODE_DEFAULT || asked == IRTX_MODE_AUTO)
		return (struct irtx_choice) {
			.mode = IRTX_MODE_THREAD,
			.why = "the emitter may sleep and cannot be switched with interrupts off",
		};

	return (struct irtx_choice) {
		.why = "this emitter may sleep: thread, auto and default are possible",
	};
}

/**
 * irtx_choose() - find the mode that is in force
 * @asked: what the user asks for
 * @abilities: what the emitter can stand: IRTX_ATOMIC, IRTX_HARDIRQ
 * @state: what auto mode remembers
 *
 * Context: Any.
 * Return: the mode with its reason; IRTX_MODE_DEFAULT as the mode with the
 * reason why the request is impossible.
 */
struct irtx_choice irtx_choose(enum irtx_mode asked, unsigned int abilities,
			       const struct irtx_auto *state)
{
	if (!(abilities & IRTX_ATOMIC))
		return irtx_choose_sleeping(asked);

	switch (asked) {
	case IRTX_MODE_AUTO:
		return irtx_choose_auto(abilities, state);
	case IRTX_MODE_HYBRID:
		return irtx_choose_hybrid(abilities, "it was asked for");
	case IRTX_MODE_DEFAULT:
		return (struct irtx_choice) {
			.mode = IRTX_MODE_BUSY,
			.why = "the emitter can be switched with interrupts off",
		};
	default:
		return (struct irtx_choice) { asked, .why = "it was asked for" };
	}
}

/**
 * irtx_auto_learn() - tell auto mode what became of a signal
 * @state: what it remembers
 * @lost_edge: the signal had an edge that was off by the threshold or more
 *
 * Context: Any.
 * Return: true when the next signal will be sent in the other mode.
 */
bool irtx_auto_learn(struct irtx_auto *state, bool lost_edge)
{
	bool was_busy = state->busy_left;
	bool changes;

	if (lost_edge)
		state->busy_left = IRTX_AUTO_BUSY_SIGNALS;
	else if (was_busy)
		state->busy_left--;

	changes = was_busy != !!state->busy_left;
	if (changes)
		state->changes++;

	return changes;
}
