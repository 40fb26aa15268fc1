/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the engine learns from what it measures: how early a timer must wake it
 * (margin), and how early a call to the emitter must begin (lead).
 * Pure: no clock, no lock, no device.
 */
#ifndef IRTX_ADAPT_H
#define IRTX_ADAPT_H

#include <linux/time64.h>
#include <linux/types.h>

/*
 * The margin is the longest wake-up latency seen in the last one to two windows
 * of wake-ups, an eighth more, and this floor. A latency that occurs once in a
 * thousand wake-ups is so remembered with near certainty, and one that has gone
 * is forgotten after at most two windows, some 200 signals.
 */
#define IRTX_MARGIN_FLOOR_NS	(5 * NSEC_PER_USEC)
#define IRTX_MARGIN_WINDOW	8192

/* Before anything was seen: what a driver that is not well behaved may do */
#define IRTX_MARGIN_START_NS	(100 * NSEC_PER_USEC)

/* Default and limits of the largest margin that is taken */
#define IRTX_MARGIN_MAX_NS	(200 * NSEC_PER_USEC)
#define IRTX_MARGIN_LIMIT_NS	(10 * NSEC_PER_MSEC)

/**
 * struct irtx_margin - wake-up latencies seen of late
 * @wakeups: how many in the present window
 * @longest_ns: longest in the present window
 * @before_ns: longest in the window before
 */
struct irtx_margin {
	unsigned int wakeups;
	u32 longest_ns;
	u32 before_ns;
};

void irtx_margin_reset(struct irtx_margin *margin);
void irtx_margin_learn(struct irtx_margin *margin, u32 latency_ns);
u32 irtx_margin_ns(const struct irtx_margin *margin, u32 max_ns);

/* An emitter that takes longer than this is not led any further */
#define IRTX_LEAD_MAX_NS	(50 * NSEC_PER_USEC)

/**
 * struct irtx_lead - how long calls to the emitter take, on and off
 * @cost_q4: a running mean over some four signals, in ns with 4 fractional bits,
 *	of switching off ([0]) and on ([1]); 0 = nothing seen yet
 */
struct irtx_lead {
	u32 cost_q4[2];
};

void irtx_lead_learn(struct irtx_lead *lead, bool on, u64 cost_ns, unsigned int calls);
u32 irtx_lead_ns(const struct irtx_lead *lead, bool on);

#endif
