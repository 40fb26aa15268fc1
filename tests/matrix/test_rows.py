# SPDX-License-Identifier: GPL-2.0-only
"""Which kernels the build matrix has, and which of them it may leave out."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.lab import debian, host, modules
from tests.matrix import build, rows

_PLACE = rows.Place("planted-security", "arm64", "gcc 99")


def names(*kernels):
    """Packages of headers."""
    return [f"linux-headers-{kernel}" for kernel in kernels]


@pytest.mark.parametrize("offered, chosen", [
    (["6.1.0-9-arm64", "6.1.0-10-arm64", "6.1.0-8-arm64"], ["6.1.0-10-arm64"]),
    (["6.12.9+deb13-arm64", "6.12.10+deb13-arm64"], ["6.12.10+deb13-arm64"]),
    (["6.12.9+deb13-arm64", "6.12.9+deb13.1-arm64"], ["6.12.9+deb13.1-arm64"]),
    (["6.12.9+deb13-arm64", "6.12.8+deb13-rt-arm64", "6.12.7+deb13-arm64-16k"],
     ["6.12.9+deb13-arm64", "6.12.7+deb13-arm64-16k", "6.12.8+deb13-rt-arm64"]),
    (["7.2.12+deb13-amd64", "7.3.4+deb13-amd64"], ["7.2.12+deb13-amd64", "7.3.4+deb13-amd64"]),
    (["6.12.9+deb13-common", "6.12.9+deb13-common-rt", "6.1.0-9-common"], []),
    (["6.12-arm64", "arm64", "rt-arm64"], []),
    (["6.12.9+deb13-cloud-arm64"], ["6.12.9+deb13-cloud-arm64"]),
], ids=["abi", "version", "rebuilt", "flavours", "series", "common", "metapackages", "cloud"])
def test_newest(offered, chosen):
    """The newest of each series and flavour, and only what is a kernel's own headers."""
    assert rows.newest(names(*offered)) == chosen


@pytest.mark.parametrize("complete, ids", [
    (True, ["planted-security/6.1.0-9-arm64/arm64/gcc-99"]),
    (False, ["planted-security/6.1.0-9-arm64/arm64/gcc-99",
             "planted-security/unknown/arm64/gcc-99"]),
])
def test_unknown_packages(complete, ids):
    """Where a list cannot be had in full a row says so: nothing is left out in silence."""
    assert [str(row) for row in rows.of_place(_PLACE, names("6.1.0-9-arm64"), complete)] == ids


def test_places():
    """Both releases with all their pockets; only the older one's compiler is this machine's."""
    places = list(rows.places())
    assert len(places) == len(set(places)) == 2 * 4 * 4
    assert {place.suite for place in places if not place.system} == \
        {"bookworm", "bookworm-updates", "bookworm-security", "bookworm-backports"}


@pytest.mark.parametrize("config, off", [
    ("CONFIG_RC_CORE=m\nCONFIG_LIRC=y\nCONFIG_PWM=y\nCONFIG_GPIOLIB=y\n", ""),
    ("# CONFIG_RC_CORE is not set\nCONFIG_PWM=y\nCONFIG_GPIOLIB=y\n",
     "CONFIG_RC_CORE, CONFIG_LIRC off"),
    ("CONFIG_RC_CORE=m\nCONFIG_LIRC=y\nCONFIG_PWM=y\nCONFIG_GPIOLIB_IRQCHIP=y\n",
     "CONFIG_GPIOLIB off"),
], ids=["all", "none", "similar"])
def test_options(config, off):
    """What a kernel must have is what DKMS asks of it."""
    assert build.missing_options(config) == off


def test_module_is_made(tmp_path):
    """A build that ends well is not enough: all modules must be there, for this kernel."""
    for name in build.MODULES:
        (tmp_path / f"{name}.ko").write_bytes(b"\0vermagic=6.1.0-9-arm64 SMP\0")
    build.check(tmp_path, "6.1.0-9-arm64")
    with pytest.raises(host.LabError, match="for 6.1.0-9-arm64-16k"):
        build.check(tmp_path, "6.1.0-9-arm64-16k")
    (tmp_path / "irtx-core.ko").unlink()
    with pytest.raises(host.LabError, match="irtx-core.ko"):
        build.check(tmp_path, "6.1.0-9-arm64")


@pytest.fixture(name="kernel")
def plant_kernel(monkeypatch, tmp_path):
    """A kernel's configuration, in place of any headers."""
    monkeypatch.setattr(debian, "headers", lambda release, *_: SimpleNamespace(
        release=release, headers=tmp_path))
    (tmp_path / ".config").write_text("CONFIG_RC_CORE=m\nCONFIG_LIRC=y\nCONFIG_PWM=y\n"
                                      "CONFIG_GPIOLIB=y\n", encoding="ascii")
    return tmp_path / ".config"


def test_warning_fails(monkeypatch, kernel):
    """Kernel developers' warnings are on, and what they say is the reason for the failure."""
    def complain(target, options):
        raise host.LabError(f"{kernel.name}: {target.release} {options}")
    monkeypatch.setattr(modules, "build", complain)
    row = rows.Row(_PLACE, "6.1.0-9-arm64")
    assert build.build(row) == build.Result(row, "failed", ".config: 6.1.0-9-arm64 ('W=1',)")


def test_lacking_kernel(monkeypatch, kernel):
    """A kernel without infrared is not built for."""
    monkeypatch.setattr(modules, "build", lambda *_: pytest.fail("it was built for"))
    kernel.write_text("CONFIG_PWM=y\nCONFIG_GPIOLIB=y\n", encoding="ascii")
    row = rows.Row(_PLACE, "6.1.0-9-cloud-arm64")
    assert build.build(row) == build.Result(row, "skipped", "CONFIG_RC_CORE, CONFIG_LIRC off")
