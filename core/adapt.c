// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the engine learns from what it measures: margin and lead.
 */

#include <linux/math64.h>
#include <linux/minmax.h>

#include "adapt.h"

/**
 * irtx_margin_reset() - know nothing yet, and be cautious
 * @margin: what was seen; forgotten
 *
 * Context: Any.
 */
void irtx_margin_reset(struct irtx_margin *margin)
{
	*margin = (struct irtx_margin) { .before_ns = IRTX_MARGIN_START_NS };
}

/**
 * irtx_margin_learn() - take a wake-up in
 * @margin: what was seen
 * @latency_ns: how much later than asked it came
 *
 * Context: Any.
 */
void irtx_margin_learn(struct irtx_margin *margin, u32 latency_ns)
{
	margin->longest_ns = max(margin->longest_ns, latency_ns);
	if (++margin->wakeups < IRTX_MARGIN_WINDOW)
		return;

	margin->before_ns = margin->longest_ns;
	margin->longest_ns = 0;
	margin->wakeups = 0;
}

/**
 * irtx_margin_ns() - how early to be woken
 * @margin: what was seen
 * @max_ns: never earlier than this
 *
 * Context: Any.
 * Return: the time in ns, %IRTX_MARGIN_FLOOR_NS or more where @max_ns allows.
 */
u32 irtx_margin_ns(const struct irtx_margin *margin, u32 max_ns)
{
	u64 seen_ns = max(margin->longest_ns, margin->before_ns);

	return min_t(u64, seen_ns + seen_ns / 8 + IRTX_MARGIN_FLOOR_NS, max_ns);
}

/**
 * irtx_lead_learn() - take a signal's calls to the emitter in
 * @lead: what was seen
 * @on: it was switched on (or off)
 * @cost_ns: how long the calls took, all in all
 * @calls: how many there were; none teaches nothing
 *
 * Context: Any; divides, so not between two edges.
 */
void irtx_lead_learn(struct irtx_lead *lead, bool on, u64 cost_ns, unsigned int calls)
{
	u32 *mean_q4 = &lead->cost_q4[on];
	u32 cost_q4;

	if (!calls)
		return;

	cost_q4 = min_t(u64, div_u64(cost_ns << 4, calls), IRTX_LEAD_MAX_NS << 4);
	if (*mean_q4)
		*mean_q4 += (s32)(cost_q4 - *mean_q4) / 4;
	else
		*mean_q4 = cost_q4;
}

/**
 * irtx_lead_ns() - how early a call to the emitter must begin
 * @lead: what was seen
 * @on: it is to be switched on (or off)
 *
 * Context: Any.
 * Return: the time in ns, rounded to nearest, %IRTX_LEAD_MAX_NS at most.
 */
u32 irtx_lead_ns(const struct irtx_lead *lead, bool on)
{
	return (lead->cost_q4[on] + 8) >> 4;
}
