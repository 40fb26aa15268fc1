// SPDX-License-Identifier: GPL-2.0-only
/*
 * The carrier: the arithmetic between Hz, per cent and ns.
 */

#include <linux/export.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "carrier.h"

/**
 * irtx_carrier_period_ns() - the length of one carrier cycle
 * @hz: frequency, 1 or more
 *
 * Context: Any.
 * Return: the length in ns, rounded to nearest.
 */
u32 irtx_carrier_period_ns(u32 hz)
{
	return DIV_ROUND_CLOSEST_ULL(NSEC_PER_SEC, hz);
}
EXPORT_SYMBOL_GPL(irtx_carrier_period_ns);

/**
 * irtx_carrier_high_ns() - how long the emitter is on in one carrier cycle
 * @carrier: a carrier that is not unmodulated
 *
 * Context: Any.
 * Return: the time in ns, rounded to nearest.
 */
u32 irtx_carrier_high_ns(const struct irtx_carrier *carrier)
{
	u64 period_ns = irtx_carrier_period_ns(carrier->hz);

	return DIV_ROUND_CLOSEST_ULL(period_ns * carrier->duty_pct, 100);
}
EXPORT_SYMBOL_GPL(irtx_carrier_high_ns);

static u64 irtx_grid_cycles(u32 time_ns, u32 grid_hz)
{
	return DIV_ROUND_CLOSEST_ULL((u64)time_ns * grid_hz, NSEC_PER_SEC);
}

/**
 * irtx_carrier_on_grid_hz() - the carrier that counting a clock can make
 * @hz: the carrier that is asked for, 1 or more
 * @grid_hz: the clock whose whole cycles make up a carrier cycle
 *
 * The period goes to the hardware in whole ns first, since that is the unit of
 * the kernel's PWM interface, and is then counted in whole clock cycles.
 *
 * Context: Any.
 * Return: the frequency in Hz, rounded to nearest; 0 where not even one cycle
 * of the clock fits.
 */
u32 irtx_carrier_on_grid_hz(u32 hz, u32 grid_hz)
{
	u64 cycles = irtx_grid_cycles(irtx_carrier_period_ns(hz), grid_hz);

	return cycles ? DIV64_U64_ROUND_CLOSEST(grid_hz, cycles) : 0;
}
EXPORT_SYMBOL_GPL(irtx_carrier_on_grid_hz);

/**
 * irtx_carrier_duty_fits() - is there both light and dark in a carrier cycle?
 * @carrier: a carrier that is not unmodulated
 * @grid_hz: the clock whose whole cycles make up a carrier cycle
 *
 * Context: Any.
 * Return: false when the duty cycle, counted in whole clock cycles, comes out as
 * nothing or as all of the carrier cycle.
 */
bool irtx_carrier_duty_fits(const struct irtx_carrier *carrier, u32 grid_hz)
{
	u64 cycles = irtx_grid_cycles(irtx_carrier_period_ns(carrier->hz), grid_hz);
	u64 high = irtx_grid_cycles(irtx_carrier_high_ns(carrier), grid_hz);

	return high && high < cycles;
}
EXPORT_SYMBOL_GPL(irtx_carrier_duty_fits);

/**
 * irtx_carrier_tolerable() - is a carrier near enough to the one asked for?
 * @asked_hz: what was asked for
 * @made_hz: what the hardware makes
 *
 * Context: Any.
 * Return: true when the two differ by at most %IRTX_CARRIER_TOLERANCE_PPM.
 */
bool irtx_carrier_tolerable(u32 asked_hz, u32 made_hz)
{
	u64 off_hz = max(asked_hz, made_hz) - min(asked_hz, made_hz);

	return off_hz * USEC_PER_SEC <=
	       (u64)asked_hz * IRTX_CARRIER_TOLERANCE_PPM;
}

/**
 * irtx_wave_set() - prepare a carrier to be made by software
 * @wave: filled in
 * @carrier: a carrier that is not unmodulated
 *
 * The length of a cycle is rounded up, so that a time that is due at a whole ns is not
 * reckoned to be the one before it.
 *
 * Context: Any; divides, so not between two edges.
 */
void irtx_wave_set(struct irtx_wave *wave, const struct irtx_carrier *carrier)
{
	wave->period_q32 = DIV_ROUND_UP_ULL((u64)NSEC_PER_SEC << 32, carrier->hz);
	wave->high_q32 = mul_u64_u32_div(wave->period_q32, carrier->duty_pct, 100);
}

/**
 * irtx_wave_shortest_ns() - the shortest time between two switchings
 * @wave: a carrier made by software
 *
 * Context: Any.
 * Return: that time in ns, rounded down.
 */
u32 irtx_wave_shortest_ns(const struct irtx_wave *wave)
{
	return min(wave->high_q32, wave->period_q32 - wave->high_q32) >> 32;
}

/**
 * irtx_wave_limit_hz() - the highest carrier for a shortest time between switchings
 * @duty_pct: duty cycle, 1 to %IRTX_DUTY_MAX_PCT
 * @shortest_ns: that time, 1 or more
 *
 * Context: Any; divides.
 * Return: the frequency in Hz, rounded down.
 */
u32 irtx_wave_limit_hz(u32 duty_pct, u32 shortest_ns)
{
	return div_u64(NSEC_PER_SEC / 100 * min(duty_pct, 100 - duty_pct), shortest_ns);
}
