// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs: exports what was measured, in /sys/kernel/debug/irtx/rcN/. Each
 * file opens with its name and format number and has one record a line.
 */

#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/limits.h>
#include <linux/seq_file.h>
#include <media/rc-core.h>

#include "device.h"

static struct dentry *irtx_debugfs_root;

static void irtx_show_figures(struct seq_file *file, const char *name,
			      const struct irtx_summary *figures)
{
	seq_printf(file, "%s_min_ns %lld\n", name, figures->min_ns);
	seq_printf(file, "%s_max_ns %lld\n", name, figures->max_ns);
	seq_printf(file, "%s_mean_ns %lld\n", name, figures->mean_ns);
	seq_printf(file, "%s_median_ns %lld\n", name, figures->median_ns);
	seq_printf(file, "%s_p99_ns %lld\n", name, figures->p99_ns);
	seq_printf(file, "%s_p999_ns %lld\n", name, figures->p999_ns);
	seq_printf(file, "%s_stddev_ns %lld\n", name, figures->stddev_ns);
}

/* Errors have a sign, and their amounts are of interest too. */
static void irtx_show_errors(struct seq_file *file, const char *name,
			     const char *name_abs, const struct irtx_dist *dist)
{
	struct irtx_summary figures = irtx_dist_signed(dist);

	irtx_show_figures(file, name, &figures);
	figures = irtx_dist_absolute(dist);
	irtx_show_figures(file, name_abs, &figures);
}

static void irtx_show_durations(struct seq_file *file, const char *name,
				const struct irtx_dist *dist)
{
	struct irtx_summary figures = irtx_dist_signed(dist);

	seq_printf(file, "%s_count %llu\n", name, dist->count);
	irtx_show_figures(file, name, &figures);
}

static void irtx_show_counts(struct seq_file *file, const struct irtx_stats *stats)
{
	const struct irtx_errors *errors = &stats->errors;
	unsigned int i;

	seq_printf(file, "threshold_ns %u\n", stats->threshold_ns);
	seq_printf(file, "signals %llu\n", stats->signals);
	seq_printf(file, "perfect_signals %llu\n", stats->perfect_signals);
	seq_printf(file, "bad_signals %llu\n", stats->signals - stats->perfect_signals);
	seq_printf(file, "edges %llu\n", stats->late.count);
	seq_printf(file, "bad_edges %llu\n", stats->bad.count);
	seq_printf(file, "signal_ns %llu\n", stats->signal_ns);
	seq_printf(file, "irqs_off_ns %llu\n", stats->irqs_off_ns);
	seq_printf(file, "irqs_off_longest_ns %llu\n", stats->irqs_off_longest_ns);
	seq_printf(file, "skew_longest_ns %u\n", stats->skew_longest_ns);
	seq_printf(file, "late_wakeups %llu\n", stats->late_wakeups);
	seq_printf(file, "errors %llu\n", irtx_errors_total(errors));
	for (i = 0; i < IRTX_ERROR_KINDS; i++)
		if (errors->count[i])
			seq_printf(file, "error_%d %llu\n", -errors->error[i],
				   errors->count[i]);
}

static void irtx_show_stats(struct seq_file *file, const struct irtx_stats *stats)
{
	irtx_show_counts(file, stats);
	irtx_show_errors(file, "late", "late_abs", &stats->late);
	irtx_show_errors(file, "bad", "bad_abs", &stats->bad);
	irtx_show_errors(file, "pulse", "pulse_abs", &stats->pulse);
	irtx_show_errors(file, "space", "space_abs", &stats->space);
	irtx_show_durations(file, "cost", &stats->cost);
	irtx_show_durations(file, "startup", &stats->startup);
	irtx_show_durations(file, "wakeup", &stats->wakeup);
}

static void irtx_show_who(struct seq_file *file, const struct irtx_device *irtx)
{
	seq_printf(file, "driver %s\n", irtx->desc.driver_name);
	seq_printf(file, "emitter %s\n", irtx->engine.emitter->name);
	seq_printf(file, "mode %s\n", irtx_mode_names[irtx->choice.mode]);
	seq_printf(file, "mode_why %s\n", irtx->choice.why);
}

static int irtx_stats_show(struct seq_file *file, void *unused)
{
	struct irtx_device *irtx = file->private;

	seq_puts(file, "# irtx stats 1\n");
	mutex_lock(&irtx->publish);
	irtx_show_who(file, irtx);
	irtx_show_stats(file, &irtx->stats);
	mutex_unlock(&irtx->publish);

	return 0;
}
DEFINE_SHOW_ATTRIBUTE(irtx_stats);

static void irtx_show_bucket(struct seq_file *file, const struct irtx_stats *stats,
			     bool negative, unsigned int bucket)
{
	const struct irtx_dist *dists[] = {
		&stats->late, &stats->pulse, &stats->space, &stats->cost, &stats->startup,
		&stats->wakeup,
	};
	u64 count[ARRAY_SIZE(dists)], total = 0;
	s64 begin_ns = irtx_dist_bucket_ns(bucket);
	s64 end_ns = irtx_dist_bucket_ns(bucket + 1);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(dists); i++) {
		count[i] = negative ? dists[i]->negative[bucket] : dists[i]->positive[bucket];
		total += count[i];
	}
	if (!total)
		return;

	if (bucket == IRTX_DIST_BUCKETS - 1)
		end_ns = S64_MAX;
	if (negative)
		seq_printf(file, "%lld %lld", 1 - end_ns, 1 - begin_ns);
	else
		seq_printf(file, "%lld %lld", begin_ns, end_ns);
	for (i = 0; i < ARRAY_SIZE(dists); i++)
		seq_printf(file, " %llu", count[i]);
	seq_putc(file, '\n');
}

static int irtx_histogram_show(struct seq_file *file, void *unused)
{
	struct irtx_device *irtx = file->private;
	unsigned int i;

	seq_puts(file, "# irtx histogram 1\n");
	seq_puts(file, "# from_ns below_ns late pulse space cost startup wakeup\n");

	mutex_lock(&irtx->publish);
	for (i = IRTX_DIST_BUCKETS; i-- > 0; )
		irtx_show_bucket(file, &irtx->stats, true, i);
	for (i = 0; i < IRTX_DIST_BUCKETS; i++)
		irtx_show_bucket(file, &irtx->stats, false, i);
	mutex_unlock(&irtx->publish);

	return 0;
}
DEFINE_SHOW_ATTRIBUTE(irtx_histogram);

static void irtx_show_log(struct seq_file *file, const struct irtx_log *log)
{
	const struct irtx_sample *sample;
	unsigned int i;

	seq_printf(file, "# signal %llu start_ns %llu error %d\n",
		   log->signal, log->start_ns, log->error);
	seq_puts(file, "# edge level due_ns late_ns cost_ns\n");
	for (i = 0; i < log->nr; i++) {
		sample = &log->sample[i];
		seq_printf(file, "%u %d %u %d %d\n", i, i % 2 == 0,
			   sample->due_ns, sample->late_ns, sample->cost_ns);
	}
}

static int irtx_edges_show(struct seq_file *file, void *unused)
{
	struct irtx_device *irtx = file->private;

	seq_puts(file, "# irtx edges 1\n");

	mutex_lock(&irtx->publish);
	irtx_show_log(file, irtx->last);
	mutex_unlock(&irtx->publish);

	return 0;
}
DEFINE_SHOW_ATTRIBUTE(irtx_edges);

static int irtx_worst_show(struct seq_file *file, void *unused)
{
	struct irtx_device *irtx = file->private;
	const struct irtx_worst *worst = &irtx->stats.worst;
	unsigned int i;

	seq_puts(file, "# irtx worst 1\n");

	mutex_lock(&irtx->publish);
	for (i = 0; i < worst->nr; i++)
		irtx_show_log(file, worst->log[i]);
	mutex_unlock(&irtx->publish);

	return 0;
}
DEFINE_SHOW_ATTRIBUTE(irtx_worst);

static void irtx_show_settings(struct seq_file *file, const struct irtx_device *irtx)
{
	seq_printf(file, "mode_asked %s\n", irtx_mode_names[irtx->settings.mode]);
	seq_printf(file, "mode_waker %s\n", irtx->choice.mode != IRTX_MODE_HYBRID ? "none" :
		   irtx->choice.hardirq ? "interrupt" : "thread");
	seq_printf(file, "auto_changes %llu\n", irtx->engine.auto_state.changes);
	seq_printf(file, "cpu %d\n", irtx->last->cpu);
	seq_printf(file, "margin_ns %u\n", irtx->margin_ns);
	seq_printf(file, "margin_max_ns %u\n", irtx->settings.margin_max_ns);
	seq_printf(file, "max_irqs_off_us %u\n", irtx->settings.max_irqs_off_us);
	seq_printf(file, "lead_on_ns %u\n", irtx->lead_ns[true]);
	seq_printf(file, "lead_off_ns %u\n", irtx->lead_ns[false]);
}

static void irtx_show_emitter(struct seq_file *file, const struct irtx_device *irtx)
{
	seq_printf(file, "emitter_asked %s\n", irtx_kind_names[irtx->kind_asked]);
	seq_printf(file, "emitter_kind %s\n", irtx_kind_names[irtx->kind]);
	seq_printf(file, "emitter_why %s\n", irtx->kind_why);
	seq_printf(file, "emitter_lines %u\n", irtx->engine.emitter->lines);
	seq_printf(file, "transmitter_mask 0x%x\n", irtx->mask);
	seq_printf(file, "switch_ns %u\n", irtx->engine.emitter->switch_ns);
}

static int irtx_config_show(struct seq_file *file, void *unused)
{
	struct irtx_device *irtx = file->private;

	seq_puts(file, "# irtx config 1\n");
	mutex_lock(&irtx->publish);
	irtx_show_who(file, irtx);
	irtx_show_emitter(file, irtx);
	seq_printf(file, "carrier_hz %u\n", irtx->carrier.hz);
	seq_printf(file, "carrier_made_hz %u\n", irtx->made_hz);
	seq_printf(file, "duty_pct %u\n", irtx->carrier.duty_pct);
	irtx_show_settings(file, irtx);
	mutex_unlock(&irtx->publish);

	return 0;
}
DEFINE_SHOW_ATTRIBUTE(irtx_config);

static int irtx_reset_set(void *data, u64 value)
{
	struct irtx_device *irtx = data;

	if (value != 1) {
		dev_err_ratelimited(irtx->dev, "reset: write 1 to it, not %llu\n", value);
		return -EINVAL;
	}
	irtx_device_reset(irtx);

	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(irtx_reset_fops, NULL, irtx_reset_set, "%llu\n");

static int irtx_threshold_get(void *data, u64 *value)
{
	struct irtx_device *irtx = data;

	mutex_lock(&irtx->publish);
	*value = irtx->stats.threshold_ns;
	mutex_unlock(&irtx->publish);

	return 0;
}

static int irtx_threshold_set(void *data, u64 value)
{
	struct irtx_device *irtx = data;

	if (value < 1 || value > S32_MAX) {
		dev_err_ratelimited(irtx->dev, "threshold_ns: 1 to %d, not %llu\n",
				    S32_MAX, value);
		return -EINVAL;
	}
	irtx_device_set_threshold(irtx, value);

	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(irtx_threshold_fops, irtx_threshold_get,
			 irtx_threshold_set, "%llu\n");

static const struct {
	const char *name;
	umode_t mode;
	const struct file_operations *fops;
} irtx_files[] = {
	{ "stats", 0444, &irtx_stats_fops },
	{ "histogram", 0444, &irtx_histogram_fops },
	{ "edges", 0444, &irtx_edges_fops },
	{ "worst", 0444, &irtx_worst_fops },
	{ "config", 0444, &irtx_config_fops },
	{ "reset", 0200, &irtx_reset_fops },
	{ "threshold_ns", 0644, &irtx_threshold_fops },
};

/**
 * irtx_debugfs_init() - make the folder that holds those of the devices
 *
 * Context: Process, may sleep.
 */
void irtx_debugfs_init(void)
{
	irtx_debugfs_root = debugfs_create_dir("irtx", NULL);
}

/**
 * irtx_debugfs_exit() - take that folder away
 *
 * Context: Process, may sleep.
 */
void irtx_debugfs_exit(void)
{
	debugfs_remove(irtx_debugfs_root);
}

/**
 * irtx_debugfs_add() - export a device
 * @irtx: the device, its rc device registered
 *
 * A device that cannot be exported transmits all the same, so there is no
 * error to return.
 *
 * Context: Process, may sleep.
 */
void irtx_debugfs_add(struct irtx_device *irtx)
{
	unsigned int i;

	irtx->debugfs = debugfs_create_dir(dev_name(&irtx->rc->dev), irtx_debugfs_root);
	for (i = 0; i < ARRAY_SIZE(irtx_files); i++)
		debugfs_create_file(irtx_files[i].name, irtx_files[i].mode,
				    irtx->debugfs, irtx, irtx_files[i].fops);
}

/**
 * irtx_debugfs_remove() - take a device's export away
 * @irtx: the device
 *
 * Context: Process, may sleep; waits for readers.
 */
void irtx_debugfs_remove(struct irtx_device *irtx)
{
	debugfs_remove(irtx->debugfs);
}
