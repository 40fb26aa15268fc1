// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite of the chooser and of auto mode.
 */

#include <kunit/test.h>
#include <linux/bits.h>

#include "mode.h"

#define SLEEPS	0
#define ATOMIC	IRTX_ATOMIC
#define HARDIRQ	(IRTX_ATOMIC | IRTX_HARDIRQ)

struct choose_case {
	const char *name;
	enum irtx_mode asked;
	unsigned int abilities;
	unsigned int busy_left;
	enum irtx_mode mode;
	bool hardirq;
};

/* IRTX_MODE_DEFAULT as the answer is a refusal. */
static const struct choose_case choose_cases[] = {
	{ "default, sleeping", IRTX_MODE_DEFAULT, SLEEPS, 0, IRTX_MODE_THREAD },
	{ "default, atomic", IRTX_MODE_DEFAULT, ATOMIC, 0, IRTX_MODE_BUSY },
	{ "default, hardirq", IRTX_MODE_DEFAULT, HARDIRQ, 0, IRTX_MODE_BUSY },
	{ "busy, sleeping", IRTX_MODE_BUSY, SLEEPS, 0, IRTX_MODE_DEFAULT },
	{ "busy, atomic", IRTX_MODE_BUSY, ATOMIC, 0, IRTX_MODE_BUSY },
	{ "busy, hardirq", IRTX_MODE_BUSY, HARDIRQ, 0, IRTX_MODE_BUSY },
	{ "hybrid, sleeping", IRTX_MODE_HYBRID, SLEEPS, 0, IRTX_MODE_DEFAULT },
	{ "hybrid, atomic", IRTX_MODE_HYBRID, ATOMIC, 0, IRTX_MODE_HYBRID, false },
	{ "hybrid, hardirq", IRTX_MODE_HYBRID, HARDIRQ, 0, IRTX_MODE_HYBRID, true },
	{ "thread, sleeping", IRTX_MODE_THREAD, SLEEPS, 0, IRTX_MODE_THREAD },
	{ "thread, atomic", IRTX_MODE_THREAD, ATOMIC, 0, IRTX_MODE_THREAD },
	{ "thread, hardirq", IRTX_MODE_THREAD, HARDIRQ, 0, IRTX_MODE_THREAD },
	{ "auto, sleeping", IRTX_MODE_AUTO, SLEEPS, 0, IRTX_MODE_THREAD },
	{ "auto, sleeping, after a loss", IRTX_MODE_AUTO, SLEEPS, 5, IRTX_MODE_THREAD },
	{ "auto, atomic", IRTX_MODE_AUTO, ATOMIC, 0, IRTX_MODE_HYBRID, false },
	{ "auto, hardirq", IRTX_MODE_AUTO, HARDIRQ, 0, IRTX_MODE_HYBRID, true },
	{ "auto, atomic, after a loss", IRTX_MODE_AUTO, ATOMIC, 1, IRTX_MODE_BUSY },
	{ "hybrid, after a loss in auto", IRTX_MODE_HYBRID, HARDIRQ, 5,
	  IRTX_MODE_HYBRID, true },
};

static void choose_case_desc(const struct choose_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(choose, choose_cases, choose_case_desc);

static void mode_choose(struct kunit *test)
{
	const struct choose_case *c = test->param_value;
	struct irtx_auto state = { .busy_left = c->busy_left };
	struct irtx_choice choice = irtx_choose(c->asked, c->abilities, &state);

	KUNIT_EXPECT_STREQ(test, irtx_mode_names[choice.mode], irtx_mode_names[c->mode]);
	KUNIT_EXPECT_EQ(test, choice.hardirq, c->hardirq);
	KUNIT_ASSERT_NOT_NULL(test, choice.why);
	KUNIT_EXPECT_NE(test, choice.why[0], '\0');
}

static void mode_auto(struct kunit *test)
{
	struct irtx_auto state = {};
	unsigned int i;

	KUNIT_EXPECT_FALSE(test, irtx_auto_learn(&state, false));
	KUNIT_EXPECT_EQ(test, state.busy_left, 0);

	KUNIT_EXPECT_TRUE(test, irtx_auto_learn(&state, true));
	for (i = 1; i < IRTX_AUTO_BUSY_SIGNALS; i++)
		KUNIT_EXPECT_FALSE(test, irtx_auto_learn(&state, false));
	KUNIT_EXPECT_EQ(test, state.busy_left, 1);
	KUNIT_EXPECT_TRUE(test, irtx_auto_learn(&state, false));
	KUNIT_EXPECT_EQ(test, state.changes, 2);
}

/* An edge that is lost in busy mode keeps it there. */
static void mode_auto_loses_again(struct kunit *test)
{
	struct irtx_auto state = {};

	irtx_auto_learn(&state, true);
	irtx_auto_learn(&state, false);
	KUNIT_EXPECT_FALSE(test, irtx_auto_learn(&state, true));
	KUNIT_EXPECT_EQ(test, state.busy_left, IRTX_AUTO_BUSY_SIGNALS);
	KUNIT_EXPECT_EQ(test, state.changes, 1);
}

static struct kunit_case mode_tests[] = {
	KUNIT_CASE_PARAM(mode_choose, choose_gen_params),
	KUNIT_CASE(mode_auto),
	KUNIT_CASE(mode_auto_loses_again),
	{}
};

static struct kunit_suite mode_suite = {
	.name = "irtx_mode",
	.test_cases = mode_tests,
};

kunit_test_suite(mode_suite);
