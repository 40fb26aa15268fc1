# SPDX-License-Identifier: GPL-2.0-only
"""Tests of what users install: the Debian packages, in fresh systems, and "make install"."""
