// SPDX-License-Identifier: GPL-2.0-only
/*
 * The statistics: what was measured at the edges, folded into figures.
 */

#include <linux/math64.h>
#include <linux/minmax.h>

#include "stats.h"

/**
 * irtx_summary_add() - take a value in
 * @summary: the set of values
 * @value_ns: the value
 *
 * Context: Any; the caller keeps others away from @summary.
 */
void irtx_summary_add(struct irtx_summary *summary, s64 value_ns)
{
	if (!summary->count) {
		summary->min_ns = value_ns;
		summary->max_ns = value_ns;
	}

	summary->count++;
	summary->sum_ns += value_ns;
	summary->min_ns = min(summary->min_ns, value_ns);
	summary->max_ns = max(summary->max_ns, value_ns);
}

/**
 * irtx_summary_mean_ns() - the mean of a set of values
 * @summary: the set of values
 *
 * Context: Any; the caller keeps writers away from @summary.
 * Return: the mean in ns, rounded towards zero; 0 when there is no value.
 */
s64 irtx_summary_mean_ns(const struct irtx_summary *summary)
{
	return summary->count ? div64_s64(summary->sum_ns, summary->count) : 0;
}

/**
 * irtx_stats_reset() - forget what was measured
 * @stats: emptied; its threshold stays
 *
 * Context: Any; the caller keeps others away from @stats.
 */
void irtx_stats_reset(struct irtx_stats *stats)
{
	*stats = (struct irtx_stats) { .threshold_ns = stats->threshold_ns };
}

static bool irtx_stats_fold_edge(struct irtx_stats *stats,
				 const struct irtx_sample *sample)
{
	s64 late_ns = sample->late_ns;
	bool bad = max(late_ns, -late_ns) >= stats->threshold_ns;

	irtx_summary_add(&stats->late, late_ns);
	irtx_summary_add(&stats->cost, sample->cost_ns);
	if (bad)
		irtx_summary_add(&stats->bad_late, late_ns);

	return bad;
}

/**
 * irtx_stats_fold() - take a transmission in
 * @stats: the statistics
 * @log: the samples of its edges
 * @complete: it went through to its last edge; otherwise it counts as an error
 *
 * Context: Any; the caller keeps others away from @stats.
 */
void irtx_stats_fold(struct irtx_stats *stats, const struct irtx_log *log,
		     bool complete)
{
	bool perfect = true;
	unsigned int i;

	for (i = 0; i < log->nr; i++)
		if (irtx_stats_fold_edge(stats, &log->sample[i]))
			perfect = false;

	if (!complete) {
		stats->errors++;
		return;
	}

	stats->signals++;
	if (perfect)
		stats->perfect_signals++;
}
