// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite of the carrier's arithmetic. The expected values were worked out
 * by hand, not with the code under test.
 */

#include <kunit/test.h>

#include "carrier.h"

struct period_case {
	const char *name;
	u32 hz;
	u32 duty_pct;
	u32 period_ns;
	u32 high_ns;
};

static const struct period_case period_cases[] = {
	{ "30 kHz, 33 %", 30000, 33, 33333, 11000 },
	{ "36 kHz, 25 %", 36000, 25, 27778, 6945 },
	{ "38 kHz, 50 %", 38000, 50, 26316, 13158 },
	{ "40 kHz, 1 %", 40000, 1, 25000, 250 },
	{ "56 kHz, 99 %", 56000, 99, 17857, 17678 },
	{ "455 kHz, 50 %", 455000, 50, 2198, 1099 },
	{ "slowest", 1, 50, 1000000000, 500000000 },
	{ "1 GHz", 1000000000, 50, 1, 1 },
	{ "too fast for ns", 4000000000U, 50, 0, 0 },
};

static void period_case_desc(const struct period_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(period, period_cases, period_case_desc);

static void carrier_period(struct kunit *test)
{
	const struct period_case *c = test->param_value;
	struct irtx_carrier carrier = { .hz = c->hz, .duty_pct = c->duty_pct };

	KUNIT_EXPECT_EQ(test, irtx_carrier_period_ns(c->hz), c->period_ns);
	KUNIT_EXPECT_EQ(test, irtx_carrier_high_ns(&carrier), c->high_ns);
}

struct grid_case {
	const char *name;
	u32 hz;
	u32 grid_hz;
	u32 made_hz;
	bool tolerable;
};

static const struct grid_case grid_cases[] = {
	{ "38 kHz of 10 MHz: 263 cycles", 38000, 10000000, 38023, true },
	{ "455 kHz of 10 MHz: 22 cycles", 455000, 10000000, 454545, true },
	{ "3.5 MHz of 10 MHz: 3 cycles", 3500000, 10000000, 3333333, false },
	{ "5 MHz of 10 MHz: 2 cycles", 5000000, 10000000, 5000000, true },
	{ "30 MHz of 10 MHz: none", 30000000, 10000000, 0, false },
	{ "38 kHz of 32768 Hz: 1 cycle", 38000, 32768, 32768, false },
	{ "38 kHz of 1 kHz: none", 38000, 1000, 0, false },
	{ "1 Hz of 4 GHz", 1, 4000000000U, 1, true },
};

static void grid_case_desc(const struct grid_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(grid, grid_cases, grid_case_desc);

static void carrier_grid(struct kunit *test)
{
	const struct grid_case *c = test->param_value;
	u32 made_hz = irtx_carrier_on_grid_hz(c->hz, c->grid_hz);

	KUNIT_EXPECT_EQ(test, made_hz, c->made_hz);
	KUNIT_EXPECT_EQ(test, irtx_carrier_tolerable(c->hz, made_hz), c->tolerable);
}

static void carrier_duty_fits(struct kunit *test)
{
	struct irtx_carrier carrier = { .hz = 455000, .duty_pct = 1 };

	/* 22 cycles of 10 MHz, of which 1 % is none and 99 % are all */
	KUNIT_EXPECT_FALSE(test, irtx_carrier_duty_fits(&carrier, 10000000));
	carrier.duty_pct = 3;
	KUNIT_EXPECT_TRUE(test, irtx_carrier_duty_fits(&carrier, 10000000));
	carrier.duty_pct = 97;
	KUNIT_EXPECT_TRUE(test, irtx_carrier_duty_fits(&carrier, 10000000));
	carrier.duty_pct = 99;
	KUNIT_EXPECT_FALSE(test, irtx_carrier_duty_fits(&carrier, 10000000));
}

struct tolerance_case {
	const char *name;
	u32 asked_hz;
	u32 made_hz;
	bool tolerable;
};

static const struct tolerance_case tolerance_cases[] = {
	{ "the same", 38000, 38000, true },
	{ "2 % above", 38000, 38760, true },
	{ "2 % and 1 Hz above", 38000, 38761, false },
	{ "2 % below", 38000, 37240, true },
	{ "2 % and 1 Hz below", 38000, 37239, false },
	{ "unmodulated", 0, 0, true },
	{ "modulated, but not asked for", 0, 1, false },
	{ "largest", U32_MAX, U32_MAX, true },
	{ "nothing for the largest", U32_MAX, 0, false },
};

static void tolerance_case_desc(const struct tolerance_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(tolerance, tolerance_cases, tolerance_case_desc);

static void carrier_tolerance(struct kunit *test)
{
	const struct tolerance_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, irtx_carrier_tolerable(c->asked_hz, c->made_hz),
			c->tolerable);
}

struct wave_case {
	const char *name;
	u32 hz;
	u32 duty_pct;
	u32 million_cycles_us;
	u32 million_high_us;
};

/* A million cycles last as long in us as one does in pico-seconds. */
static const struct wave_case wave_cases[] = {
	{ "36 kHz, 33 %", 36000, 33, 27777777, 9166666 },
	{ "38 kHz, 50 %", 38000, 50, 26315789, 13157894 },
	{ "40 kHz, 25 %", 40000, 25, 25000000, 6250000 },
	{ "455 kHz, 99 %", 455000, 99, 2197802, 2175824 },
	{ "500 kHz, 1 %", 500000, 1, 2000000, 20000 },
};

static void wave_case_desc(const struct wave_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(wave, wave_cases, wave_case_desc);

static u32 wave_million_us(u64 one_q32)
{
	return mul_u64_u32_shr(one_q32, 1000, 32);
}

static void carrier_wave(struct kunit *test)
{
	const struct wave_case *c = test->param_value;
	struct irtx_carrier carrier = { .hz = c->hz, .duty_pct = c->duty_pct };
	struct irtx_wave wave;

	irtx_wave_set(&wave, &carrier);
	KUNIT_EXPECT_LE(test, c->million_cycles_us - wave_million_us(wave.period_q32), 1);
	KUNIT_EXPECT_LE(test, c->million_high_us - wave_million_us(wave.high_q32), 1);
}

struct limit_case {
	const char *name;
	u32 hz;
	u32 duty_pct;
	u32 shortest_ns;
};

/* 1/3 of 1/36000 s is 9259.25 ns; 1 % of a cycle of 38 kHz is 263.2 ns. */
static const struct limit_case limit_cases[] = {
	{ "36 kHz, 33 %", 36000, 33, 9166 },
	{ "38 kHz, 50 %", 38000, 50, 13157 },
	{ "38 kHz, 1 %", 38000, 1, 263 },
	{ "38 kHz, 99 %", 38000, 99, 263 },
	{ "455 kHz, 50 %", 455000, 50, 1098 },
	{ "1 Hz, 50 %", 1, 50, 500000000 },
};

static void limit_case_desc(const struct limit_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(limit, limit_cases, limit_case_desc);

/* The limit for the shortest stretch of a carrier is that carrier, or just above. */
static void carrier_limit(struct kunit *test)
{
	const struct limit_case *c = test->param_value;
	const struct irtx_carrier carrier = { .hz = c->hz, .duty_pct = c->duty_pct };
	struct irtx_wave wave;
	u32 limit_hz;

	irtx_wave_set(&wave, &carrier);
	KUNIT_EXPECT_EQ(test, irtx_wave_shortest_ns(&wave), c->shortest_ns);

	limit_hz = irtx_wave_limit_hz(c->duty_pct, c->shortest_ns);
	KUNIT_EXPECT_GE(test, limit_hz, c->hz);
	KUNIT_EXPECT_LE(test, limit_hz, c->hz + c->hz / 200);
	KUNIT_EXPECT_LT(test, irtx_wave_limit_hz(c->duty_pct, c->shortest_ns * 2), c->hz);
}

static struct kunit_case carrier_tests[] = {
	KUNIT_CASE_PARAM(carrier_period, period_gen_params),
	KUNIT_CASE_PARAM(carrier_grid, grid_gen_params),
	KUNIT_CASE(carrier_duty_fits),
	KUNIT_CASE_PARAM(carrier_tolerance, tolerance_gen_params),
	KUNIT_CASE_PARAM(carrier_wave, wave_gen_params),
	KUNIT_CASE_PARAM(carrier_limit, limit_gen_params),
	{}
};

static struct kunit_suite carrier_suite = {
	.name = "irtx_carrier",
	.test_cases = carrier_tests,
};

kunit_test_suite(carrier_suite);
