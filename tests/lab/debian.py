# SPDX-License-Identifier: GPL-2.0-only
"""Debian packages for the lab, unpacked into the cache and never installed.

They come through an apt of our own: its state lives in the cache, its sources are the Debian ones
among this machine's, its signatures are checked, and the machine's apt is only read.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.lab import cache, host

_KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_SECURITY = ("-security", "/updates")
_POCKETS = ("", "-updates", "-backports", *_SECURITY)
_GNU_TYPES = {"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}
_PINNED = {"6.1": "6.1.0-57", "6.12": "6.12.117+deb12"}


@dataclasses.dataclass(frozen=True)
class Source:
    """One archive of Debian's, as this machine names it."""

    uri: str
    suite: str
    options: str = ""

    def line(self) -> str:
        """The source in apt's one-line format, bound to Debian's own keyring."""
        return f"deb [signed-by={_KEYRING} {self.options}] {self.uri} {self.suite} main"


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A Debian kernel and all that a build or a boot takes from it."""

    release: str
    image: Path
    modules: Path
    dtbs: Path
    headers: Path


def unpack(*specs: str) -> Path:
    """One folder with the content of all the packages, each named as "name:architecture"."""
    return cache.entry("debian", [*sorted(specs), _sources_list()],
                       functools.partial(_unpack_into, specs=specs))


def kernel(version: str, arch: str) -> Kernel:
    """Debian's kernel of a series ("6.12"), or a variant of it ("6.12-rt"): the pinned release,
    else the newest on offer."""
    series, _, variant = version.partition("-")
    folder = cache.entry(f"kernel-{version}-{arch}",
                         [version, arch, _PINNED.get(series, ""), _sources_list()],
                         functools.partial(_make_kernel, series=series, variant=variant, arch=arch))
    release = (folder / "release").read_text(encoding="ascii")
    return Kernel(release=release,
                  image=folder / "boot" / f"vmlinuz-{release}",
                  modules=folder / "lib/modules" / release,
                  dtbs=folder / "usr/lib" / f"linux-image-{release}",
                  headers=folder / "usr/src" / f"linux-headers-{release}")


# --- packages ---

def _unpack_into(folder: Path, specs: tuple[str, ...]) -> None:
    """Lay the content of packages over each other."""
    for spec in specs:
        archive = package(spec)
        with host.step(f"unpacking {spec}"):
            host.run(["dpkg-deb", "--extract", archive, folder])


def package(spec: str, suite: str = "") -> Path:
    """The .deb of "name:architecture", downloaded at most once, from the machine's own suites or
    from one of another release ("trixie-backports")."""
    name, _, arch = spec.partition(":")
    if not arch:
        raise host.LabError(f"package {spec!r} has no architecture; write it as name:arm64")
    folder = cache.entry(f"deb-{name}-{arch}", [spec, _sources_list(suite)],
                         functools.partial(_download, spec=f"{name}:{arch}", suite=suite))
    return next(folder.glob("*.deb"))


def _download(folder: Path, spec: str, suite: str) -> None:
    """Fetch a package; where that fails, the lists may be missing or old: renew them and retry."""
    command = ("apt-get", "download", spec.removesuffix(":all"))
    with cache.lock("apt"), host.step(f"downloading {spec}"):
        done = _apt(suite, *command, cwd=folder)
        if done.returncode:
            _update_lists(suite)
            done = _apt(suite, *command, cwd=folder)
    if done.returncode:
        raise host.LabError(f"package {spec} cannot be had from these Debian sources:\n"
                            f"{_sources_list(suite)}{host.tail(done.stdout)}\n"
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

def _make_kernel(folder: Path, series: str, variant: str, arch: str) -> None:
    """Unpack a kernel with headers that work in place, on this machine as the build host."""
    flavour = f"{variant}-{arch}" if variant else arch
    base = choose_base(series, flavour)
    release = f"{base}-{flavour}"
    common = "-".join(filter(None, ["common", variant]))
    # releases that are named like 6.1.0-57 share one package of build programs
    programs = base if "+" in base else series
    _unpack_into(folder, (f"linux-image-{release}:{arch}", f"linux-headers-{release}:{arch}",
                          f"linux-headers-{base}-{common}:all",
                          f"linux-kbuild-{programs}:{host_arch()}"))
    _free_headers(folder / "usr/src" / f"linux-headers-{release}", arch)
    (folder / "release").write_text(release, encoding="ascii")


def _free_headers(headers: Path, arch: str) -> None:
    """Free headers of their place in /usr/src and, up to 6.1, of the environment in which Debian
    builds its packages, which tells them what to compile for."""
    makefile = headers / "Makefile"
    text = makefile.read_text(encoding="ascii")
    makefile.write_text(text.replace("include /usr/src/", "include ../"), encoding="ascii")
    variables = headers / ".kernelvariables"
    environment = (f"DEB_BUILD_ARCH = {host_arch()}\nDEB_HOST_ARCH = {arch}\n"
                   f"DEB_HOST_GNU_TYPE = {_GNU_TYPES[arch]}\n")
    variables.write_text(environment + variables.read_text(encoding="ascii"), encoding="ascii")


def choose_base(series: str, flavour: str) -> str:
    """The release without its flavour ("arm64", "rt-arm64"): pinned, else newest."""
    offers = offered_bases(series, flavour)
    if not offers:
        raise host.LabError(f"this machine's Debian sources offer no kernel {series} for {flavour}:"
                            f"\n{_sources_list()}Kernels of later series than the release's own "
                            "come with its -security suite: add it to /etc/apt/sources.list.")
    pinned = _PINNED.get(series)
    if pinned in offers:
        return pinned
    newest = max(offers, key=_numbers)
    if pinned:
        host.say(f"kernel {pinned} is no longer on offer, taking {newest}")
    return newest


def offered_bases(series: str, flavour: str) -> list[str]:
    """Every release of a series that the lists name."""
    base = rf"{re.escape(series)}\.\d+(?:\+deb\d+|-\d+)"
    pattern = re.compile(rf"linux-image-({base})-{flavour}")
    with cache.lock("apt"):
        if not _have_lists():
            _update_lists()
        names = _apt("", "apt-cache", "pkgnames", f"linux-image-{series}.").stdout.split()
    return [match[1] for name in names if (match := pattern.fullmatch(name.split(":")[0]))]


def _numbers(release: str) -> list[int]:
    """A release as a list that orders as its numbers do."""
    return [int(number) for number in re.findall(r"\d+", release)]


# --- the private apt, one for the machine's own suites and one for each other suite ---

def _apt(suite: str, tool: str, *arguments: str, cwd: Path | None = None):
    """Run one of apt's tools on the private state."""
    return host.attempt([tool, "-q", *arguments], cwd=cwd,
                        env={"APT_CONFIG": str(_apt_config(suite)), "LC_ALL": "C"})


def _have_lists() -> bool:
    """Whether package lists of the current sources were fetched before."""
    return (_apt_folder() / "updated").exists()


def _update_lists(suite: str = "") -> None:
    """Fetch the package lists; the caller holds the lock.

    A source that fails need not matter: what a package misses is said where it is asked for.
    """
    with host.step("fetching Debian's package lists"):
        done = _apt(suite, "apt-get", "update")
    if done.returncode:
        host.say(f"some package lists could not be fetched:\n{host.tail(done.stdout, 6)}")
        return
    (_apt_folder(suite) / "updated").touch()


@functools.cache
def _apt_folder(suite: str = "") -> Path:
    """State of the private apt for the current sources."""
    return cache.entry("apt", [_sources_list(suite), host_arch()],
                       functools.partial(_make_apt, suite=suite))


def _make_apt(folder: Path, suite: str) -> None:
    """Lay out an empty apt state."""
    for name in ("state/lists/partial", "cache/archives/partial", "none"):
        (folder / name).mkdir(parents=True)
    (folder / "status").touch()
    (folder / "sources.list").write_text(_sources_list(suite), encoding="utf-8")


@functools.cache
def _apt_config(suite: str) -> Path:
    """Apt's configuration: all of ours, and of the machine's only how it reaches the network.

    The machine's hooks must not run: they would work on its own state.
    """
    folder = _apt_folder(suite)
    settings = {"Dir::State": folder / "state", "Dir::State::status": folder / "status",
                "Dir::Cache": folder / "cache", "Dir::Etc::sourcelist": folder / "sources.list",
                "Dir::Etc::sourceparts": folder / "none", "Dir::Etc::parts": folder / "none",
                "Dir::Etc::main": "/dev/null", "Dir::Etc::preferences": "/dev/null",
                "Dir::Etc::preferencesparts": folder / "none",
                "APT::Architecture": host_arch(), "APT::Sandbox::User": "root",
                "Acquire::Languages": "none", "Acquire::Retries": 3}
    lines = [*network_settings(), *(f'{name} "{value}";' for name, value in settings.items()),
             f'APT::Architectures {{ "{host_arch()}"; "amd64"; "arm64"; }};']
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


# --- the machine's sources ---

@functools.cache
def _sources_list(suite: str = "") -> str:
    """Debian's own suites among the sources of this machine, or a suite of another release from
    where those come from, in apt's one-line format."""
    own = list(_machine_sources())
    chosen = other_suite(own, suite) if suite else own
    if not chosen:
        raise host.LabError("no Debian suite was found in /etc/apt/sources.list and "
                            "/etc/apt/sources.list.d/; the lab runs on Debian 12 and takes its "
                            "kernels from there")
    return "".join(sorted({source.line() + "\n" for source in chosen}))


def release_sources(suites: Sequence[str]) -> str:
    """Several suites of another release, in apt's one-line format."""
    return "".join(_sources_list(suite) for suite in suites)


def other_suite(own: list[Source], suite: str) -> list[Source]:
    """@suite on the mirrors of @own sources; security updates have mirrors of their own."""
    wanted = suite.endswith(_SECURITY)
    return [dataclasses.replace(source, suite=suite) for source in own
            if source.suite.endswith(_SECURITY) == wanted]


def _machine_sources() -> Iterator[Source]:
    """Every Debian source of the machine, in either of apt's formats."""
    folder = Path("/etc/apt")
    for path in [folder / "sources.list", *sorted((folder / "sources.list.d").glob("*"))]:
        if not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        if path.suffix == ".list":
            yield from parse_lines(text)
        elif path.suffix == ".sources":
            yield from parse_deb822(text)


def parse_lines(text: str) -> Iterator[Source]:
    """Debian's sources in the format of sources.list."""
    for line in text.splitlines():
        if match := re.match(r"deb\s+(?:\[(.*?)\]\s+)?(\S+)\s+(\S+)\s+(.+)", line):
            options = dict(word.split("=", 1) for word in (match[1] or "").split() if "=" in word)
            yield from _ours([match[2]], [match[3]], match[4].split("#")[0].split(), options)


def parse_deb822(text: str) -> Iterator[Source]:
    """Debian's sources in the format of *.sources files."""
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)
    for stanza in re.split(r"\n\s*\n", text):
        fields = {name.lower(): " ".join(value.split()) for name, value in
                  re.findall(r"^([\w-]+):((?:.*)(?:\n[ \t].*)*)", stanza, re.MULTILINE)}
        if "deb" in fields.get("types", "").split() and fields.get("enabled", "yes") != "no":
            yield from _ours(fields.get("uris", "").split(), fields.get("suites", "").split(),
                             fields.get("components", "").split(), fields)


def _ours(uris: list[str], suites: list[str], components: list[str],
          options: dict[str, str]) -> Iterator[Source]:
    """The combinations that are Debian's: its suites, and no other vendor's key."""
    key = options.get("signed-by", str(_KEYRING))
    if "main" not in components or not Path(key).name.startswith("debian-archive-"):
        return
    validity = options.get("check-valid-until")
    kept = f"check-valid-until={validity}" if validity else ""
    for uri in uris:
        for suite in filter(_is_debian_suite, suites):
            yield Source(uri, suite, kept)


def _is_debian_suite(suite: str) -> bool:
    """Whether a name is the running release's suite or one of its pockets."""
    names = {_codename(), "stable", "oldstable", "oldoldstable"}
    return suite in {name + pocket for name in names for pocket in _POCKETS}


@functools.cache
def _codename() -> str:
    """The running Debian release, as its suites are called."""
    text = Path("/etc/os-release").read_text(encoding="utf-8")
    match = re.search(r"^VERSION_CODENAME=(\w+)$", text, re.MULTILINE)
    return match[1] if match else "stable"
