# SPDX-License-Identifier: GPL-2.0-only
"""Random operations and random device trees, on user-mode Linux with every checker on."""
