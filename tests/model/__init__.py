# SPDX-License-Identifier: GPL-2.0-only
"""The concurrency of a transmission as a model that is gone through state by state."""
