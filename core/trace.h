/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace events: one when a transmission starts, one after each edge, one when
 * it has ended, and one when auto mode changes. Numbers only; the first is the
 * minor of the lirc device.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM irtx

#if !defined(IRTX_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define IRTX_TRACE_H

#include <linux/tracepoint.h>

#include "carrier.h"
#include "mode.h"
#include "stats.h"

TRACE_DEFINE_ENUM(IRTX_MODE_BUSY);
TRACE_DEFINE_ENUM(IRTX_MODE_HYBRID);
TRACE_DEFINE_ENUM(IRTX_MODE_THREAD);

#define irtx_show_mode(mode)						\
	__print_symbolic(mode,						\
			 { IRTX_MODE_BUSY, "busy" },			\
			 { IRTX_MODE_HYBRID, "hybrid" },		\
			 { IRTX_MODE_THREAD, "thread" })

TRACE_EVENT(irtx_tx_start,
	    TP_PROTO(unsigned int minor, unsigned int edges, u32 length_ns,
		     const struct irtx_carrier *carrier, int mode),
	    TP_ARGS(minor, edges, length_ns, carrier, mode),
	    TP_STRUCT__entry(__field(unsigned int, minor)
			     __field(unsigned int, edges)
			     __field(u32, length_ns)
			     __field(u32, carrier_hz)
			     __field(u32, duty_pct)
			     __field(int, mode)
	    ),
	    TP_fast_assign(__entry->minor = minor;
			   __entry->edges = edges;
			   __entry->length_ns = length_ns;
			   __entry->carrier_hz = carrier->hz;
			   __entry->duty_pct = carrier->duty_pct;
			   __entry->mode = mode;
	    ),
	    TP_printk("minor=%u edges=%u length_ns=%u carrier_hz=%u duty_pct=%u mode=%s",
		      __entry->minor, __entry->edges, __entry->length_ns,
		      __entry->carrier_hz, __entry->duty_pct,
		      irtx_show_mode(__entry->mode))
);

TRACE_EVENT(irtx_edge,
	    TP_PROTO(unsigned int minor, unsigned int index, bool on,
		     const struct irtx_sample *sample),
	    TP_ARGS(minor, index, on, sample),
	    TP_STRUCT__entry(__field(unsigned int, minor)
			     __field(unsigned int, index)
			     __field(bool, on)
			     __field(u32, due_ns)
			     __field(s32, late_ns)
			     __field(s32, cost_ns)
	    ),
	    TP_fast_assign(__entry->minor = minor;
			   __entry->index = index;
			   __entry->on = on;
			   __entry->due_ns = sample->due_ns;
			   __entry->late_ns = sample->late_ns;
			   __entry->cost_ns = sample->cost_ns;
	    ),
	    TP_printk("minor=%u index=%u on=%d due_ns=%u late_ns=%d cost_ns=%d",
		      __entry->minor, __entry->index, __entry->on,
		      __entry->due_ns, __entry->late_ns, __entry->cost_ns)
);

TRACE_EVENT(irtx_tx_done,
	    TP_PROTO(unsigned int minor, unsigned int edges, int ret),
	    TP_ARGS(minor, edges, ret),
	    TP_STRUCT__entry(__field(unsigned int, minor)
			     __field(unsigned int, edges)
			     __field(int, ret)
	    ),
	    TP_fast_assign(__entry->minor = minor;
			   __entry->edges = edges;
			   __entry->ret = ret;
	    ),
	    TP_printk("minor=%u edges=%u ret=%d",
		      __entry->minor, __entry->edges, __entry->ret)
);

TRACE_EVENT(irtx_auto,
	    TP_PROTO(unsigned int minor, unsigned int busy_left),
	    TP_ARGS(minor, busy_left),
	    TP_STRUCT__entry(__field(unsigned int, minor)
			     __field(unsigned int, busy_left)
	    ),
	    TP_fast_assign(__entry->minor = minor;
			   __entry->busy_left = busy_left;
	    ),
	    TP_printk("minor=%u busy_left=%u", __entry->minor, __entry->busy_left)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
