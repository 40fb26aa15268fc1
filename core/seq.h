/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sequencer: hands out one step after another of a planned signal. With a
 * carrier made by software the half cycles inside a pulse are steps as well,
 * worked out one at a time. Pure: no clock, no lock, no device.
 */
#ifndef IRTX_SEQ_H
#define IRTX_SEQ_H

#include <linux/types.h>

struct irtx_plan;
struct irtx_wave;

/**
 * struct irtx_step - one thing to do
 * @due_ns: when, counted from the first edge of the signal
 * @on: switch the emitter on (or off)
 * @envelope: an edge of the signal; false for the carrier's own half cycles
 */
struct irtx_step {
	u32 due_ns;
	bool on;
	bool envelope;
};

/**
 * struct irtx_seq - where in a signal we are
 * @plan: the signal
 * @wave: the carrier to make inside its pulses; NULL when the hardware makes
 *	it or there is none
 * @edge: index of the edge of @plan that comes next
 * @pulse_ns: when the pulse we are in began
 * @into_q32: how far into the pulse its present carrier cycle began, in ns
 *	with 32 fractional bits
 * @on: what the last step did
 */
struct irtx_seq {
	const struct irtx_plan *plan;
	const struct irtx_wave *wave;
	unsigned int edge;
	u32 pulse_ns;
	u64 into_q32;
	bool on;
};

void irtx_seq_start(struct irtx_seq *seq, const struct irtx_plan *plan,
		    const struct irtx_wave *wave);
bool irtx_seq_next(struct irtx_seq *seq, struct irtx_step *step);
void irtx_seq_catch_up(struct irtx_seq *seq, struct irtx_step *step, u32 now_ns);

#endif
