/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Put before each source of our modules: on user-mode Linux a pause in a waiting loop takes
 * 1 ns, and a signal of some ms would make millions of turns. Here it takes about what it does
 * on a processor.
 */
#ifndef FUZZ_PAUSE_H
#define FUZZ_PAUSE_H

#ifndef __ASSEMBLY__
#include <linux/processor.h>
#include <linux/delay.h>

#define cpu_relax()	ndelay(50)
#endif

#endif
