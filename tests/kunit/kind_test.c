// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite of the choice between a PWM and GPIOs.
 */

#include <kunit/test.h>

#include "kind.h"
#include "mode.h"

#define NONE	-ENOENT
#define BROKEN	-EIO
#define SLEEPS	0
#define ATOMIC	IRTX_ATOMIC

struct pick_case {
	const char *name;
	enum irtx_kind asked;
	int pwm;
	unsigned int pwm_can;
	int gpio;
	unsigned int gpio_can;
	enum irtx_kind kind;
};

/* IRTX_KIND_AUTO as the answer is a refusal. */
static const struct pick_case pick_cases[] = {
	{ "atomic pwm", IRTX_KIND_AUTO, 0, ATOMIC, NONE, 0, IRTX_KIND_PWM },
	{ "sleeping pwm", IRTX_KIND_AUTO, 0, SLEEPS, NONE, 0, IRTX_KIND_PWM },
	{ "gpio", IRTX_KIND_AUTO, NONE, 0, 0, ATOMIC, IRTX_KIND_GPIO },
	{ "gpio that is not atomic", IRTX_KIND_AUTO, NONE, 0, 0, SLEEPS, IRTX_KIND_GPIO },
	{ "atomic pwm, gpio", IRTX_KIND_AUTO, 0, ATOMIC, 0, ATOMIC, IRTX_KIND_PWM },
	{ "sleeping pwm, gpio", IRTX_KIND_AUTO, 0, SLEEPS, 0, ATOMIC, IRTX_KIND_GPIO },
	{ "neither is atomic", IRTX_KIND_AUTO, 0, SLEEPS, 0, SLEEPS, IRTX_KIND_PWM },
	{ "broken pwm, gpio", IRTX_KIND_AUTO, BROKEN, 0, 0, ATOMIC, IRTX_KIND_GPIO },
	{ "broken pwm, plain gpio", IRTX_KIND_AUTO, BROKEN, 0, 0, SLEEPS, IRTX_KIND_GPIO },
	{ "sleeping pwm, broken gpio", IRTX_KIND_AUTO, 0, SLEEPS, BROKEN, ATOMIC,
	  IRTX_KIND_PWM },
	{ "broken pwm", IRTX_KIND_AUTO, BROKEN, 0, NONE, 0, IRTX_KIND_AUTO },
	{ "nothing", IRTX_KIND_AUTO, NONE, 0, NONE, 0, IRTX_KIND_AUTO },
	{ "both broken", IRTX_KIND_AUTO, BROKEN, 0, BROKEN, 0, IRTX_KIND_AUTO },
	{ "sleeping pwm asked for", IRTX_KIND_PWM, 0, SLEEPS, 0, ATOMIC, IRTX_KIND_PWM },
	{ "gpio asked for", IRTX_KIND_GPIO, 0, ATOMIC, 0, ATOMIC, IRTX_KIND_GPIO },
	{ "pwm asked for, none", IRTX_KIND_PWM, NONE, 0, 0, ATOMIC, IRTX_KIND_AUTO },
	{ "pwm asked for, broken", IRTX_KIND_PWM, BROKEN, 0, 0, ATOMIC, IRTX_KIND_AUTO },
	{ "gpio asked for, none", IRTX_KIND_GPIO, 0, ATOMIC, NONE, 0, IRTX_KIND_AUTO },
};

static void pick_case_desc(const struct pick_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(pick, pick_cases, pick_case_desc);

static void kind_pick(struct kunit *test)
{
	const struct pick_case *c = test->param_value;
	const struct irtx_offer offer = {
		.error = { 0, c->pwm, c->gpio },
		.abilities = { 0, c->pwm_can, c->gpio_can },
	};
	struct irtx_pick pick = irtx_pick(c->asked, &offer);

	KUNIT_EXPECT_STREQ(test, irtx_kind_names[pick.kind], irtx_kind_names[c->kind]);
	KUNIT_ASSERT_NOT_NULL(test, pick.why);
	KUNIT_EXPECT_NE(test, pick.why[0], '\0');
}

static struct kunit_case kind_tests[] = {
	KUNIT_CASE_PARAM(kind_pick, pick_gen_params),
	{}
};

static struct kunit_suite kind_suite = {
	.name = "irtx_kind",
	.test_cases = kind_tests,
};

kunit_test_suite(kind_suite);
