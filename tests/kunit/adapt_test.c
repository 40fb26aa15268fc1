// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite of what the engine learns: margin and lead.
 */

#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/prandom.h>

#include "adapt.h"

static void adapt_see(struct irtx_margin *margin, u32 latency_ns, unsigned int times)
{
	while (times--)
		irtx_margin_learn(margin, latency_ns);
}

static void adapt_margin_starts_cautious(struct kunit *test)
{
	struct irtx_margin margin;

	irtx_margin_reset(&margin);
	KUNIT_EXPECT_EQ(test, irtx_margin_ns(&margin, IRTX_MARGIN_MAX_NS), 117500);
}

static void adapt_margin_rises_at_once(struct kunit *test)
{
	struct irtx_margin margin;

	irtx_margin_reset(&margin);
	adapt_see(&margin, 1000, 100);
	irtx_margin_learn(&margin, 160000);
	KUNIT_EXPECT_EQ(test, irtx_margin_ns(&margin, IRTX_MARGIN_MAX_NS), 185000);
}

static void adapt_margin_is_bounded(struct kunit *test)
{
	struct irtx_margin margin;

	irtx_margin_reset(&margin);
	irtx_margin_learn(&margin, U32_MAX);
	KUNIT_EXPECT_EQ(test, irtx_margin_ns(&margin, 150000), 150000);
}

/* What has gone is forgotten after one window at least and two at most. */
static void adapt_margin_forgets(struct kunit *test)
{
	struct irtx_margin margin;

	irtx_margin_reset(&margin);
	adapt_see(&margin, 1600, IRTX_MARGIN_WINDOW - 1);
	irtx_margin_learn(&margin, 80000);
	KUNIT_EXPECT_EQ(test, irtx_margin_ns(&margin, IRTX_MARGIN_MAX_NS), 95000);
	adapt_see(&margin, 1600, IRTX_MARGIN_WINDOW - 1);
	KUNIT_EXPECT_EQ(test, irtx_margin_ns(&margin, IRTX_MARGIN_MAX_NS), 95000);
	irtx_margin_learn(&margin, 1600);
	KUNIT_EXPECT_EQ(test, irtx_margin_ns(&margin, IRTX_MARGIN_MAX_NS), 6800);
}

/*
 * A neighbour that keeps interrupts off for up to 100 us, for a tenth of the
 * time: the margin, once settled, covers every wake-up of a million.
 */
static void adapt_margin_holds(struct kunit *test)
{
	struct irtx_margin margin;
	unsigned int i, late = 0;
	struct rnd_state rnd;
	u32 latency_ns, off_ns;

	prandom_seed_state(&rnd, 4);
	irtx_margin_reset(&margin);
	for (i = 0; i < 1000000; i++) {
		latency_ns = 1000;
		off_ns = prandom_u32_state(&rnd) % 100000 + 1;
		if (prandom_u32_state(&rnd) % 10 == 0)
			latency_ns += prandom_u32_state(&rnd) % off_ns;
		late += latency_ns > irtx_margin_ns(&margin, IRTX_MARGIN_MAX_NS);
		irtx_margin_learn(&margin, latency_ns);
	}
	KUNIT_EXPECT_EQ(test, late, 0);
}

static void adapt_lead_starts_at_nothing(struct kunit *test)
{
	struct irtx_lead lead = {};

	KUNIT_EXPECT_EQ(test, irtx_lead_ns(&lead, true), 0);
	KUNIT_EXPECT_EQ(test, irtx_lead_ns(&lead, false), 0);
}

static void adapt_lead_on_and_off_differ(struct kunit *test)
{
	struct irtx_lead lead = {};

	irtx_lead_learn(&lead, true, 3000, 10);
	irtx_lead_learn(&lead, false, 900, 9);
	KUNIT_EXPECT_EQ(test, irtx_lead_ns(&lead, true), 300);
	KUNIT_EXPECT_EQ(test, irtx_lead_ns(&lead, false), 100);
}

static void adapt_lead_follows(struct kunit *test)
{
	struct irtx_lead lead = {};
	unsigned int i;

	irtx_lead_learn(&lead, true, 300, 1);
	for (i = 0; i < 50; i++)
		irtx_lead_learn(&lead, true, 5000, 10);
	KUNIT_EXPECT_LE(test, 500 - irtx_lead_ns(&lead, true), 1);
	for (i = 0; i < 50; i++)
		irtx_lead_learn(&lead, true, 40, 2);
	KUNIT_EXPECT_LE(test, irtx_lead_ns(&lead, true) - 20, 1);
}

/* One slow signal does not shift the next one by all of it. */
static void adapt_lead_resists(struct kunit *test)
{
	struct irtx_lead lead = {};

	irtx_lead_learn(&lead, true, 300, 1);
	irtx_lead_learn(&lead, true, 700, 1);
	KUNIT_EXPECT_EQ(test, irtx_lead_ns(&lead, true), 400);
}

static void adapt_lead_needs_calls(struct kunit *test)
{
	struct irtx_lead lead = {};

	irtx_lead_learn(&lead, true, 300, 1);
	irtx_lead_learn(&lead, true, 0, 0);
	KUNIT_EXPECT_EQ(test, irtx_lead_ns(&lead, true), 300);
}

static void adapt_lead_is_bounded(struct kunit *test)
{
	struct irtx_lead lead = {};

	irtx_lead_learn(&lead, false, S32_MAX * 513ULL, 513);
	KUNIT_EXPECT_EQ(test, irtx_lead_ns(&lead, false), IRTX_LEAD_MAX_NS);
}

static struct kunit_case adapt_tests[] = {
	KUNIT_CASE(adapt_margin_starts_cautious),
	KUNIT_CASE(adapt_margin_rises_at_once),
	KUNIT_CASE(adapt_margin_is_bounded),
	KUNIT_CASE(adapt_margin_forgets),
	KUNIT_CASE(adapt_margin_holds),
	KUNIT_CASE(adapt_lead_starts_at_nothing),
	KUNIT_CASE(adapt_lead_on_and_off_differ),
	KUNIT_CASE(adapt_lead_follows),
	KUNIT_CASE(adapt_lead_resists),
	KUNIT_CASE(adapt_lead_needs_calls),
	KUNIT_CASE(adapt_lead_is_bounded),
	{}
};

static struct kunit_suite adapt_suite = {
	.name = "irtx_adapt",
	.test_cases = adapt_tests,
};

kunit_test_suite(adapt_suite);
