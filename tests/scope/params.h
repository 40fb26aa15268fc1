/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module parameters that make a virtual chip misbehave, the same for every
 * kind of chip. Included once by each module.
 */
#ifndef SCOPE_PARAMS_H
#define SCOPE_PARAMS_H

#include <linux/moduleparam.h>

#include "scope.h"

static struct scope_faults faults = {
	.fail_count = 1,
	.slow_count = 1,
};

module_param_named(applies, faults.applies, uint, 0644);
MODULE_PARM_DESC(applies, "Calls so far; write 0 to count anew");

module_param_named(fail_from, faults.fail_from, uint, 0644);
MODULE_PARM_DESC(fail_from, "First call that fails, counted like applies; 0 = none (default)");

module_param_named(fail_count, faults.fail_count, uint, 0644);
MODULE_PARM_DESC(fail_count, "How many calls in a row fail (default 1)");

module_param_named(fail_late, faults.fail_late, bool, 0644);
MODULE_PARM_DESC(fail_late, "Fail after the line has moved instead of before (default N)");

module_param_named(slow_from, faults.slow_from, uint, 0644);
MODULE_PARM_DESC(slow_from, "First call that is slow, counted like applies; 0 = none (default)");

module_param_named(slow_count, faults.slow_count, uint, 0644);
MODULE_PARM_DESC(slow_count, "How many calls in a row are slow (default 1)");

module_param_named(slow_us, faults.slow_us, uint, 0644);
MODULE_PARM_DESC(slow_us, "How many us longer a slow call takes before the line moves");

module_param_named(oops_from, faults.oops_from, uint, 0644);
MODULE_PARM_DESC(oops_from, "Call that is a bug and ends its thread, counted like applies; 0 = none (default)");

module_param_named(op_ns, faults.op_ns, uint, 0644);
MODULE_PARM_DESC(op_ns, "How many ns every call takes before the line moves (default 0)");

module_param_named(may_sleep, faults.may_sleep, bool, 0444);
MODULE_PARM_DESC(may_sleep, "Be a chip that may sleep, and sleeps where it takes time (default N)");

#endif
