# SPDX-License-Identifier: GPL-2.0-only
"""Checks of dt-bindings/: the schemas, and the overlays on every board they name."""
