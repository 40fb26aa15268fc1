// SPDX-License-Identifier: GPL-2.0-only
/*
 * The plan: pulse and space lengths turned into absolute edges.
 */

#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/time64.h>

#include "plan.h"

/**
 * irtx_plan_set() - plan a signal
 * @plan: filled in; left in an unspecified state on error
 * @length_us: pulse and space lengths in turn, beginning and ending with a
 *	pulse, each at least 1 us
 * @count: how many lengths there are: odd, 1 to %IRTX_MAX_VALUES
 *
 * Context: Any.
 * Return: 0, or -EINVAL for an even, zero or too large @count, for a length of
 * zero, and for a signal that is longer than 2^32 ns.
 */
int irtx_plan_set(struct irtx_plan *plan, const unsigned int *length_us,
		  unsigned int count)
{
	u64 due_ns = 0;
	unsigned int i;

	if (count > IRTX_MAX_VALUES || count % 2 == 0)
		return -EINVAL;

	plan->due_ns[0] = 0;
	for (i = 0; i < count; i++) {
		due_ns += (u64)length_us[i] * NSEC_PER_USEC;
		if (!length_us[i] || due_ns > U32_MAX)
			return -EINVAL;
		plan->due_ns[i + 1] = due_ns;
	}
	plan->nr_edges = count + 1;

	return 0;
}
