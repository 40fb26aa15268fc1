// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite of the plan: lengths in, absolute edges out.
 */

#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/prandom.h>

#include "plan.h"

/* The longest signal that the plan takes: 2^32 ns in whole us */
#define LONGEST_US	4294967

struct plan_case {
	const char *name;
	unsigned int count;
	unsigned int length_us[5];
	int ret;
	u32 due_ns[6];
};

static const struct plan_case plan_cases[] = {
	{ "one pulse", 1, { 9000 }, 0, { 0, 9000000 } },
	{ "shortest pulse", 1, { 1 }, 0, { 0, 1000 } },
	{ "longest pulse", 1, { LONGEST_US }, 0, { 0, 4294967000U } },
	{ "pulse, space, pulse", 3, { 9000, 4500, 562 }, 0,
	  { 0, 9000000, 13500000, 14062000 } },
	{ "longest signal", 3, { 1, LONGEST_US - 2, 1 }, 0,
	  { 0, 1000, 4294966000U, 4294967000U } },
	{ "nothing", 0, { 0 }, -EINVAL },
	{ "ends with a space", 2, { 9000, 4500 }, -EINVAL },
	{ "no length at the beginning", 3, { 0, 4500, 562 }, -EINVAL },
	{ "no length in the middle", 3, { 9000, 0, 562 }, -EINVAL },
	{ "no length at the end", 3, { 9000, 4500, 0 }, -EINVAL },
	{ "pulse too long", 1, { LONGEST_US + 1 }, -EINVAL },
	{ "signal too long by 1 us", 3, { 1, LONGEST_US - 1, 1 }, -EINVAL },
	{ "largest lengths", 3, { UINT_MAX, UINT_MAX, UINT_MAX }, -EINVAL },
};

static void plan_case_desc(const struct plan_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(plan, plan_cases, plan_case_desc);

static struct irtx_plan *plan_alloc(struct kunit *test)
{
	struct irtx_plan *plan = kunit_kzalloc(test, sizeof(*plan), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, plan);

	return plan;
}

static void plan_table(struct kunit *test)
{
	const struct plan_case *c = test->param_value;
	struct irtx_plan *plan = plan_alloc(test);
	unsigned int i;

	KUNIT_ASSERT_EQ(test, irtx_plan_set(plan, c->length_us, c->count), c->ret);
	if (c->ret)
		return;

	KUNIT_ASSERT_EQ(test, plan->nr_edges, c->count + 1);
	for (i = 0; i <= c->count; i++)
		KUNIT_EXPECT_EQ(test, plan->due_ns[i], c->due_ns[i]);
}

static unsigned int *plan_lengths(struct kunit *test, unsigned int count)
{
	unsigned int *length_us;
	unsigned int i;

	length_us = kunit_kcalloc(test, count, sizeof(*length_us), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, length_us);
	for (i = 0; i < count; i++)
		length_us[i] = 10;

	return length_us;
}

static void plan_most_values(struct kunit *test)
{
	unsigned int *length_us = plan_lengths(test, IRTX_MAX_VALUES + 1);
	struct irtx_plan *plan = plan_alloc(test);

	KUNIT_EXPECT_EQ(test, irtx_plan_set(plan, length_us, IRTX_MAX_VALUES - 1), 0);
	KUNIT_EXPECT_EQ(test, plan->nr_edges, IRTX_MAX_VALUES);
	KUNIT_EXPECT_EQ(test, plan->due_ns[IRTX_MAX_VALUES - 1],
			(IRTX_MAX_VALUES - 1) * 10000);
	KUNIT_EXPECT_EQ(test, irtx_plan_set(plan, length_us, IRTX_MAX_VALUES + 1),
			-EINVAL);
}

/* Each interval between two edges is the length asked for, to the ns. */
static void plan_random(struct kunit *test)
{
	unsigned int *length_us = plan_lengths(test, IRTX_MAX_VALUES);
	struct irtx_plan *plan = plan_alloc(test);
	unsigned int round, i, count;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 1);
	for (round = 0; round < 1000; round++) {
		count = prandom_u32_state(&rnd) % (IRTX_MAX_VALUES / 2) * 2 + 1;
		for (i = 0; i < count; i++)
			length_us[i] = prandom_u32_state(&rnd) % 4000 + 1;

		KUNIT_ASSERT_EQ(test, irtx_plan_set(plan, length_us, count), 0);
		for (i = 0; i < count; i++)
			KUNIT_ASSERT_EQ(test, plan->due_ns[i + 1] - plan->due_ns[i],
					length_us[i] * 1000);
	}
}

static struct kunit_case plan_tests[] = {
	KUNIT_CASE_PARAM(plan_table, plan_gen_params),
	KUNIT_CASE(plan_most_values),
	KUNIT_CASE(plan_random),
	{}
};

static struct kunit_suite plan_suite = {
	.name = "irtx_plan",
	.test_cases = plan_tests,
};

kunit_test_suite(plan_suite);

MODULE_DESCRIPTION("KUnit suites of irtx-core");
MODULE_LICENSE("GPL");
