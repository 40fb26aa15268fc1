# SPDX-License-Identifier: GPL-2.0-only
"""The Debian packages of this tree: built by "make deb" in a bookworm that has what debian/control
asks for, judged by lintian, and led through a life in fresh systems. All of it is cached by the
content of what goes in."""

from __future__ import annotations

import dataclasses
import functools
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.lab import cache, chroot, debian, host
from tests.packaging import system

NAMES = ("irtx-dkms", "irtx-tools")
LOWER_VERSION = "0.0.1"
_BUILDER = "bookworm"
_BUILD_TOOLS = ("build-essential", "lintian")
_ALSO_THERE = ("openssl",)  # DKMS signs modules with it, where there is one
_CHANGELOG = "debian/changelog"
_LIFE = Path(__file__).with_name("life.sh")
# the kernel that comes later, in the life of a system of each release
_LATER_KERNELS = {
    "bookworm": "linux-headers-6.12-{0} linux-image-6.12-{0}",
    "trixie": "linux-headers-{0}/trixie-backports linux-image-{0}/trixie-backports",
}
_BUILD = """
make deb DEB_DIR=/out
lintian --allow-root --pedantic --fail-on=none /out/*.changes > /out/lintian
"""
_DOWNLOAD = """
apt-get -q update
apt-get -q -y install --download-only --no-install-recommends {}
cp /var/cache/apt/archives/*.deb /shared
"""
RELEASES = tuple(_LATER_KERNELS)
_DOCUMENTS = re.compile(r"README|Documentation/|examples/|.*\.yaml$|pylintrc|pytest|\.")


@dataclasses.dataclass(frozen=True)
class Life:
    """What life.sh reported: the lines of each step, what a purge had changed in the system, and
    what DKMS had for a kernel without infrared."""

    steps: dict[str, list[str]]
    left: list[str]
    bare: str


# --- building ---

def version() -> str:
    """The version that debian/changelog gives."""
    text = (host.TREE / _CHANGELOG).read_text(encoding="utf-8")
    return text.partition("(")[2].partition(")")[0]


@functools.cache
def built() -> Path:
    """A folder with the packages of this tree, and with lintian's words in the file "lintian"."""
    return _built("packages", sources())


@functools.cache
def built_again() -> Path:
    """The same, built a second time."""
    return _built("packages-again", sources())


def _built_lower() -> Path:
    """The same with a lower version."""
    files = sources()
    text = files[_CHANGELOG].decode()
    files[_CHANGELOG] = text.replace(f"({version()})", f"({LOWER_VERSION})", 1).encode()
    return _built("packages", files)


def debs(folder: Path) -> list[Path]:
    """The packages in a folder."""
    return sorted(folder.glob("*.deb"))


def content(name: str) -> list[str]:
    """The files and folders of a package of ours, as "./usr/"."""
    deb, = built().glob(f"{name}_*.deb")
    lines = host.run(["dpkg-deb", "--contents", deb]).splitlines()
    return [line.split(None, 5)[5] for line in lines]


def _built(name: str, files: dict[str, bytes]) -> Path:
    """What a build of @files makes."""
    root = chroot.make(_BUILDER, [*_BUILD_TOOLS, *_build_depends()])
    return cache.entry(name, [str(root), _BUILD, *flat(files)],
                       functools.partial(_build, files=files, root=root))


def sources() -> dict[str, bytes]:
    """All files of the tree that a build may read."""
    listed = host.run(["git", "-C", host.TREE, "ls-files", "-z", "--cached", "--others",
                       "--exclude-standard", "--", ".", ":!tests"])
    paths = {name: host.TREE / name for name in sorted(set(listed.split("\0"))) if name}
    return {name: path.read_bytes() for name, path in paths.items() if path.is_file()}


def what_acts() -> list[str | bytes]:
    """The sources but for documents, as parts of a cache's key: a new word in the README need not
    install everything again."""
    return flat({name: data for name, data in sources().items() if not _DOCUMENTS.match(name)})


def flat(files: dict[str, bytes]) -> list[str | bytes]:
    """Files as parts of a cache's key."""
    return [part for item in files.items() for part in item]


def _build_depends() -> list[str]:
    """The packages that debian/control says a build needs."""
    field = re.search(r"^Build-Depends:((?:.*\n)(?:[ \t].*\n)*)",
                      (host.TREE / "debian/control").read_text(encoding="utf-8"), re.MULTILINE)[1]
    return package_names(field)


def package_names(field: str) -> list[str]:
    """The packages of a field such as "a (>= 1), b"; a level of debhelper is debhelper's."""
    names = [relation.split("(")[0].strip() for relation in field.split(",")]
    return ["debhelper" if name == "debhelper-compat" else name for name in names]


def _build(folder: Path, files: dict[str, bytes], root: Path) -> None:
    """Run "make deb" on sources that it cannot write to, and lintian on the result."""
    with tempfile.TemporaryDirectory() as tree, host.step("building the Debian packages"):
        write(Path(tree), files)
        done = chroot.attempt(root, ["sh", "-ec", _BUILD], {"/tree": Path(tree)},
                              {"/out": folder})
    if done.returncode:
        raise host.LabError(f"make deb failed in {_BUILDER}:\n{host.tail(done.stdout)}")


def write(folder: Path, files: dict[str, bytes]) -> None:
    """Lay files out, each with the mode that it has in the tree."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod((host.TREE / name).stat().st_mode)


# --- living ---

@functools.cache
def live(release: str) -> Life:
    """What happens to a system of @release in life.sh."""
    root = chroot.make(release, [*_depends(), *_ALSO_THERE,
                                 f"linux-headers-{debian.host_arch()}"])
    kernel = _later_kernel(root, release)
    folder = cache.entry(f"packages-{release}",
                         [str(root), str(kernel), _LIFE.read_bytes(), system.ENTER.read_bytes(),
                          *what_acts()],
                         functools.partial(_live, root=root, release=release, kernel=kernel))
    report, left, bare = ((folder / name).read_text(encoding="utf-8")
                          for name in ("report", "left", "bare"))
    return Life(parse(report), left.splitlines(), bare)


def _depends() -> list[str]:
    """What apt would install with our packages."""
    fields = [host.run(["dpkg-deb", "--field", deb, "Depends"]) for deb in debs(built())]
    return sorted({name for field in fields for name in package_names(field)})


def _later_kernel(root: Path, release: str) -> Path:
    """A folder with the packages that another kernel and its headers need in a system."""
    spec = _LATER_KERNELS[release].format(debian.host_arch())
    return cache.entry("packages-kernel", [str(root), spec],
                       functools.partial(_download, root=root, spec=spec))


def _download(folder: Path, root: Path, spec: str) -> None:
    """Let a system's own apt fetch what a package needs there."""
    with host.step(f"downloading {spec}"):
        _in_system(root, folder, ["sh", "-ec", _DOWNLOAD.format(spec)], network=True)


def _live(folder: Path, root: Path, release: str, kernel: Path) -> None:
    """Bring everything to where life.sh finds it, and keep what it reports."""
    packages = {"old": _built_lower(), "new": built(), "kernel": kernel}
    for name, source in packages.items():
        shutil.copytree(source, folder / name)
    shutil.copy(_LIFE, folder)
    with host.step(f"installing, upgrading and purging the packages in {release}"):
        log = _in_system(root, folder, [f"/shared/{_LIFE.name}"])
    (folder / "log").write_text(log, encoding="utf-8")
    for name in packages:
        shutil.rmtree(folder / name)


def _in_system(root: Path, shared: Path, command: Sequence[str], network: bool = False) -> str:
    """Run a command that must succeed in a copy of a system."""
    done = system.attempt(root, shared, command, network)
    if done.returncode:
        raise host.LabError(f"{command[0]} failed with status {done.returncode} in {root}:\n"
                            f"{host.tail(done.stdout)}")
    return done.stdout


def parse(report: str) -> dict[str, list[str]]:
    """The lines of each step of a report."""
    steps: dict[str, list[str]] = {}
    for line in report.splitlines():
        if line.startswith("== "):
            steps[line.removeprefix("== ")] = lines = []
        else:
            lines.append(line)
    return steps
