# SPDX-License-Identifier: GPL-2.0-only
"""How much of the modules the KUnit suites and the runs of the whole path have reached."""
