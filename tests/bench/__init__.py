# SPDX-License-Identifier: GPL-2.0-only
"""Benchmarks on the emulated board: figures, not tests."""
