# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the lab's pure parts, in milliseconds."""
