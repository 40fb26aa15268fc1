# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the user tools, on what a real export looked like."""
