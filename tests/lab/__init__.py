# SPDX-License-Identifier: GPL-2.0-only
"""The virtual lab: Debian kernels, emulated boards and a user-mode kernel, all from a cache."""
