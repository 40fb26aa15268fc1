/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The carrier: the arithmetic between a frequency in Hz, a duty cycle in per
 * cent, and times in ns. Pure: no clock, no lock, no device.
 */
#ifndef IRTX_CARRIER_H
#define IRTX_CARRIER_H

#include <linux/types.h>

/* What the field uses when nobody says otherwise, and mainline's drivers too */
#define IRTX_CARRIER_DEFAULT_HZ		38000
#define IRTX_DUTY_DEFAULT_PCT		50

/* The highest default that a device tree may ask for: B&O's 455 kHz, and a bit */
#define IRTX_CARRIER_DEFAULT_MAX_HZ	500000

/* rc-core lets 1 to 99 through (LIRC_SET_SEND_DUTY_CYCLE in lirc_dev.c) */
#define IRTX_DUTY_MAX_PCT		99

/* How far the carrier that is sent may be from the one that was asked for */
#define IRTX_CARRIER_TOLERANCE_PPM	20000

/**
 * struct irtx_carrier - the carrier that was asked for
 * @hz: frequency; 0 = unmodulated, the emitter is steadily on for the pulse
 * @duty_pct: duty cycle, 1 to %IRTX_DUTY_MAX_PCT; means nothing when unmodulated
 */
struct irtx_carrier {
	u32 hz;
	u32 duty_pct;
};

/**
 * struct irtx_wave - a carrier as the software makes it
 * @period_q32: length of a cycle in ns, with 32 fractional bits, so that a
 *	signal of 4 s is less than 1 ns off at its end
 * @high_q32: how much of a cycle the emitter is on, in the same unit
 */
struct irtx_wave {
	u64 period_q32;
	u64 high_q32;
};

u32 irtx_carrier_period_ns(u32 hz);
u32 irtx_carrier_high_ns(const struct irtx_carrier *carrier);
u32 irtx_carrier_on_grid_hz(u32 hz, u32 grid_hz);
bool irtx_carrier_duty_fits(const struct irtx_carrier *carrier, u32 grid_hz);
bool irtx_carrier_tolerable(u32 asked_hz, u32 made_hz);
void irtx_wave_set(struct irtx_wave *wave, const struct irtx_carrier *carrier);
u32 irtx_wave_shortest_ns(const struct irtx_wave *wave);
u32 irtx_wave_limit_hz(u32 duty_pct, u32 shortest_ns);

#endif
