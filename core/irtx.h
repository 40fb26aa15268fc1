/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * irtx: what a driver needs to know of irtx-core. It describes its emitter with
 * one small table of operations and registers it; schedule, timing, statistics
 * and the rc device are made for it.
 */
#ifndef IRTX_H
#define IRTX_H

#include <linux/types.h>

#include "carrier.h"
#include "mode.h"

struct device;
struct irtx_emitter;

/* An emitter has at most so many lines: LIRC's transmitter mask has 32 bits */
#define IRTX_MAX_LINES	32

/**
 * struct irtx_emitter_ops - what an emitter can do
 */
struct irtx_emitter_ops {
	/**
	 * @tune: from now on send with this carrier; stays dark. NULL for an
	 * emitter that can only be on or off, whose carrier the core makes.
	 *
	 * Where the hardware tells which frequency comes of it, that goes to
	 * @made_hz, and the core judges whether it is near enough; otherwise
	 * @made_hz stays what it is, the frequency of @carrier.
	 *
	 * Context: Process, may sleep.
	 * Return: 0, -EINVAL when the hardware cannot make this carrier, or
	 * the errno with which the hardware failed. On error the emitter wants
	 * to be tuned again before it sends.
	 */
	int (*tune)(struct irtx_emitter *emitter, const struct irtx_carrier *carrier,
		    u32 *made_hz);

	/**
	 * @select: from now on switch the lines of @mask, at least one, and
	 * leave the others dark. All are dark when it is called.
	 *
	 * Context: Process.
	 */
	void (*select)(struct irtx_emitter *emitter, u32 mask);

	/**
	 * @set: switch the selected lines on or off. The pins have moved when
	 * it returns, as far as software can know. Where they move one after
	 * another the time from the first to the last goes to skew_ns of the
	 * emitter.
	 *
	 * Context: what the emitter's abilities say: hard interrupt, interrupts
	 * off, or process. With IRTX_HARDIRQ the watch may switch the emitter
	 * off while a call on another CPU has not returned in time.
	 * Return: 0, or the errno with which the hardware failed.
	 */
	int (*set)(struct irtx_emitter *emitter, bool on);

	/**
	 * @dark: switch all lines off, whatever happened before, without
	 * trusting in what was last asked of the hardware.
	 *
	 * Context: Process, may sleep.
	 * Return: 0, or the errno with which the hardware failed.
	 */
	int (*dark)(struct irtx_emitter *emitter);
};

/**
 * struct irtx_emitter - an emitter, as its driver describes it
 * @name: which piece of hardware this is, for people
 * @abilities: what its @set stands: IRTX_ATOMIC, IRTX_HARDIRQ
 * @lines: how many lines it has, 1 to %IRTX_MAX_LINES
 * @skew_ns: how far apart the last @set moved the selected lines
 * @switch_ns: what @set of all lines takes, as the core has measured it where it
 *	makes the carrier; else 0
 * @stuck: it could not be switched off, and may be lit
 * @ops: what it can do
 */
struct irtx_emitter {
	const char *name;
	unsigned int abilities;
	unsigned int lines;
	u32 skew_ns;
	u32 switch_ns;
	bool stuck;
	const struct irtx_emitter_ops *ops;
};

/**
 * struct irtx_desc - a transmitter, as its driver describes it
 * @driver_name: DRV_NAME of the rc device
 * @device_name: DEV_NAME of the rc device
 * @pwm: the emitter that the driver has, or an ERR_PTR() that says why it has
 *	none: -ENOENT when none is named
 *
 * GPIOs that are named beside it the core finds itself.
 */
struct irtx_desc {
	const char *driver_name;
	const char *device_name;
	struct irtx_emitter *pwm;
};

int devm_irtx_register(struct device *dev, const struct irtx_desc *desc);
void irtx_shutdown(struct device *dev);

char *devm_irtx_name(struct device *dev, char *name, const char *kind, const char *chip,
		     const char *line, unsigned int number);

#endif
