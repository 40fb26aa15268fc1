/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A test bench of the engine: an engine with a fake emitter, which is used the way
 * device.c does, and the ways to send that every signal is tried with.
 */
#ifndef ENGINE_BENCH_H
#define ENGINE_BENCH_H

#include <kunit/test.h>
#include <linux/device.h>
#include <linux/hrtimer.h>

#include "carrier.h"
#include "engine.h"
#include "fake_emitter.h"

/* The carrier that the engine makes, where it makes one */
#define BENCH_HZ		38000

#define BENCH_ALL		(IRTX_ATOMIC | IRTX_HARDIRQ)

/* The clock of user-mode Linux moves in steps of so many ns */
#define BENCH_TICK_NS		256

/* With interrupts on each look at it takes a tick: so late the emitter is called then */
#define BENCH_THREAD_NS		(3 * BENCH_TICK_NS)

/* So late comes at most who waits for an hrtimer on an idle CPU */
#define BENCH_WAKE_NS		(4 * BENCH_TICK_NS)

/**
 * struct bench_way - a way to send
 * @name: what it is
 * @mode: mode that is asked for
 * @abilities: of the emitter
 * @hz: carrier that the engine makes; 0 for one of the hardware
 */
struct bench_way {
	const char *name;
	enum irtx_mode mode;
	unsigned int abilities;
	u32 hz;
};

/**
 * struct bench - an engine and what belongs to it
 * @dev: a device that lends the engine its name
 * @engine: the engine
 * @log: its log
 * @wave: its carrier, where it makes one
 * @fake: its emitter
 * @alarm: a timer of the test
 * @alarm_at_call: the call to the emitter that sets it
 * @alarm_after_ns: how much later it goes off
 * @alarm_ns: when it did, or 0
 * @at_alarm: called then, in a hard interrupt
 */
struct bench {
	struct device dev;
	struct irtx_engine engine;
	struct irtx_log log;
	struct irtx_wave wave;
	struct fake_emitter fake;
	struct hrtimer alarm;
	unsigned int alarm_at_call;
	u64 alarm_after_ns;
	u64 alarm_ns;
	void (*at_alarm)(struct bench *bench);
};

static inline struct bench *bench_of(struct fake_emitter *fake)
{
	return container_of(fake, struct bench, fake);
}

/* Both wakers of hybrid, thread with an emitter that sleeps and with one that need not */
#define BENCH_WAYS		10
extern const struct bench_way bench_ways[BENCH_WAYS];
void bench_way_desc(const struct bench_way *way, char *desc);

int bench_init(struct kunit *test);
void bench_exit(struct kunit *test);
void bench_set_way(struct kunit *test, const struct bench_way *way);
void bench_set_alarm(struct kunit *test, unsigned int call, u64 after_ns,
		     void (*at_alarm)(struct bench *bench));
int bench_send(struct kunit *test, const unsigned int *length_us, unsigned int count);
void bench_hold(unsigned int hold_us);
u64 bench_due_ns(const struct bench *bench, unsigned int edge);

#endif
