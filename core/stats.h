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
 * A receiver does not see edges but widths, so the errors of pulses and spaces
 * (of two neighbouring edges) are kept as well.
 *
 * Words, those of the report that this project started from: a bad edge is off
 * by the threshold or more, a perfect signal has no bad edge.
 */
#ifndef IRTX_STATS_H
#define IRTX_STATS_H

#include <linux/types.h>

#include "dist.h"
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
	s32 cost_ns;
};

/**
 * struct irtx_log - what was measured in one transmission
 * @signal: its number, counted from 1 since the driver was bound
 * @error: 0, or the errno with which it ended
 * @asked_ns: when write() came to the driver, on CLOCK_MONOTONIC
 * @start_ns: when the first edge was due, on the same clock
 * @cpu: the CPU that sent
 * @irqs_off_ns: for how long interrupts were off, all in all
 * @irqs_off_longest_ns: the longest stretch of that
 * @skew_longest_ns: how far apart an emitter's lines were switched, at most
 * @late_wakeups: how many wake-ups came too late for their edge
 * @wakeups: how many wake-ups there were
 * @wakeup_ns: how late each of them came
 * @nr: how many samples there are
 * @sample: the samples; those with an even index switched the emitter on
 */
struct irtx_log {
	u64 signal;
	int error;
	u64 asked_ns;
	u64 start_ns;
	int cpu;
	u64 irqs_off_ns;
	u64 irqs_off_longest_ns;
	u32 skew_longest_ns;
	unsigned int late_wakeups;
	unsigned int wakeups;
	s32 wakeup_ns[IRTX_MAX_EDGES];
	unsigned int nr;
	struct irtx_sample sample[IRTX_MAX_EDGES];
};

/* How many of the worst transmissions are kept */
#define IRTX_WORST_LOGS		4

/**
 * struct irtx_worst - the worst transmissions since the last reset
 * @nr: how many there are
 * @bad_ns: the largest error of each, as an amount, the worst first
 * @log: what was measured in each; entries of @slot
 * @slot: where the logs lie
 */
struct irtx_worst {
	unsigned int nr;
	u32 bad_ns[IRTX_WORST_LOGS];
	struct irtx_log *log[IRTX_WORST_LOGS];
	struct irtx_log slot[IRTX_WORST_LOGS];
};

/* How many kinds of error are told apart */
#define IRTX_ERROR_KINDS	8

/**
 * struct irtx_errors - how often transmissions ended with which errno
 * @error: the errno, negative; 0 = entry not in use. The last entry takes
 *	all errors that came after the table was full, and says -EOVERFLOW
 * @count: how often
 */
struct irtx_errors {
	int error[IRTX_ERROR_KINDS];
	u64 count[IRTX_ERROR_KINDS];
};

/**
 * struct irtx_stats - what was measured since the last reset
 * @threshold_ns: an edge that is off by this much or more is bad
 * @signals: transmissions that went through to their last edge
 * @perfect_signals: those of them without a bad edge
 * @signal_ns: their length, all in all
 * @irqs_off_ns: for how long interrupts were off, all in all
 * @irqs_off_longest_ns: the longest stretch of that
 * @skew_longest_ns: how far apart an emitter's lines were switched, at most
 * @errors: transmissions that ended with an error
 * @late: lateness of all edges
 * @bad: lateness of the bad edges
 * @pulse: errors of the pulses' widths
 * @space: errors of the spaces' widths
 * @cost: duration of the calls to the emitter
 * @startup: time from write() to the first edge
 * @wakeup: lateness of the timer's wake-ups
 * @late_wakeups: how many of them came too late for their edge
 * @worst: the worst transmissions
 * @width_ns: scratch, errors of the widths of the signal that is folded
 */
struct irtx_stats {
	u32 threshold_ns;
	u64 signals;
	u64 perfect_signals;
	u64 signal_ns;
	u64 irqs_off_ns;
	u64 irqs_off_longest_ns;
	u32 skew_longest_ns;
	struct irtx_errors errors;
	struct irtx_dist late;
	struct irtx_dist bad;
	struct irtx_dist pulse;
	struct irtx_dist space;
	struct irtx_dist cost;
	struct irtx_dist startup;
	struct irtx_dist wakeup;
	u64 late_wakeups;
	struct irtx_worst worst;
	s32 width_ns[IRTX_MAX_EDGES];
};

u32 irtx_sample_error_ns(const struct irtx_sample *sample);
void irtx_log_irqs_off(struct irtx_log *log, u64 off_ns);
void irtx_log_skew(struct irtx_log *log, u32 skew_ns);
void irtx_log_wakeup(struct irtx_log *log, s32 latency_ns, bool late);
u32 irtx_log_worst_ns(const struct irtx_log *log);

void irtx_stats_reset(struct irtx_stats *stats);
void irtx_stats_fold(struct irtx_stats *stats, const struct irtx_log *log);
u64 irtx_errors_total(const struct irtx_errors *errors);

#endif
