# SPDX-License-Identifier: GPL-2.0-only
"""Builds with other compilers are judged like the lab's own: a planted fault fails them."""

from __future__ import annotations

import pytest

from tests.lab import debian, host, modules

_SOURCE = """// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>

%s

MODULE_DESCRIPTION("planted");
MODULE_LICENSE("GPL");
"""
_PROTOTYPE = "int planted(void)\n{\n\treturn 0;\n}"
_DIVISION = "u64 planted(u64 a, u64 b);\nu64 planted(u64 a, u64 b)\n{\n\treturn a / b;\n}"


@pytest.mark.parametrize("kernel, fault, message", [
    (("7.3", "arm64"), _PROTOTYPE, "no previous prototype"),
    (("6.12", "armhf"), _DIVISION, "__aeabi_uldivmod"),
], ids=["warning", "division"])
def test_fault(tmp_path, kernel, fault, message):
    """A function without prototype; a division that a machine of 32 bits has not."""
    (tmp_path / "Kbuild").write_text("obj-m += planted.o\n", encoding="ascii")
    (tmp_path / "planted.c").write_text(_SOURCE % fault, encoding="ascii")
    with pytest.raises(host.LabError, match=message):
        modules.build(debian.kernel(*kernel), tree=tmp_path)
