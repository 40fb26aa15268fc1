// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sequencer: hands out one step after another of a planned signal.
 */

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
 * A pulse is made of the whole number of carrier cycles, at least one, that is
 * nearest to its length: its envelope is at most half a cycle off, and since
 * every pulse begins at its own absolute time the error never adds up. Another
 * cycle fits where more than half of it lies before the pulse's end.
 */
static bool irtx_seq_last_cycle(const struct irtx_seq *seq)
{
	u64 middle_q32 = seq->wave->period_q32 + seq->wave->period_q32 / 2;

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
	if (step->envelope)
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
