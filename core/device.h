/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The device: an emitter as rc-core and debugfs see it.
 */
#ifndef IRTX_DEVICE_H
#define IRTX_DEVICE_H

#include <linux/bits.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "carrier.h"
#include "engine.h"
#include "irtx.h"
#include "kind.h"
#include "stats.h"

struct attribute_group;
struct dentry;
struct device;
struct rc_dev;

/**
 * struct irtx_device - one transmitter
 * @dev: the device it was probed from
 * @rc: its rc device, whose lock keeps transmissions and settings apart
 * @desc: how the driver describes it
 * @offer: the emitters that there are
 * @emitters: those of them that were taken
 * @engine: sends the signals
 * @kind: the kind of emitter in force; written, as all up to @wave, under the rc
 *	device's lock and @publish
 * @kind_asked: the kind that is asked for
 * @kind_why: why @kind is in force
 * @mask: the lines of the emitter that send
 * @carrier: what is asked for
 * @made_hz: the frequency that is made for it, as far as the hardware tells
 * @wave: @carrier as the software makes it
 * @down: the machine goes down and nothing is sent any more
 * @signals: transmissions since the driver was bound, whatever came of them
 * @publish: guards what users see and set while a signal is sent: @kind to
 *	@made_hz, @settings, @choice, @margin_ns, @lead_ns, @stats and @last.
 *	Taken inside the rc device's lock; never held while a signal is sent, so
 *	a reader sees the state before or after it
 * @settings: what the user has set; taken over by the next signal
 * @choice: the mode in force for the next signal
 * @margin_ns: the margin of the last signal
 * @lead_ns: the lead learnt so far, off and on
 * @stats: what was measured since the last reset
 * @last: what was measured in the last transmission: that log of @logs which
 *	the engine does not have
 * @logs: the log under way and the published one, in turn
 * @dark_again: tries to switch off an emitter that could not be
 * @panic: tells of a panic
 * @debugfs: folder of this device
 */
struct irtx_device {
	struct device *dev;
	struct rc_dev *rc;
	struct irtx_desc desc;
	struct irtx_offer offer;
	struct irtx_emitter *emitters[IRTX_KINDS];
	struct irtx_engine engine;
	enum irtx_kind kind;
	enum irtx_kind kind_asked;
	const char *kind_why;
	u32 mask;
	struct irtx_carrier carrier;
	u32 made_hz;
	struct irtx_wave wave;
	bool down;
	u64 signals;

	struct mutex publish;	/* what users see and set */
	struct irtx_settings settings;
	struct irtx_choice choice;
	u32 margin_ns;
	u32 lead_ns[2];
	struct irtx_stats stats;
	struct irtx_log *last;
	struct irtx_log logs[2];

	struct delayed_work dark_again;
	struct notifier_block panic;

	struct dentry *debugfs;
};

void irtx_device_reset(struct irtx_device *irtx);
void irtx_device_set_threshold(struct irtx_device *irtx, u32 threshold_ns);

int irtx_device_choose(struct irtx_device *irtx, int mode, unsigned int abilities);
int irtx_device_set(struct irtx_device *irtx, const struct irtx_settings *wanted);

int irtx_emitter_open(struct irtx_device *irtx, const struct irtx_carrier *carrier);
void irtx_emitter_close(struct irtx_device *irtx);
int irtx_emitter_ask(struct irtx_device *irtx, enum irtx_kind asked);
int irtx_emitter_select(struct irtx_device *irtx, u32 mask);
int irtx_emitter_dark(struct irtx_device *irtx);
void irtx_emitter_guard(struct irtx_device *irtx);
void irtx_emitter_unguard(struct irtx_device *irtx);

static inline u32 irtx_emitter_all(const struct irtx_emitter *emitter)
{
	return GENMASK(emitter->lines - 1, 0);
}

int irtx_tune_try(struct irtx_device *irtx, struct irtx_emitter *emitter,
		  const struct irtx_carrier *wanted, u32 *made_hz);
void irtx_tune_take(struct irtx_device *irtx, const struct irtx_carrier *carrier,
		    u32 made_hz);
int irtx_tune(struct irtx_device *irtx, const struct irtx_carrier *wanted);

void irtx_settings_init(void);
int irtx_settings_defaults(struct device *dev, struct irtx_settings *settings);
extern const struct attribute_group irtx_settings_group;

void irtx_debugfs_init(void);
void irtx_debugfs_exit(void);
void irtx_debugfs_add(struct irtx_device *irtx);
void irtx_debugfs_remove(struct irtx_device *irtx);

#endif
