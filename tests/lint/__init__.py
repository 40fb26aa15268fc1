# SPDX-License-Identifier: GPL-2.0-only
"""Static checks of the tree, and tests that each of them is awake."""
