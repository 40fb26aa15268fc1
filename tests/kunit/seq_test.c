// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite of the sequencer. Its oracle counts carrier cycles with exact
 * fractions, where the code under test adds up fixed-point numbers.
 */

#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/prandom.h>

#include "carrier.h"
#include "plan.h"
#include "seq.h"

struct seq_context {
	struct irtx_plan plan;
	struct irtx_seq seq;
	struct irtx_wave wave;
	unsigned int length_us[IRTX_MAX_VALUES];
};

static int seq_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct seq_context), GFP_KERNEL);

	return test->priv ? 0 : -ENOMEM;
}

static void seq_expect(struct kunit *test, u32 due_ns, bool on, bool envelope)
{
	struct seq_context *ctx = test->priv;
	struct irtx_step step;

	KUNIT_ASSERT_TRUE(test, irtx_seq_next(&ctx->seq, &step));
	KUNIT_EXPECT_EQ(test, step.due_ns, due_ns);
	KUNIT_EXPECT_EQ(test, step.on, on);
	KUNIT_EXPECT_EQ(test, step.envelope, envelope);
}

static void seq_expect_end(struct kunit *test)
{
	struct seq_context *ctx = test->priv;
	struct irtx_step step;

	KUNIT_EXPECT_FALSE(test, irtx_seq_next(&ctx->seq, &step));
	KUNIT_EXPECT_FALSE(test, irtx_seq_next(&ctx->seq, &step));
}

/* With the carrier made by hardware the steps are the plan's edges. */
static void seq_hardware_carrier(struct kunit *test)
{
	static const unsigned int length_us[] = { 9000, 4500, 562 };
	struct seq_context *ctx = test->priv;

	KUNIT_ASSERT_EQ(test, irtx_plan_set(&ctx->plan, length_us, 3), 0);
	irtx_seq_start(&ctx->seq, &ctx->plan, NULL);
	seq_expect(test, 0, true, true);
	seq_expect(test, 9000000, false, true);
	seq_expect(test, 13500000, true, true);
	seq_expect(test, 14062000, false, true);
	seq_expect_end(test);
}

/* 40 kHz at 25 %: a cycle of 25 us, of which the emitter is on for 6.25 us. */
static void seq_software_carrier(struct kunit *test)
{
	static const struct irtx_carrier carrier = { .hz = 40000, .duty_pct = 25 };
	static const unsigned int length_us[] = { 60, 100, 1 };
	struct seq_context *ctx = test->priv;

	KUNIT_ASSERT_EQ(test, irtx_plan_set(&ctx->plan, length_us, 3), 0);
	irtx_wave_set(&ctx->wave, &carrier);
	irtx_seq_start(&ctx->seq, &ctx->plan, &ctx->wave);
	seq_expect(test, 0, true, true);
	seq_expect(test, 6250, false, false);
	seq_expect(test, 25000, true, false);
	seq_expect(test, 31250, false, true);
	seq_expect(test, 160000, true, true);
	seq_expect(test, 161000, false, true);
	seq_expect_end(test);
}

/* A pulse that ends just in the middle of a cycle is as well without it. */
struct tie_case {
	const char *name;
	u32 hz;
	unsigned int length_us;
	unsigned int cycles;
};

static const struct tie_case tie_cases[] = {
	{ "9.5 cycles", 38000, 250, 9 },
	{ "28.5 cycles", 38000, 750, 28 },
	{ "16.5 cycles", 33000, 500, 16 },
	{ "45.5 cycles", 455000, 100, 45 },
	{ "18990.5 cycles", 38000, 499750, 18990 },
	{ "227386.5 cycles", 455000, 499750, 227386 },
};

static void tie_case_desc(const struct tie_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(tie, tie_cases, tie_case_desc);

static void seq_tie(struct kunit *test)
{
	const struct tie_case *c = test->param_value;
	const struct irtx_carrier carrier = { .hz = c->hz, .duty_pct = 50 };
	struct seq_context *ctx = test->priv;
	struct irtx_step step;
	unsigned int cycles = 0;

	KUNIT_ASSERT_EQ(test, irtx_plan_set(&ctx->plan, &c->length_us, 1), 0);
	irtx_wave_set(&ctx->wave, &carrier);
	irtx_seq_start(&ctx->seq, &ctx->plan, &ctx->wave);
	while (irtx_seq_next(&ctx->seq, &step))
		cycles += step.on;
	KUNIT_EXPECT_EQ(test, cycles, c->cycles);
}

/*
 * At 40 kHz and 50 % a pulse of 100 us is four cycles. What is handed out when the
 * time of the first cycles has gone by: the next cycle whose light is not all
 * past, or the pulse's end.
 */
struct late_case {
	const char *name;
	u32 now_ns;
	u32 due_ns;
	bool on;
	bool envelope;
};

static const struct late_case late_cases[] = {
	{ "in time", 12500, 25000, true, false },
	{ "late, some light left", 37499, 25000, true, false },
	{ "one cycle past", 37500, 50000, true, false },
	{ "two cycles past", 62500, 75000, true, false },
	{ "all cycles past", 87500, 87500, false, true },
	{ "long past", U32_MAX, 87500, false, true },
};

static void late_case_desc(const struct late_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(late, late_cases, late_case_desc);

static void seq_catch_up(struct kunit *test)
{
	static const struct irtx_carrier carrier = { .hz = 40000, .duty_pct = 50 };
	static const unsigned int length_us[] = { 100, 100, 100 };
	const struct late_case *c = test->param_value;
	struct seq_context *ctx = test->priv;
	struct irtx_step step;

	KUNIT_ASSERT_EQ(test, irtx_plan_set(&ctx->plan, length_us, 3), 0);
	irtx_wave_set(&ctx->wave, &carrier);
	irtx_seq_start(&ctx->seq, &ctx->plan, &ctx->wave);
	seq_expect(test, 0, true, true);
	seq_expect(test, 12500, false, false);
	KUNIT_ASSERT_TRUE(test, irtx_seq_next(&ctx->seq, &step));

	irtx_seq_catch_up(&ctx->seq, &step, c->now_ns);
	KUNIT_EXPECT_EQ(test, step.due_ns, c->due_ns);
	KUNIT_EXPECT_EQ(test, step.on, c->on);
	KUNIT_EXPECT_EQ(test, step.envelope, c->envelope);

	if (c->on)
		seq_expect(test, c->due_ns + 12500, false, c->due_ns == 75000);
	else
		seq_expect(test, 200000, true, true);
}

/* However late it is, no edge of the signal is left out, and all ends dark. */
static void seq_catch_up_keeps_edges(struct kunit *test)
{
	static const struct irtx_carrier carrier = { .hz = 40000, .duty_pct = 50 };
	static const unsigned int length_us[] = { 50, 100, 50 };
	struct seq_context *ctx = test->priv;
	unsigned int edges = 0;
	struct irtx_step step;

	KUNIT_ASSERT_EQ(test, irtx_plan_set(&ctx->plan, length_us, 3), 0);
	irtx_wave_set(&ctx->wave, &carrier);
	irtx_seq_start(&ctx->seq, &ctx->plan, &ctx->wave);
	while (irtx_seq_next(&ctx->seq, &step)) {
		irtx_seq_catch_up(&ctx->seq, &step, U32_MAX);
		if (step.envelope)
			KUNIT_EXPECT_EQ(test, step.on, edges++ % 2 == 0);
	}
	KUNIT_EXPECT_EQ(test, edges, 4);
	KUNIT_EXPECT_FALSE(test, step.on);
}

static u64 exact_ns(u64 numerator, u32 hz)
{
	return div_u64(numerator * NSEC_PER_SEC, hz);
}

/* A pulse shorter than the light of one cycle is a flash of its own length. */
static u64 exact_fall_ns(u64 cycles, u32 length_ns, const struct irtx_carrier *carrier)
{
	u64 fall_ns = div_u64(exact_ns(cycles * 100 + carrier->duty_pct, carrier->hz), 100);

	return cycles ? fall_ns : min_t(u64, fall_ns, length_ns);
}

static void seq_expect_near(struct kunit *test, u64 seen_ns, u64 wanted_ns)
{
	KUNIT_EXPECT_LE(test, max(seen_ns, wanted_ns) - min(seen_ns, wanted_ns), 1);
}

/*
 * Follow one pulse: every cycle within 1 ns of its exact place, and their
 * number that which comes nearest to the pulse's length.
 */
static void seq_follow_pulse(struct kunit *test, u32 begin_ns, u32 length_ns,
			     const struct irtx_carrier *carrier)
{
	struct seq_context *ctx = test->priv;
	struct irtx_step rise, fall;
	u64 cycles = 0, total_ns, error_ns;

	do {
		KUNIT_ASSERT_TRUE(test, irtx_seq_next(&ctx->seq, &rise));
		KUNIT_ASSERT_TRUE(test, irtx_seq_next(&ctx->seq, &fall));
		KUNIT_EXPECT_TRUE(test, rise.on);
		KUNIT_EXPECT_FALSE(test, fall.on);
		KUNIT_EXPECT_EQ(test, rise.envelope, cycles == 0);
		seq_expect_near(test, rise.due_ns, begin_ns + exact_ns(cycles, carrier->hz));
		seq_expect_near(test, fall.due_ns,
				begin_ns + exact_fall_ns(cycles, length_ns, carrier));
		cycles++;
	} while (!fall.envelope);

	total_ns = exact_ns(cycles, carrier->hz);
	error_ns = max_t(u64, total_ns, length_ns) - min_t(u64, total_ns, length_ns);
	if (cycles > 1 || total_ns < length_ns)
		KUNIT_EXPECT_LE(test, error_ns, exact_ns(1, carrier->hz) / 2 + 1);
}

static void seq_random_signal(struct kunit *test, struct rnd_state *rnd)
{
	struct irtx_carrier carrier = {
		.hz = prandom_u32_state(rnd) % 480000 + 20000,
		.duty_pct = prandom_u32_state(rnd) % IRTX_DUTY_MAX_PCT + 1,
	};
	unsigned int count = prandom_u32_state(rnd) % 50 * 2 + 1;
	struct seq_context *ctx = test->priv;
	unsigned int i;

	for (i = 0; i < count; i++)
		ctx->length_us[i] = prandom_u32_state(rnd) % 3000 + 1;

	KUNIT_ASSERT_EQ(test, irtx_plan_set(&ctx->plan, ctx->length_us, count), 0);
	irtx_wave_set(&ctx->wave, &carrier);
	irtx_seq_start(&ctx->seq, &ctx->plan, &ctx->wave);
	for (i = 0; i < count; i += 2)
		seq_follow_pulse(test, ctx->plan.due_ns[i],
				 ctx->length_us[i] * NSEC_PER_USEC, &carrier);
	seq_expect_end(test);
}

static void seq_random(struct kunit *test)
{
	struct rnd_state rnd;
	unsigned int round;

	prandom_seed_state(&rnd, 2);
	for (round = 0; round < 1000; round++)
		seq_random_signal(test, &rnd);
}

static struct kunit_case seq_tests[] = {
	KUNIT_CASE(seq_hardware_carrier),
	KUNIT_CASE(seq_software_carrier),
	KUNIT_CASE_PARAM(seq_tie, tie_gen_params),
	KUNIT_CASE_PARAM(seq_catch_up, late_gen_params),
	KUNIT_CASE(seq_catch_up_keeps_edges),
	KUNIT_CASE(seq_random),
	{}
};

static struct kunit_suite seq_suite = {
	.name = "irtx_seq",
	.init = seq_init,
	.test_cases = seq_tests,
};

kunit_test_suite(seq_suite);
