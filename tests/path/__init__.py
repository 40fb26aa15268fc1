# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the whole path, from write() to virtual chips, with every checker of the kernel on."""
