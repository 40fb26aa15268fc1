// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sequencer: hands out one step after another of a planned signal.
 */

#include <linux/minmax.h>

#include "carrier.h"
#include "plan.h"
#include "seq.h"

/**
 * irtx_seq_start() - begin a signal
 * @seq: set to the signal's first step
 * @plan: the signal; must stay as it is until the last step was taken
 * @wave: the carrier to make inside its pulses, or NULL for none
 *
 * Context: Any.
 */
void irtx_seq_start(struct irtx_seq *seq, const struct irtx_plan *plan,
		    const struct irtx_wave *wave)
{
	*seq = (struct irtx_seq) { .plan = plan, .wave = wave };
}

static u32 irtx_seq_at_ns(const struct irtx_seq *seq, u64 offset_q32)
{
	return seq->pulse_ns + ((seq->into_q32 + offset_q32) >> 32);
}

/*
 * The rule for a carrier made by software. A pulse is made of the whole number of
 * carrier cycles, at least one, that is nearest to its length: its envelope is
 * at most half a cycle off, and since every pulse begins at its own absolute
 * time the error never adds up. Another cycle fits where more than half of it
 * lies before the pulse's end. A pulse that is shorter than the on-time of one
 * cycle is a flash of its own length. With a high duty cycle the light of the
 * last cycle may outlast the pulse by nearly half a cycle; a space shorter than
 * that is lost, and the next pulse begins as soon as it can.
 */
static bool irtx_seq_last_cycle(const struct irtx_seq *seq)
{
	u64 middle_q32 = seq->wave->period_q32 + (seq->wave->period_q32 + 1) / 2;

	return irtx_seq_at_ns(seq, middle_q32) >= seq->plan->due_ns[seq->edge];
}

static void irtx_seq_rise(struct irtx_seq *seq, struct irtx_step *step)
{
	seq->into_q32 += seq->wave->period_q32;
	step->due_ns = irtx_seq_at_ns(seq, 0);
	step->envelope = false;
}

static void irtx_seq_fall(struct irtx_seq *seq, struct irtx_step *step)
{
	step->due_ns = irtx_seq_at_ns(seq, seq->wave->high_q32);
	step->envelope = irtx_seq_last_cycle(seq);
	if (!step->envelope)
		return;

	if (!seq->into_q32)
		step->due_ns = min(step->due_ns, seq->plan->due_ns[seq->edge]);
	seq->edge++;
}

static void irtx_seq_edge(struct irtx_seq *seq, struct irtx_step *step)
{
	step->due_ns = seq->plan->due_ns[seq->edge++];
	step->envelope = true;
	seq->pulse_ns = step->due_ns;
	seq->into_q32 = 0;
}

/**
 * irtx_seq_next() - take the next step
 * @seq: the sequencer
 * @step: filled in unless the signal is over
 *
 * Context: Any; neither divides nor allocates, fit for the time between two
 * edges.
 * Return: false when the signal is over.
 */
bool irtx_seq_next(struct irtx_seq *seq, struct irtx_step *step)
{
	bool in_pulse = seq->edge % 2;

	if (seq->edge == seq->plan->nr_edges)
		return false;

	step->on = !seq->on;
	seq->on = step->on;

	if (!seq->wave || !in_pulse)
		irtx_seq_edge(seq, step);
	else if (step->on)
		irtx_seq_rise(seq, step);
	else
		irtx_seq_fall(seq, step);

	return true;
}

static bool irtx_seq_missed(const struct irtx_seq *seq, const struct irtx_step *step,
			    u32 now_ns)
{
	return step->on && !step->envelope &&
	       irtx_seq_at_ns(seq, seq->wave->high_q32) <= now_ns;
}

/**
 * irtx_seq_catch_up() - leave out carrier cycles that are past
 * @seq: the sequencer, with a carrier made by software
 * @step: the step that comes next; set to the first one that still makes sense
 * @now_ns: the time, counted from the first edge of the signal
 *
 * Cycles that are too late would come as a burst of a wrong carrier. The
 * envelope's edges are never left out.
 *
 * Context: Any; neither divides nor allocates.
 */
void irtx_seq_catch_up(struct irtx_seq *seq, struct irtx_step *step, u32 now_ns)
{
	while (irtx_seq_missed(seq, step, now_ns)) {
		irtx_seq_fall(seq, step);
		if (step->envelope)
			step->on = false;
		else
			irtx_seq_rise(seq, step);
	}
	seq->on = step->on;
}
