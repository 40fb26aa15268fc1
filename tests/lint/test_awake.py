# SPDX-License-Identifier: GPL-2.0-only
"""Every linter is awake: it finds a planted fault, and lets a clean file pass."""

from __future__ import annotations

import pytest

from tests.lint import linters

_CLEAN_MODULE = """// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>

%s
MODULE_DESCRIPTION("planted");
MODULE_LICENSE("GPL");
"""


def write(path, text):
    """A file to check."""
    path.write_text(text, encoding="ascii")
    return path


def module_tree(tmp_path, fault):
    """A tree with one module."""
    (tmp_path / "core").mkdir()
    (tmp_path / "planted").mkdir()
    write(tmp_path / "planted/Kbuild", "obj-m += planted.o\n")
    write(tmp_path / "planted/planted.c", _CLEAN_MODULE % fault)
    return tmp_path


def test_checkpatch(tmp_path):
    """A space where a tab belongs, and a misspelt word."""
    clean = write(tmp_path / "clean.c", _CLEAN_MODULE % "static int planted __initdata;\n")
    assert not linters.checkpatch(clean)
    bad = write(tmp_path / "bad.c",
                _CLEAN_MODULE % "void f(void)\n{\n        g(); /* recieve */\n}")
    found = linters.checkpatch(bad)
    assert "CODE_INDENT" in found
    assert "TYPO_SPELLING" in found


@pytest.mark.parametrize("fault, message", [
    ("int planted(void)\n{\n\treturn 0;\n}", "no previous prototype"),
    ("static void *planted;\nstatic int *other = &planted;", "incompatible pointer type"),
    ("int missing(void);\nmodule_init(missing);", "undefined"),
], ids=["W=1", "warning", "modpost"])
def test_warnings(tmp_path, fault, message):
    """A function without prototype, a bad assignment, an unresolved symbol."""
    assert message in linters.warnings(["planted"], module_tree(tmp_path, fault))


def test_sparse(tmp_path):
    """A user pointer followed as if it were the kernel's."""
    fault = "static int planted(const int __user *p)\n{\n\treturn *p;\n}\n" \
        "module_param_call(p, (void *)planted, NULL, NULL, 0);"
    assert "dereference of noderef expression" in \
        linters.sparse(["planted"], module_tree(tmp_path, fault))


def test_shellcheck(tmp_path):
    """An unquoted variable."""
    assert not linters.shellcheck(write(tmp_path / "clean", "#!/bin/sh\necho \"$1\"\n"))
    assert "SC2086" in linters.shellcheck(write(tmp_path / "bad", "#!/bin/sh\necho $1\n"))


def test_python(tmp_path):
    """A name that does not exist; a line too long."""
    bad = write(tmp_path / "bad.py", '"""Bad."""\n' + f"print({'x' * 100})\n")
    assert "undefined-variable" in linters.pylint([bad])
    assert "E501" in linters.flake8([bad])


def test_device_tree(tmp_path):
    """A unit address without reg is only a warning, which counts."""
    tree = "/dts-v1/;\n/ {\n\tnode@1 {\n\t};\n};\n"
    assert "unit_address_vs_reg" in linters.device_tree(write(tmp_path / "bad.dts", tree))
    assert not linters.device_tree(write(tmp_path / "clean.dts", tree.replace("@1", "")))


def test_opening(tmp_path):
    """A missing licence line."""
    assert "SPDX" in linters.opening(write(tmp_path / "bad.c", "int x;\n"))


def test_version_checks(tmp_path):
    """A kernel's version that decides something."""
    source = write(tmp_path / "bad.c", "#if LINUX_VERSION_CODE < 1\n#endif\n")
    assert "LINUX_VERSION_CODE" in linters.version_checks(source)


def test_package_hosts(tmp_path):
    """An archive's address, put together here so that this file is clean."""
    address = ".".join(["deb", "debian", "org"])
    assert address in linters.package_hosts(write(tmp_path / "bad", f"a\nhttp://{address}/x\n"))


def test_kinds(tmp_path):
    """Scripts are known by their first line."""
    assert linters.is_shell(write(tmp_path / "a", "#!/bin/bash\n"))
    assert linters.is_shell(write(tmp_path / "b", "#!/bin/busybox sh\n"))
    assert linters.is_python(write(tmp_path / "c", "#!/usr/bin/env python3\n"))
    assert not linters.is_shell(write(tmp_path / "d", "#!/usr/bin/env python3\n"))
