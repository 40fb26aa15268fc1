/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan: pulse and space lengths turned into absolute edges, so that no
 * error made at one edge can move another. Pure: no clock, no lock, no device.
 */
#ifndef IRTX_PLAN_H
#define IRTX_PLAN_H

#include <linux/types.h>

/* rc-core takes at most 1024 values in one write (LIRCBUF_SIZE in lirc_dev.c) */
#define IRTX_MAX_VALUES	1024
#define IRTX_MAX_EDGES	(IRTX_MAX_VALUES + 1)

/**
 * struct irtx_plan - the edges of one signal
 * @nr_edges: how many there are; always even, since a signal ends dark
 * @due_ns: when each edge is due, counted from the first one (so [0] is 0);
 *	edges with an even index switch the emitter on, the others off
 */
struct irtx_plan {
	unsigned int nr_edges;
	u32 due_ns[IRTX_MAX_EDGES];
};

int irtx_plan_set(struct irtx_plan *plan, const unsigned int *length_us,
		  unsigned int count);

#endif
