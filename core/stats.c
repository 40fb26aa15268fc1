// SPDX-License-Identifier: GPL-2.0-only
/*
 * The statistics: what was measured at the edges, folded into figures.
 */

#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "stats.h"

/**
 * irtx_sample_error_ns() - how far an edge was off
 * @sample: what was measured at it
 *
 * Context: Any.
 * Return: the amount in ns.
 */
u32 irtx_sample_error_ns(const struct irtx_sample *sample)
{
	return sample->late_ns < 0 ? -(u32)sample->late_ns : sample->late_ns;
}

/**
 * irtx_log_irqs_off() - note a stretch with interrupts off
 * @log: of the transmission under way
 * @off_ns: how long it was
 *
 * Context: Any.
 */
void irtx_log_irqs_off(struct irtx_log *log, u64 off_ns)
{
	log->irqs_off_ns += off_ns;
	log->irqs_off_longest_ns = max(log->irqs_off_longest_ns, off_ns);
}

/**
 * irtx_log_skew() - note how far apart the lines of an emitter were switched
 * @log: of the transmission under way
 * @skew_ns: time from the first line to the last
 *
 * Context: Any.
 */
void irtx_log_skew(struct irtx_log *log, u32 skew_ns)
{
	log->skew_longest_ns = max(log->skew_longest_ns, skew_ns);
}

/**
 * irtx_log_wakeup() - note a wake-up
 * @log: of the transmission under way; there is at most one before each step
 * @latency_ns: how late it came
 * @late: too late for its edge
 *
 * Context: Any.
 */
void irtx_log_wakeup(struct irtx_log *log, s32 latency_ns, bool late)
{
	log->late_wakeups += late;
	if (log->wakeups < IRTX_MAX_EDGES)
		log->wakeup_ns[log->wakeups++] = latency_ns;
}

/**
 * irtx_log_worst_ns() - how far the worst edge of a transmission was off
 * @log: of the transmission
 *
 * Context: Any.
 * Return: the amount in ns; 0 when there was no edge.
 */
u32 irtx_log_worst_ns(const struct irtx_log *log)
{
	u32 worst_ns = 0;
	unsigned int i;

	for (i = 0; i < log->nr; i++)
		worst_ns = max(worst_ns, irtx_sample_error_ns(&log->sample[i]));

	return worst_ns;
}

/**
 * irtx_stats_reset() - forget what was measured
 * @stats: emptied; its threshold stays
 *
 * Context: Any; the caller keeps others away from @stats.
 */
void irtx_stats_reset(struct irtx_stats *stats)
{
	u32 threshold_ns = stats->threshold_ns;
	unsigned int i;

	memset(stats, 0, sizeof(*stats));
	stats->threshold_ns = threshold_ns;
	for (i = 0; i < IRTX_WORST_LOGS; i++)
		stats->worst.log[i] = &stats->worst.slot[i];
}

static s32 irtx_clamp_ns(s64 value_ns)
{
	return clamp_t(s64, value_ns, S32_MIN, S32_MAX);
}

static void irtx_fold_bad(struct irtx_stats *stats, const struct irtx_log *log)
{
	unsigned int i;

	for (i = 0; i < log->nr; i++)
		if (irtx_sample_error_ns(&log->sample[i]) >= stats->threshold_ns)
			irtx_dist_add(&stats->bad, log->sample[i].late_ns);
}

/* A pulse lies behind an edge with an even index, a space behind one with an odd. */
static void irtx_fold_widths(struct irtx_stats *stats, const struct irtx_log *log)
{
	const struct irtx_sample *sample = log->sample;
	unsigned int i;

	for (i = 0; i + 1 < log->nr; i++)
		stats->width_ns[i] = irtx_clamp_ns((s64)sample[i + 1].late_ns - sample[i].late_ns);

	irtx_dist_add_series(&stats->pulse, &stats->width_ns[0], log->nr / 2, 2);
	irtx_dist_add_series(&stats->space, &stats->width_ns[1], (log->nr - !!log->nr) / 2, 2);
}

static void irtx_fold_edges(struct irtx_stats *stats, const struct irtx_log *log)
{
	const unsigned int stride = sizeof(struct irtx_sample) / sizeof(s32);

	irtx_dist_add_series(&stats->late, &log->sample[0].late_ns, log->nr, stride);
	irtx_dist_add_series(&stats->cost, &log->sample[0].cost_ns, log->nr, stride);
	irtx_fold_bad(stats, log);
	irtx_fold_widths(stats, log);
}

static void irtx_fold_run(struct irtx_stats *stats, const struct irtx_log *log)
{
	stats->irqs_off_ns += log->irqs_off_ns;
	stats->irqs_off_longest_ns = max(stats->irqs_off_longest_ns,
					 log->irqs_off_longest_ns);
	stats->skew_longest_ns = max(stats->skew_longest_ns, log->skew_longest_ns);
	stats->late_wakeups += log->late_wakeups;
	irtx_dist_add_series(&stats->wakeup, log->wakeup_ns, log->wakeups, 1);
}

static void irtx_count_error(struct irtx_errors *errors, int error)
{
	unsigned int i = 0;

	while (i < IRTX_ERROR_KINDS - 1 && errors->error[i] && errors->error[i] != error)
		i++;

	errors->error[i] = i < IRTX_ERROR_KINDS - 1 ? error : -EOVERFLOW;
	errors->count[i]++;
}

/**
 * irtx_errors_total() - how many transmissions ended with an error
 * @errors: the table of errors
 *
 * Context: Any; the caller keeps writers away from @errors.
 * Return: their number.
 */
u64 irtx_errors_total(const struct irtx_errors *errors)
{
	u64 total = 0;
	unsigned int i;

	for (i = 0; i < IRTX_ERROR_KINDS; i++)
		total += errors->count[i];

	return total;
}

/* Makes room at @place, at the cost of the least bad entry. */
static void irtx_keep_worst(struct irtx_worst *worst, const struct irtx_log *log,
			    u32 bad_ns)
{
	unsigned int place = worst->nr;
	struct irtx_log *slot;
	unsigned int i;

	while (place && worst->bad_ns[place - 1] < bad_ns)
		place--;
	if (place == IRTX_WORST_LOGS)
		return;

	worst->nr = min(worst->nr + 1, IRTX_WORST_LOGS);
	slot = worst->log[worst->nr - 1];
	for (i = worst->nr - 1; i > place; i--) {
		worst->log[i] = worst->log[i - 1];
		worst->bad_ns[i] = worst->bad_ns[i - 1];
	}

	memcpy(slot, log, offsetof(struct irtx_log, sample[log->nr]));
	worst->log[place] = slot;
	worst->bad_ns[place] = bad_ns;
}

/**
 * irtx_stats_fold() - take a transmission in
 * @stats: the statistics
 * @log: what was measured in it
 *
 * Context: Any; the caller keeps others away from @stats.
 */
void irtx_stats_fold(struct irtx_stats *stats, const struct irtx_log *log)
{
	u32 worst_ns = irtx_log_worst_ns(log);

	irtx_fold_edges(stats, log);
	irtx_fold_run(stats, log);
	if (log->nr) {
		irtx_dist_add(&stats->startup, irtx_clamp_ns(log->start_ns - log->asked_ns +
							     log->sample[0].late_ns));
		irtx_keep_worst(&stats->worst, log, worst_ns);
	}

	if (log->error) {
		irtx_count_error(&stats->errors, log->error);
		return;
	}

	stats->signals++;
	stats->signal_ns += log->sample[log->nr - 1].due_ns;
	if (worst_ns < stats->threshold_ns)
		stats->perfect_signals++;
}
