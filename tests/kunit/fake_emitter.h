/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An emitter that has no hardware: it notes when it is called, takes as long or
 * fails as it is told, and complains when it is misused.
 */
#ifndef FAKE_EMITTER_H
#define FAKE_EMITTER_H

#include <linux/types.h>

#include "irtx.h"

/* IR_MAX_DURATION of the newest kernels, full of carrier cycles, and some */
#define FAKE_MAX_CALLS	80000

#define FAKE_NEVER	-1

/**
 * struct fake_call - one call of set()
 * @begin_ns: when it began, on CLOCK_MONOTONIC
 * @end_ns: when the light had changed
 * @on: what was asked for
 */
struct fake_call {
	u64 begin_ns;
	u64 end_ns;
	bool on;
};

/**
 * struct fake_emitter - the emitter
 * @emitter: what the engine sees
 * @cost_ns: what switching off and on takes
 * @fail_at: the call that fails, counted from 0, or %FAKE_NEVER
 * @at_call: called in the middle of each call, unless NULL
 * @at_dark: called in the middle of dark(), unless NULL
 * @irqs_off: interrupts must be off whenever it is called
 * @sending: a transmission is under way
 * @lit: there is light
 * @under_way: how many calls are under way
 * @overtaken: set(false) may come while another call has not returned
 * @misuse: the first thing that should not have been done to it, or NULL
 * @darks: how often dark() was called
 * @dark_ns: when it was last
 * @nr: how many calls of set() there were
 * @call: these
 */
struct fake_emitter {
	struct irtx_emitter emitter;
	u32 cost_ns[2];
	int fail_at;
	void (*at_call)(struct fake_emitter *fake, unsigned int nr);
	void (*at_dark)(struct fake_emitter *fake);

	bool irqs_off;
	bool sending;
	bool lit;
	unsigned int under_way;
	bool overtaken;
	const char *misuse;
	unsigned int darks;
	u64 dark_ns;
	unsigned int nr;
	struct fake_call call[FAKE_MAX_CALLS];
};

static inline struct fake_emitter *to_fake(struct irtx_emitter *emitter)
{
	return container_of(emitter, struct fake_emitter, emitter);
}

void fake_init(struct fake_emitter *fake);
void fake_forget(struct fake_emitter *fake);

#endif
