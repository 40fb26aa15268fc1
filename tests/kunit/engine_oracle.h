/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a signal must look like that met no trouble, worked out from its lengths
 * with exact fractions and no code of the engine's.
 */
#ifndef ENGINE_ORACLE_H
#define ENGINE_ORACLE_H

#include <kunit/test.h>

#include "carrier.h"

void oracle_expect(struct kunit *test, const unsigned int *length_us, unsigned int count,
		   const struct irtx_carrier *carrier);

#endif
