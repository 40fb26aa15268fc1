# SPDX-License-Identifier: GPL-2.0-only
""""make install" and "make uninstall", for those without dpkg, into a folder of its own."""

from __future__ import annotations

import functools
import json
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.lab import cache, debian, host
from tests.packaging import packages

_STRANGERS = ("usr/local/bin/irtx-other", "usr/local/lib/irtx/overlays/other.dtbo",
              "lib/modules/{0}/updates/other.ko", "lib/modules/{0}/updates/pwm-ir-tx-other.ko")
_SECOND_KERNEL = "6.6.6-second"
_MODULES = {f"{name}.ko" for name in ("irtx-core", "pwm-ir-tx", "gpio-ir-tx")}
_PLACES = {"scripts/irtx-*": ("bin", "755"), "man/*.1": ("share/man/man1", "644"),
           "scripts/completion/*": ("share/bash-completion/completions", "644"),
           "packaging/*.rules": ("lib/udev/rules.d", "644"),
           "dt-bindings/overlays/gpio-*.dts": ("lib/irtx/overlays", "644"),
           "dt-bindings/overlays/[!g]*.dts": ("lib/irtx/overlays", "644")}


def _listing(root: Path) -> dict[str, str]:
    """The files below a folder, each with its mode."""
    return {str(path.relative_to(root)): f"{path.stat().st_mode & 0o777:o}"
            for path in sorted(root.rglob("*")) if path.is_file()}


def _try(folder: Path, kernel: debian.Kernel) -> None:
    """Install and uninstall a copy of the tree, and write down what was there after each step."""
    with tempfile.TemporaryDirectory() as outer, host.step("installing and uninstalling by make"):
        tree, root = Path(outer, "tree"), Path(outer, "root")
        tree.mkdir()
        packages.write(tree, packages.sources())
        make = ["make", "-C", tree, f"KDIR={kernel.headers}", f"DESTDIR={root}"]
        for name in _STRANGERS:
            path = root / name.format(kernel.release)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        steps = [_listing(root)]
        for target in ("install", "install", "uninstall", "uninstall"):
            host.run([*make, target])
            steps.append(_listing(root))
            if len(steps) == 2:
                modules = root / "lib/modules"
                shutil.copytree(modules / kernel.release, modules / _SECOND_KERNEL)
    (folder / "steps.json").write_text(json.dumps(steps), encoding="utf-8")


@pytest.fixture(name="kernel", scope="module")
def _kernel() -> debian.Kernel:
    """The kernel that modules are installed for."""
    return debian.kernel("6.12", "arm64")


@pytest.fixture(name="steps", scope="module")
def _steps(kernel) -> list[dict[str, str]]:
    """Listings: before, installed, installed again, uninstalled, uninstalled again."""
    key = [kernel.release, Path(__file__).read_bytes(), *packages.what_acts()]
    folder = cache.entry("install", key, functools.partial(_try, kernel=kernel))
    return json.loads((folder / "steps.json").read_text(encoding="utf-8"))


def _expected_tools() -> dict[str, str]:
    """Every tool with its mode, overlays compiled."""
    return {f"usr/local/{place}/{path.name}".replace(".dts", ".dtbo"): mode
            for pattern, (place, mode) in _PLACES.items() for path in host.TREE.glob(pattern)}


def test_install(steps, kernel):
    """Modules go to updates/, which outranks the kernel's own; everything else below PREFIX."""
    before, installed, *_ = steps
    new = {name: mode for name, mode in installed.items() if name not in before}
    updates = f"lib/modules/{kernel.release}/updates/"
    modules = {name.removeprefix(updates).removesuffix(".xz") for name in new
               if name.startswith(updates)}
    assert modules == _MODULES
    assert {name: mode for name, mode in new.items() if not name.startswith(updates)} == \
        _expected_tools()


def test_install_again(steps):
    """A second installation over the first changes nothing."""
    _, first, second, *_ = steps
    assert {name: mode for name, mode in second.items() if _SECOND_KERNEL not in name} == first


@pytest.mark.parametrize("times", [1, 2])
def test_uninstall(steps, times):
    """What was installed is gone, for every kernel, and nothing else; again does no harm."""
    before, after = steps[0], steps[2 + times]
    assert {name: mode for name, mode in after.items() if _SECOND_KERNEL not in name} == before
    assert {Path(name).name for name in after if _SECOND_KERNEL in name} == \
        {"other.ko", "pwm-ir-tx-other.ko"}
