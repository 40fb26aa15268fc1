# SPDX-License-Identifier: GPL-2.0-only
"""The endurance run: signals by the ten thousand, and what became of each."""
