/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The statistics: what was measured at the edges, folded into figures.
 * Pure: no clock, no lock, no device.
 *
 * Model. Every edge leaves one sample: how late the emitter had switched
 * (late_ns, positive = late) and how long the call to the emitter took
 * (cost_ns). Samples are kept in a log while a signal is sent and folded into
 * the statistics after its last edge, so that between two edges nothing is
 * paid for but one store. Whoever calls these functions sees to it that
 * nobody reads while somebody folds.
 *
 * Words, those of the report that this project started from: a bad edge is off
 * by the threshold or more, a perfect signal has no bad edge.
 */
#ifndef IRTX_STATS_H
#define IRTX_STATS_H

#include <linux/types.h>

#include "plan.h"

#define IRTX_THRESHOLD_DEFAULT_NS	1000

/**
 * struct irtx_sample - what was measured at one edge
 * @due_ns: when the edge was due, counted from the first one
 * @late_ns: how much later than that the emitter had switched, as far as
 *	software can know; negative = early
 * @cost_ns: how long the call to the emitter took
 */
struct irtx_sample {
	u32 due_ns;
	s32 late_ns;
	u32 cost_ns;
};

/**
 * struct irtx_log - the samples of one transmission
 * @nr: how many there are
 * @sample: the samples; those with an even index switched the emitter on
 */
struct irtx_log {
	unsigned int nr;
	struct irtx_sample sample[IRTX_MAX_EDGES];
};

/**
 * struct irtx_summary - a set of values
 * @count: how many there were
 * @sum_ns: their sum; 10^12 edges of up to 9 ms fit
 * @min_ns: the smallest; 0 when there was none
 * @max_ns: the largest; 0 when there was none
 */
struct irtx_summary {
	u64 count;
	s64 sum_ns;
	s64 min_ns;
	s64 max_ns;
};

/**
 * struct irtx_stats - what was measured since the last reset
 * @threshold_ns: an edge that is off by this much or more is bad
 * @signals: transmissions that went through to their last edge
 * @perfect_signals: those of them without a bad edge
 * @errors: transmissions that ended with an error
 * @late: lateness of all edges
 * @bad_late: lateness of the bad edges
 * @cost: duration of the calls to the emitter
 */
struct irtx_stats {
	u32 threshold_ns;
	u64 signals;
	u64 perfect_signals;
	u64 errors;
	struct irtx_summary late;
	struct irtx_summary bad_late;
	struct irtx_summary cost;
};

void irtx_summary_add(struct irtx_summary *summary, s64 value_ns);
s64 irtx_summary_mean_ns(const struct irtx_summary *summary);

void irtx_stats_reset(struct irtx_stats *stats);
void irtx_stats_fold(struct irtx_stats *stats, const struct irtx_log *log,
		     bool complete);

#endif
