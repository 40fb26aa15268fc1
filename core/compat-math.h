/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arithmetic that some kernels lack, apart from the rest of compat.h so that
 * pure files can use it.
 */
#ifndef IRTX_COMPAT_MATH_H
#define IRTX_COMPAT_MATH_H

#include <linux/math.h>
#include <linux/types.h>

/* A macro of the kernel's own from 6.6 on */
#ifndef abs_diff
static inline u64 abs_diff(u64 a, u64 b)
{
	return a > b ? a - b : b - a;
}
#endif

#endif
