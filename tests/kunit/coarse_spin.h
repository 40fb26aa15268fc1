/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read before the source of a module of ours: lets a turn of its spin take longer. In
 * the virtual time of user-mode Linux a turn is 1 ns, while the clock moves every
 * 256, and a signal full of carrier cycles would take the host minutes.
 */
#ifndef COARSE_SPIN_H
#define COARSE_SPIN_H

#ifndef COARSE_SPIN_NS
#define COARSE_SPIN_NS	128
#endif

#ifndef __ASSEMBLY__
#include <linux/delay.h>
#include <linux/processor.h>

#undef cpu_relax
#define cpu_relax()	ndelay(COARSE_SPIN_NS)
#endif

#endif
