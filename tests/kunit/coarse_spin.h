/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read before the engine's own source: lets a turn of its spin take longer. In the
 * virtual time of user-mode Linux a turn is 1 ns, while the clock moves every 256,
 * and a signal full of carrier cycles would take the host minutes.
 */
#ifndef COARSE_SPIN_H
#define COARSE_SPIN_H

#include <linux/delay.h>
#include <linux/processor.h>

#undef cpu_relax
#define cpu_relax()	ndelay(128)

#endif
