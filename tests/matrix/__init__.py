# SPDX-License-Identifier: GPL-2.0-only
"""The modules, built for every kernel whose headers Debian offers."""
