# SPDX-License-Identifier: GPL-2.0-only
"""The Debian packages are sound, and do what they should through a life in fresh systems: see
life.sh for its steps."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.lab import host
from tests.packaging import packages

_MODULES = ("irtx-core", "pwm-ir-tx", "gpio-ir-tx")
_MAINLINES = "pwm-ir-tx"  # which life.sh gives the first kernel
_SIGNER = "DKMS module signing key"
_WITH_US = ("installed", "upgraded", "reinstalled", "updated")
_WITHOUT_US = ("fresh", "purged", "gone")


def each_step(*names):
    """One test for each release and step."""
    return pytest.mark.parametrize("step", names)


@pytest.fixture(name="life", params=packages.RELEASES)
def _life(request) -> packages.Life:
    """A system's life."""
    return packages.live(request.param)


def _facts(life: packages.Life, step: str, name: str) -> list[list[str]]:
    """The words of the lines of one kind, without their first."""
    return [line.split(" ", 3)[1:] for line in life.steps[step] if line.startswith(f"{name} ")]


def _kernels(life: packages.Life, step: str) -> list[str]:
    """The kernels of a system, in the order in which they came."""
    known = [kernel for kernel, *_ in _facts(life, "fresh", "file")]
    return sorted({kernel for kernel, *_ in _facts(life, step, "file")},
                  key=lambda kernel: (kernel not in known, kernel))


# --- the packages themselves ---

def test_lintian():
    """Debian's judge of packages has nothing to say, not even pedantically."""
    assert (packages.built() / "lintian").read_text(encoding="utf-8") == ""


def test_reproducible():
    """Equal sources make equal packages, at another time in another place."""
    for deb in packages.debs(packages.built()):
        assert deb.read_bytes() == (packages.built_again() / deb.name).read_bytes(), deb.name


def test_two_for_every_machine():
    """Both packages, for all architectures, of the changelog's version."""
    names = [deb.name for deb in packages.debs(packages.built())]
    assert names == [f"{name}_{packages.version()}_all.deb" for name in packages.NAMES]


def test_sources_of_modules_alone():
    """DKMS gets what Kbuild reads, and nothing else."""
    place = f"./usr/src/irtx-{packages.version()}/"
    names = {name.removeprefix(place) for name in packages.content("irtx-dkms")
             if name.startswith(place) and not name.endswith("/")}
    odd = {name for name in names if not re.fullmatch(r"Kbuild|(core/)?[\w-]+\.([ch]|mk)", name)}
    assert odd == {"dkms.conf"}
    sources = {str(path.relative_to(host.TREE)) for path in (host.TREE / "core").glob("*.[ch]")
               if not path.name.endswith(".mod.c")}
    assert sources < names


@pytest.mark.parametrize("pattern, place", [
    ("scripts/irtx-*", "usr/bin/{0}"),
    ("man/*.1", "usr/share/man/man1/{0}.gz"),
    ("scripts/completion/*", "usr/share/bash-completion/completions/{0}"),
    ("packaging/*.rules", "usr/lib/udev/rules.d/{0}"),
    ("dt-bindings/overlays/gpio-*.dts", "usr/lib/irtx/overlays/{1}.dtbo"),
    ("dt-bindings/overlays/[!g]*.dts", "usr/lib/irtx/overlays/{1}.dtbo"),
    ("examples/*.ir", "usr/share/doc/irtx-tools/examples/{0}"),
    ("dt-bindings/overlays/generic-*.dts", "usr/share/doc/irtx-tools/examples/{0}"),
])
def test_tools(pattern, place):
    """Whatever is there of a kind is in the package."""
    names = {f"./{place.format(path.name, path.stem)}" for path in host.TREE.glob(pattern)}
    assert names
    assert names <= set(packages.content("irtx-tools"))


# --- their life ---

@each_step(*_WITH_US)
def test_all_modules_outrank_the_kernels_own(life, step):
    """Each kernel finds our modules, in updates/, also where it has one of that name."""
    for kernel, module, file in _facts(life, step, "file"):
        assert re.fullmatch(rf"/lib/modules/{re.escape(kernel)}/updates/dkms/{module}\.ko(\.\w+)?",
                            file), f"{kernel} {module}: {file}"


@each_step(*_WITH_US)
def test_drivers_bring_the_core(life, step):
    """modprobe loads irtx-core before a driver."""
    for kernel, module, commands in _facts(life, step, "loads"):
        if module != "irtx-core":
            order = rf"/updates/dkms/irtx-core\.ko.*/updates/dkms/{module}\.ko"
            assert re.search(order, commands), f"{kernel} {module}: {commands}"


@each_step(*_WITH_US)
def test_modules_are_signed(life, step):
    """With the machine's own key, which DKMS makes."""
    for kernel, module, signer in _facts(life, step, "signer"):
        assert signer == _SIGNER, f"{kernel} {module}: {signer}"


@each_step(*_WITHOUT_US)
def test_without_us(life, step):
    """Mainline's module is found where there is one, none of ours, and no file."""
    first = _kernels(life, step)[0]
    for kernel, module, file in _facts(life, step, "file"):
        if (kernel, module) == (first, _MAINLINES):
            assert file == f"/lib/modules/{kernel}/kernel/drivers/media/rc/{module}.ko"
        else:
            assert "not found" in file
    assert not _facts(life, step, "path")
    assert not _facts(life, step, "dkms")
    assert not _facts(life, step, "tool")


def test_a_purge_leaves_nothing(life):
    """The system is as it was before, file by file."""
    assert not life.left


def test_a_new_kernel_gets_its_modules(life):
    """The packages of another kernel, and nothing else, bring modules for it."""
    before, after = _kernels(life, "reinstalled"), _kernels(life, "updated")
    assert len(before) == 1 and len(after) == 2
    assert len(_facts(life, "updated", "dkms")) == 2


def test_a_kernel_without_infrared(life):
    """The installation beside it succeeded (else there were no report), without modules for it."""
    assert not re.search("built|installed", life.bare)


@pytest.mark.parametrize("step, version", [
    ("installed", packages.LOWER_VERSION), ("upgraded", packages.version()),
    ("reinstalled", packages.version()), ("updated", packages.version())])
def test_one_version_at_a_time(life, step, version):
    """An upgrade takes the old version away, DKMS's copy included."""
    assert [words[:2] for words in _facts(life, step, "package")] == \
        [[name, version] for name in packages.NAMES]
    assert {words[0] for words in _facts(life, step, "dkms")} == {f"irtx/{version},"}
    for words in _facts(life, step, "path"):
        for number in re.findall(r"/irtx[-/](\d[\d.]*\d)", words[0]):
            assert number == version, words[0]


@each_step(*_WITH_US)
def test_tools_run(life, step):
    """Every command starts with what the package depends on."""
    assert not _facts(life, step, "broken")
    assert sorted(words[0] for words in _facts(life, step, "tool")) == \
        sorted(path.name for path in (host.TREE / "scripts").glob("irtx-*"))


# --- what DKMS is told ---

@pytest.mark.parametrize("release, wanted", [
    ("5.10.0-9-amd64", False), ("6.0.12", False), ("6.1.0-57-amd64", True), ("6.6.20+rpt", True),
    ("6.12.117+deb12-rt-arm64", True), ("7.3.4", True), ("10.0.1", True), ("4.19.0", False)])
def test_kernels(release, wanted):
    """Kernels from 6.1 on, as bash, which DKMS is written in, understands the expression."""
    done = subprocess.run(
        ["bash", "-c", 'source "$1"; [[ $2 =~ $BUILD_EXCLUSIVE_KERNEL ]]', "-",
         host.TREE / "dkms.conf", release], check=False)
    assert (done.returncode == 0) == wanted
