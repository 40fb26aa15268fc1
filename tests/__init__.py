# SPDX-License-Identifier: GPL-2.0-only
"""Everything that proves irtx: unit suites, the virtual lab, scenarios, lint."""
