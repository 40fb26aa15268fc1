# SPDX-License-Identifier: GPL-2.0-only
"""Published signals of real remotes, one a file."""
