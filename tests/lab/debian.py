# SPDX-License-Identifier: GPL-2.0-only
"""Debian packages for the lab, unpacked into the cache and never installed.

They come through an apt of our own: its state lives in the cache, its sources are the Debian ones
among this machine's, its signatures are checked, and the machine's apt is only read.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.lab import cache, host, sources

_GNU_TYPES = {"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu",
              "armhf": "arm-linux-gnueabihf", "riscv64": "riscv64-linux-gnu"}
_FLAVOURS = {"armhf": "armmp"}  # of those that are not named as their architecture
_PATIENCE_S = 24 * 3600
_32_BITS = {"armhf"}
_MODPOST = """#!/bin/sh
root=$(realpath "$(dirname "$0")")/../../../../../foreign
exec "$root/usr/bin/qemu-arm-static" -L "$root" "$root/{program}" "$@"
"""
RELEASE = (r"(?P<base>(?P<series>\d+\.\d+)\.\d+(?:-\d+|\+deb\d+(?:\.\d+)?))"
           r"-(?P<flavour>[a-z][\w-]*)")


@dataclasses.dataclass(frozen=True)
class Series:
    """Where the lab has a series of kernels from: the release that its tests know, the suite that
    holds it where that is none of the machine's own, and the Debian release that builds for it."""

    pinned: str
    suite: str = ""
    system: str = ""


_SERIES = {"6.1": Series("6.1.0-57"), "6.12": Series("6.12.117+deb12"),
           "7.3": Series("7.3.4+deb13", "trixie-backports", "trixie")}
_OF_ONE_ARCH = {("6.12", "armhf"): Series("6.12.95+deb12", "bookworm-backports")}


@dataclasses.dataclass(frozen=True)
class Lists:
    """Package lists for one architecture: of the machine's own suites, or of another release's
    ("trixie-backports"). Each is fetched by itself, so that one which cannot be had spoils none."""

    suite: str
    arch: str


@dataclasses.dataclass(frozen=True)
class Headers:
    """What builds modules for a Debian kernel: the folder to run make in, the unpacked packages
    that it lies in, and the Debian release whose compiler it wants, "" for this machine's own."""

    release: str
    headers: Path
    root: Path
    system: str = ""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Kernel(Headers):
    """A Debian kernel: also all that a boot takes from it."""

    image: Path
    modules: Path
    dtbs: Path


def unpack(*specs: str) -> Path:
    """One folder with the content of all the packages, each named as "name:architecture"."""
    return _unpacked(specs, "")


def _unpacked(specs: Sequence[str], suite: str) -> Path:
    """Packages of a suite, unpacked."""
    return cache.entry("debian", [*sorted(specs), sources.listing(suite)],
                       functools.partial(_unpack_into, specs=specs, suite=suite))


def kernel(version: str, arch: str) -> Kernel:
    """Debian's kernel of a series ("6.12"), or a variant of it ("6.12-rt"): the pinned release,
    else the newest on offer."""
    name, _, variant = version.partition("-")
    series = _series(name, arch)
    folder = cache.entry(f"kernel-{version}-{arch}",
                         [version, arch, series.pinned, sources.listing(series.suite)],
                         functools.partial(_make_kernel, name=name, variant=variant, arch=arch))
    release = (folder / "release").read_text(encoding="ascii")
    modules = _first(folder, f"lib/modules/{release}", f"usr/lib/modules/{release}")
    return Kernel(release=release, headers=_headers_folder(folder, release), root=folder,
                  system=series.system, modules=modules,
                  image=_first(folder, f"boot/vmlinuz-{release}",
                               f"usr/lib/modules/{release}/vmlinuz"),
                  dtbs=folder / "usr/lib" / f"linux-image-{release}")


def headers(release: str, arch: str, suite: str = "", system: str = "") -> Headers:
    """The headers of one release of a kernel ("6.12.117+deb12-arm64"), made to work in place."""
    folder = cache.entry(f"headers-{release}", [release, arch, sources.listing(suite)],
                         functools.partial(_add_headers, release=release, arch=arch, suite=suite))
    return Headers(release, _headers_folder(folder, release), folder, system)


def _headers_folder(folder: Path, release: str) -> Path:
    """Where headers lie among unpacked packages."""
    return folder / "usr/src" / f"linux-headers-{release}"


def _first(folder: Path, *places: str) -> Path:
    """The first of several places that is there: later kernels have all in one folder."""
    return next(path for place in places if (path := folder / place).exists())


# --- packages ---

def _unpack_into(folder: Path, specs: Iterable[str], suite: str = "") -> None:
    """Lay the content of packages over each other."""
    for spec in specs:
        archive = package(spec, suite)
        with host.step(f"unpacking {spec}"):
            host.run(["dpkg-deb", "--extract", archive, folder])


def package(spec: str, suite: str = "") -> Path:
    """The .deb of "name:architecture", downloaded at most once, from the machine's own suites or
    from one of another release."""
    name, _, arch = spec.partition(":")
    if not arch:
        raise host.LabError(f"package {spec!r} has no architecture; write it as name:arm64")
    folder = cache.entry(f"deb-{name}-{arch}", [spec, sources.listing(suite)],
                         functools.partial(_download, name=name, arch=arch, suite=suite))
    return next(folder.glob("*.deb"))


def _download(folder: Path, name: str, arch: str, suite: str) -> None:
    """Fetch a package; where that fails, the lists may be missing or old: renew them and retry."""
    lists = Lists(suite, host_arch() if arch == "all" else arch)
    with cache.lock("apt"), host.step(f"downloading {name}:{arch}"):
        done = _apt(lists, "apt-get", "download", name, cwd=folder)
        if done.returncode:
            _update(lists)
            done = _apt(lists, "apt-get", "download", name, cwd=folder)
    if done.returncode:
        raise host.LabError(f"package {name}:{arch} cannot be had from these Debian sources:\n"
                            f"{sources.listing(suite)}{host.tail(done.stdout)}\n"
                            "Check the network and that the sources above hold the package.")


def unpack_source(archive: Path, folder: Path, *members: str) -> None:
    """Unpack what a linux-source package holds, or only some files of it, into a new folder."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as outer:
        host.run(["dpkg-deb", "--extract", archive, outer])
        folder.mkdir()
        host.run(["tar", "--extract", "--strip-components=1", "--directory", folder, "--file",
                  next(Path(outer).glob("usr/src/linux-source-*.tar.xz")), "--wildcards",
                  *(f"*/{member}" for member in members)])


# --- kernels ---

def _make_kernel(folder: Path, name: str, variant: str, arch: str) -> None:
    """Unpack a kernel with its headers."""
    plain = _FLAVOURS.get(arch, arch)
    flavour = f"{variant}-{plain}" if variant else plain
    release = f"{choose_base(name, arch, flavour)}-{flavour}"
    suite = _series(name, arch).suite
    _add_image(folder, release, arch, suite)
    _add_headers(folder, release, arch, suite)
    (folder / "release").write_text(release, encoding="ascii")


def _add_image(folder: Path, release: str, arch: str, suite: str) -> None:
    """Unpack what boots: one package, or from 7.x on those that it depends on."""
    image = f"linux-image-{release}:{arch}"
    parts = _needed(image, suite, ("linux-base-", "linux-binary-", "linux-modules-"))
    _unpack_into(folder, [f"{part}:{arch}" for part in parts] or [image], suite)


def _add_headers(folder: Path, release: str, arch: str, suite: str) -> None:
    """Unpack headers that work in place, on this machine as the build host."""
    own = f"linux-headers-{release}:{arch}"
    common = _needed(own, suite, ("linux-headers-",))
    programs = _needed(own, suite, ("linux-kbuild-",))
    _unpack_into(folder, [own, *(f"{name}:{host_arch()}" for name in programs)], suite)
    # most of it is common to all flavours and architectures, and nothing writes there
    shutil.copytree(_unpacked([f"{name}:all" for name in common], suite), folder, symlinks=True,
                    copy_function=os.link, dirs_exist_ok=True)
    _free_headers(_headers_folder(folder, release), arch)
    if arch in _32_BITS:
        _replace_modpost(folder, programs, arch, suite)


def _needed(spec: str, suite: str, prefixes: tuple[str, ...]) -> list[str]:
    """The packages with certain names that a package depends on."""
    depends = host.run(["dpkg-deb", "--field", package(spec, suite), "Depends"]).split(",")
    return [name.split()[0] for name in depends if name.strip().startswith(prefixes)]


def _free_headers(folder: Path, arch: str) -> None:
    """Free headers of their place in /usr/src and, up to 6.1, of the environment in which Debian
    builds its packages, which tells them what to compile for."""
    makefile = folder / "Makefile"
    text = makefile.read_text(encoding="ascii")
    makefile.write_text(text.replace("include /usr/src/", "include ../")
                        .replace("=/usr/src/", "=../"), encoding="ascii")
    variables = folder / ".kernelvariables"
    environment = (f"DEB_BUILD_ARCH = {host_arch()}\nDEB_HOST_ARCH = {arch}\n"
                   f"DEB_HOST_GNU_TYPE = {_GNU_TYPES[arch]}\n")
    variables.write_text(environment + variables.read_text(encoding="ascii"), encoding="ascii")


def _series(name: str, arch: str) -> Series:
    """Where a series comes from for an architecture."""
    return _OF_ONE_ARCH.get((name, arch), _SERIES[name])


def _replace_modpost(folder: Path, programs: list[str], arch: str, suite: str) -> None:
    """Let an emulator run modpost as it is built on machines of 32 bits: the one that is built on
    those of 64 reckons with their sizes, and refuses any other module."""
    foreign = folder / "foreign"
    _unpack_into(foreign, [f"{name}:{arch}" for name in programs], suite)
    _unpack_into(foreign, [f"libc6:{arch}"], suite.partition("-")[0])
    if not (foreign / "lib").exists():
        (foreign / "lib").symlink_to("usr/lib")
    emulator = Path("usr/bin/qemu-arm-static")
    (foreign / emulator).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(unpack(f"qemu-user-static:{host_arch()}") / emulator, foreign / emulator)
    for modpost in foreign.glob("usr/lib/linux-kbuild-*/scripts/mod/modpost.real-lsb-32"):
        wrapper = folder / modpost.relative_to(foreign).with_name("modpost")
        wrapper.write_text(_MODPOST.format(program=modpost.relative_to(foreign)), encoding="ascii")


def choose_base(name: str, arch: str, flavour: str) -> str:
    """The release without its flavour ("arm64", "rt-arm64"): pinned, else newest."""
    series = _series(name, arch)
    offers = offered_bases(name, Lists(series.suite, arch), flavour)
    if not offers:
        raise host.LabError(f"this machine's Debian sources offer no kernel {name} for {flavour}:"
                            f"\n{sources.listing(series.suite)}Kernels of later series than the "
                            "release's own come with its -security suite: add it to "
                            "/etc/apt/sources.list.")
    if series.pinned in offers:
        return series.pinned
    newest = max(offers, key=numbers)
    host.say(f"kernel {series.pinned} is no longer on offer, taking {newest}")
    return newest


def offered_bases(name: str, lists: Lists, flavour: str) -> list[str]:
    """Every release of a series that the lists name."""
    found = (re.fullmatch(f"linux-image-{RELEASE}", package_name)
             for package_name in package_names(lists, f"linux-image-{name}."))
    return [match["base"] for match in found
            if match and (match["series"], match["flavour"]) == (name, flavour)]


def package_names(lists: Lists, prefix: str) -> list[str]:
    """All packages whose names begin so."""
    with cache.lock("apt"):
        if not have(lists) and not _lately_failed(lists):
            _update(lists)
        listed = _apt(lists, "apt-cache", "pkgnames", prefix).stdout.split()
    return [name.split(":")[0] for name in listed]


def numbers(release: str) -> list[int]:
    """A release as a list that orders as its numbers do."""
    return [int(number) for number in re.findall(r"\d+", release)]


# --- the private apt, with a state for each of the lists ---

def _apt(lists: Lists, tool: str, *arguments: str, cwd: Path | None = None):
    """Run one of apt's tools on the private state."""
    return host.attempt([tool, "-q", *arguments], cwd=cwd,
                        env={"APT_CONFIG": str(_apt_config(lists)), "LC_ALL": "C"})


def have(lists: Lists) -> bool:
    """Whether all of these lists were fetched before."""
    return (_apt_folder(lists) / "updated").exists()


def _update(lists: Lists) -> None:
    """Fetch the package lists; the caller holds the lock.

    A source that fails need not matter: what a package misses is said where it is asked for.
    """
    with host.step(f"fetching Debian's package lists for {' '.join([lists.arch, lists.suite])}"):
        done = _apt(lists, "apt-get", "update")
    if done.returncode:
        host.say(f"some package lists could not be fetched:\n{host.tail(done.stdout, 6)}")
    (_apt_folder(lists) / ("failed" if done.returncode else "updated")).touch()


def _lately_failed(lists: Lists) -> bool:
    """Whether these lists could not be had within the last day."""
    failed = _apt_folder(lists) / "failed"
    return failed.exists() and time.time() - failed.stat().st_mtime < _PATIENCE_S


@functools.cache
def _apt_folder(lists: Lists) -> Path:
    """State of the private apt for the current sources."""
    return cache.entry("apt", [sources.listing(lists.suite), lists.arch],
                       functools.partial(_make_apt, suite=lists.suite))


def _make_apt(folder: Path, suite: str) -> None:
    """Lay out an empty apt state."""
    for name in ("state/lists/partial", "cache/archives/partial", "none"):
        (folder / name).mkdir(parents=True)
    (folder / "status").touch()
    (folder / "sources.list").write_text(sources.listing(suite), encoding="utf-8")


@functools.cache
def _apt_config(lists: Lists) -> Path:
    """Apt's configuration: all of ours, and of the machine's only how it reaches the network.

    The machine's hooks must not run: they would work on its own state.
    """
    folder = _apt_folder(lists)
    settings = {"Dir::State": folder / "state", "Dir::State::status": folder / "status",
                "Dir::Cache": folder / "cache", "Dir::Etc::sourcelist": folder / "sources.list",
                "Dir::Etc::sourceparts": folder / "none", "Dir::Etc::parts": folder / "none",
                "Dir::Etc::main": "/dev/null", "Dir::Etc::preferences": "/dev/null",
                "Dir::Etc::preferencesparts": folder / "none",
                "APT::Architecture": lists.arch, "APT::Sandbox::User": "root",
                "Acquire::Languages": "none", "Acquire::Retries": 3}
    lines = [*network_settings(), *(f'{name} "{value}";' for name, value in settings.items()),
             f'APT::Architectures {{ "{lists.arch}"; }};']
    config = folder / "apt.conf"
    config.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return config


@functools.cache
def network_settings() -> list[str]:
    """How the machine's apt reaches the network, in the format of apt.conf."""
    return [line for line in host.run(["apt-config", "dump"]).splitlines()
            if line.startswith("Acquire::") and not line.endswith('"";')]


@functools.cache
def host_arch() -> str:
    """Debian's name of this machine's architecture."""
    return host.run(["dpkg", "--print-architecture"]).strip()
