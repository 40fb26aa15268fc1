/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gives a module the package's version. DKMS of Debian 12 leaves a module out
 * where the kernel has one of that name and the versions of both are equal,
 * which they are when neither has one: mainline's drivers have none.
 */
#include <linux/module.h>
#include <linux/stringify.h>

MODULE_VERSION(__stringify(IRTX_VERSION));
