/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * irtx: what an emitter driver needs to know of irtx-core. A driver describes
 * its emitter with one small table of operations and registers it; schedule,
 * timing, statistics and the rc device are made for it.
 */
#ifndef IRTX_H
#define IRTX_H

#include <linux/types.h>

#include "carrier.h"
#include "mode.h"

struct device;

/**
 * struct irtx_emitter_ops - what an emitter can do
 */
struct irtx_emitter_ops {
	/**
	 * @tune: from now on send with this carrier; stays dark.
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
	int (*tune)(void *emitter, const struct irtx_carrier *carrier,
		    u32 *made_hz);

	/**
	 * @set: switch the emitter on or off. The pin has moved when it
	 * returns, as far as software can know.
	 *
	 * Context: what the abilities of struct irtx_desc say: hard interrupt,
	 * interrupts off, or process.
	 * Return: 0, or the errno with which the hardware failed.
	 */
	int (*set)(void *emitter, bool on);

	/**
	 * @dark: switch the emitter off, whatever happened before, without
	 * trusting in what was last asked of the hardware.
	 *
	 * Context: Process, may sleep.
	 * Return: 0, or the errno with which the hardware failed.
	 */
	int (*dark)(void *emitter);
};

/**
 * struct irtx_desc - an emitter, as its driver describes it
 * @driver_name: DRV_NAME of the rc device
 * @device_name: DEV_NAME of the rc device
 * @emitter_name: which piece of hardware this is, for people
 * @abilities: what its @set stands: IRTX_ATOMIC, IRTX_HARDIRQ
 * @ops: what it can do
 * @emitter: handed to each operation
 */
struct irtx_desc {
	const char *driver_name;
	const char *device_name;
	const char *emitter_name;
	unsigned int abilities;
	const struct irtx_emitter_ops *ops;
	void *emitter;
};

int devm_irtx_register(struct device *dev, const struct irtx_desc *desc);
void irtx_shutdown(struct device *dev);

#endif
