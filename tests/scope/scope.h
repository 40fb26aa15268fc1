/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the virtual chips have in common: lines that are on or off, calls that
 * fail or are slow on demand, and a record of every change.
 */
#ifndef SCOPE_H
#define SCOPE_H

#include <linux/types.h>

#define SCOPE_MAX_LINES 32

struct device;
struct scope;

/**
 * struct scope_faults - how the chips of a module behave
 * @applies: calls so far
 * @fail_from: first call that fails, counted like @applies; 0 = none
 * @fail_count: how many calls in a row fail
 * @slow_from: first call that is slow, counted like @applies; 0 = none
 * @slow_count: how many calls in a row are slow
 * @slow_us: how much longer a slow call takes
 * @oops_from: call that is a bug and ends its thread; 0 = none
 * @op_ns: how long every call takes before something moves
 * @fail_late: a call that fails does so after it has moved something
 * @may_sleep: every call may sleep, and sleeps where it takes time
 */
struct scope_faults {
	unsigned int applies;
	unsigned int fail_from;
	unsigned int fail_count;
	unsigned int slow_from;
	unsigned int slow_count;
	unsigned int slow_us;
	unsigned int oops_from;
	unsigned int op_ns;
	bool fail_late;
	bool may_sleep;
};

/**
 * struct scope_wave - the carrier that a line has while it is on
 * @period_ns: its period, 0 where the line is just on
 * @high_ns: how much of it is light
 */
struct scope_wave {
	u64 period_ns;
	u64 high_ns;
};

struct scope *devm_scope_create(struct device *dev, struct scope_faults *faults,
				const char *lines_property);
unsigned int scope_lines(const struct scope *scope);
bool scope_is_on(const struct scope *scope, unsigned int line);
int scope_call(struct scope *scope, u32 lines, u32 on, struct scope_wave wave);

#endif
