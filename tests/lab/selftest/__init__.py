# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the lab itself: does it notice what it must notice?"""
