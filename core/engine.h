/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The engine: sends a planned signal, each edge at its absolute time.
 */
#ifndef IRTX_ENGINE_H
#define IRTX_ENGINE_H

#include <linux/types.h>

#include "plan.h"
#include "stats.h"

struct irtx_engine;
struct irtx_desc;
struct irtx_wave;

/**
 * struct irtx_mode - a way to wait for the edges of a signal
 * @name: what users call it
 * @why: why it is in force, for people
 * @run: send the signal in the engine's plan; returns 0 or a negative errno
 */
struct irtx_mode {
	const char *name;
	const char *why;
	int (*run)(struct irtx_engine *engine);
};

/**
 * struct irtx_engine - one emitter's engine
 * @desc: the emitter
 * @minor: number of its rc device, for the trace
 * @mode: how edges are waited for
 * @wave: the carrier to make in software; NULL when the hardware makes it
 * @plan: the signal to send, filled in by the caller
 * @log: what is measured in the transmission under way or just ended; empty
 *	when it begins
 */
struct irtx_engine {
	const struct irtx_desc *desc;
	unsigned int minor;
	const struct irtx_mode *mode;
	const struct irtx_wave *wave;
	struct irtx_plan plan;
	struct irtx_log *log;
};

extern const struct irtx_mode irtx_mode_busy;

int irtx_engine_send(struct irtx_engine *engine);
int irtx_engine_dark(struct irtx_engine *engine);

#endif
