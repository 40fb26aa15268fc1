# SPDX-License-Identifier: GPL-2.0-only
"""What the emulated board boots from: an initramfs with Debian's real tools and kernel modules, the
scenarios to run, and a device tree with the overlays they ask for."""

from __future__ import annotations

import functools
import gzip
import io
import lzma
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.lab import cache, debian, dtc, host, overrides
from tests.lab.machines import Arch, Kind

_GUEST = Path(__file__).parent / "guest"
_LAB_DTS = Path(__file__).parent / "dts"
_ACPI = Path(__file__).parent / "acpi"
_OVERLAYS = host.TREE / "dt-bindings" / "overlays"
_EXAMPLES = host.TREE / "examples"
_LIRC_EXAMPLES = _EXAMPLES / "lirc"
_DTB_KERNEL = "6.12"  # for all kernels: 6.1's trees lack the symbols that overlays refer to
_PACKAGES = ["busybox-static", "v4l-utils", "ir-keytable", "bsdutils", "util-linux", "libc6",
             "libgcc-s1", "libudev1", "libbpf1", "libelf1", "zlib1g"]
_PROGRAMS = ["usr/bin/ir-ctl", "usr/bin/ir-keytable", "usr/bin/script", "usr/bin/chrt"]
_PYTHON = "python3.11"
_PYTHON_PACKAGES = [f"{_PYTHON}-minimal", f"lib{_PYTHON}-minimal", f"lib{_PYTHON}-stdlib",
                    "libexpat1", "liblzma5"]  # beside what all boards have
_PYTHON_LEFT_OUT = ["__pycache__", "distutils", "lib2to3", "pydoc_data", "unittest"]
_LAYERS_LIBRARIES = "aarch64-linux-gnu"  # of machines.LAYERS_ARCH
_LIRC_PACKAGES = ["lirc", "liblirc0", "liblirc-client0", "libsystemd0", "libusb-0.1-4",
                  "libstdc++6", "libcap2", "libgcrypt20", "libgpg-error0", "liblzma5", "libzstd1",
                  "liblz4-1"]  # beside what all boards have
_LIRC_FILES = ["usr/sbin/lircd", "usr/bin/irsend", "etc/lirc/lircd.conf",
               "etc/lirc/lircd.conf.d/devinput.lircd.conf",
               f"usr/lib/{_LAYERS_LIBRARIES}/lirc/plugins/default.so"]
_UDEV_PACKAGES = ["udev", "libkmod2", "libacl1", "libblkid1", "libcap2", "libselinux1",
                  "libpcre2-8-0", "liblzma5", "libzstd1", "libssl3"]  # beside what all boards have
_UDEV_GROUPS = {"root": 0, "tty": 5, "disk": 6, "lp": 7, "kmem": 15, "dialout": 20, "cdrom": 24,
                "tape": 26, "audio": 29, "video": 44, "sgx": 103, "input": 104, "kvm": 105,
                "render": 106}  # which Debian's rules name
_RULES = host.TREE / "packaging"
_TOOLS = [host.TREE / "scripts" / name for name in ("irtx-stat", "irtx-soak", "irtx-doctor")]
_MODULES = ["rc-core", "evdev", "ir-imon-decoder",
            "ir-jvc-decoder", "ir-mce_kbd-decoder", "ir-nec-decoder", "ir-rc5-decoder",
            "ir-rc6-decoder", "ir-rcmm-decoder", "ir-sanyo-decoder", "ir-sharp-decoder",
            "ir-sony-decoder", "ir-xmp-decoder"]
_OPTIONAL = {"ir-rcmm-decoder"}  # Debian's 6.12 leaves it out
_FOLDERS = ["bin", "dev", "etc", "proc", "sbin", "sys", "tmp"]


@dataclass(frozen=True)
class Job:
    """One scenario as the guest needs it."""

    run: str
    modules: Sequence[str]
    timeout_s: int


# --- the initramfs that all boots share ---

def base(kind: Kind, kernel: debian.Kernel, ours: Sequence[Path]) -> Path:
    """The initramfs without scenarios; ours are the folders of our modules."""
    key = [kernel.release, *_PACKAGES, *kind.modules, *_MODULES, *_contents(_GUEST, "*"),
           *_contents(_EXAMPLES, "**/*"),
           *(part for folder in ours for part in _contents(folder, "*.ko")),
           Path(__file__).read_bytes()]
    build = functools.partial(_build_base, kind=kind, kernel=kernel, ours=ours)
    return cache.entry("initramfs", key, build) / "initramfs.gz"


def _contents(folder: Path, pattern: str) -> Iterator[bytes]:
    """Names and bytes of the files in a folder."""
    for path in filter(Path.is_file, sorted(folder.glob(pattern))):
        yield from (path.relative_to(folder).as_posix().encode(), path.read_bytes())


def _build_base(folder: Path, kind: Kind, kernel: debian.Kernel, ours: Sequence[Path]) -> None:
    """Lay the guest's file tree out, and pack it."""
    with host.step("packing the board's initramfs"):
        stage = folder / "stage"
        for name in _FOLDERS:
            (stage / name).mkdir(parents=True)
        _add_userland(stage, kind.arch)
        _add_modules(stage, kernel, [*kind.modules, *_MODULES], ours)
        shutil.copytree(_EXAMPLES, stage / "examples")
        (folder / "initramfs.gz").write_bytes(_pack(stage))
        shutil.rmtree(stage)


def _add_userland(stage: Path, arch: Arch) -> None:
    """Busybox, the tools under test with their libraries, and the lab's own scripts."""
    packages = debian.unpack(*(f"{name}:{arch.name}" for name in _PACKAGES))
    shutil.copy2(packages / "bin/busybox", stage / "bin/busybox")
    for program in _PROGRAMS:
        shutil.copy2(packages / program, stage / "bin")
    _add_all_libraries(packages, stage, arch.libraries)
    _add_loader(stage, arch)
    (stage / "bin/sh").symlink_to("busybox")
    (stage / "sbin/modprobe").symlink_to("../bin/busybox")  # the kernel calls it there
    shutil.copytree(_GUEST, stage / "lab")
    for script in ("init", "run"):
        (stage / "lab" / script).chmod(0o755)
    (stage / "init").symlink_to("lab/init")


def _add_loader(stage: Path, arch: Arch) -> None:
    """The program that loads libraries, where all others look for it."""
    loader = stage / arch.loader
    loader.parent.mkdir(exist_ok=True)
    loader.symlink_to(f"/lib/{arch.libraries}/{loader.name}")


def _add_all_libraries(packages: Path, stage: Path, libraries: str) -> None:
    """The shared libraries of packages, from both folders that they put them into."""
    for folder in ("lib", "usr/lib"):
        _add_libraries(packages / folder / libraries, stage / "lib" / libraries)


def _add_libraries(source: Path, target: Path) -> None:
    """Copy shared libraries, not what else a package puts beside them."""
    target.mkdir(parents=True, exist_ok=True)
    for library in sorted(source.glob("*.so*")):
        shutil.copy2(library, target / library.name, follow_symlinks=False)


# --- what only some boards have: archives to lay over the base, since unpacking takes time ---

def python() -> Path:
    """Our tools and their Python."""
    return layer("python", [*_PYTHON_PACKAGES, *(tool.read_bytes() for tool in _TOOLS)],
                 _add_python)


def lirc() -> Path:
    """Debian's lircd and irsend, with the remotes and options among our examples."""
    return layer("lirc", [*_LIRC_PACKAGES, *_contents(_LIRC_EXAMPLES, "*")], _add_lirc)


def udev() -> Path:
    """Debian's udev and its rules, with ours."""
    return layer("udev", [*_UDEV_PACKAGES, *_contents(_RULES, "*.rules")], _add_udev)


def layer(name: str, key: Sequence[str | bytes], add: Callable[[Path], None]) -> Path:
    """The archive of what add puts into an empty folder."""
    build = functools.partial(_build_layer, name=name, add=add)
    return cache.entry(f"initramfs-{name}", [*key, Path(__file__).read_bytes()],
                       build) / "initramfs.gz"


def _build_layer(folder: Path, name: str, add: Callable[[Path], None]) -> None:
    with host.step(f"packing {name} for the board"):
        stage = folder / "stage"
        stage.mkdir()
        add(stage)
        (folder / "initramfs.gz").write_bytes(_pack(stage))
        shutil.rmtree(stage)


def _add_python(stage: Path) -> None:
    """Python, and our tools that it runs."""
    packages = debian.unpack(*(f"{name}:arm64" for name in _PYTHON_PACKAGES))
    programs = stage / "usr/bin"
    programs.mkdir(parents=True)
    shutil.copy2(packages / "usr/bin" / _PYTHON, programs)
    (programs / "python3").symlink_to(_PYTHON)
    for tool in _TOOLS:
        shutil.copy2(tool, programs)
    _add_libraries(packages / "lib" / _LAYERS_LIBRARIES, stage / "lib" / _LAYERS_LIBRARIES)
    _add_python_library(packages / "usr/lib" / _PYTHON, stage / "usr/lib" / _PYTHON)


def _add_python_library(source: Path, target: Path) -> None:
    """Python's own modules, compiled: the guest would take seconds for it in each boot."""
    shutil.copytree(source, target, symlinks=True,
                    ignore=shutil.ignore_patterns(*_PYTHON_LEFT_OUT))
    host.run([f"/usr/bin/{_PYTHON}", "-m", "compileall", "-q", "--invalidation-mode",
              "unchecked-hash", "-s", target, "-p", f"/usr/lib/{_PYTHON}", target])


def _add_lirc(stage: Path) -> None:
    """lircd where Debian has it, set up as the README says."""
    packages = debian.unpack(*(f"{name}:arm64" for name in _LIRC_PACKAGES))
    for name in _LIRC_FILES:
        _write(stage / name, (packages / name).read_bytes(), (packages / name).stat().st_mode)
    _add_all_libraries(packages, stage, _LAYERS_LIBRARIES)
    shutil.copy2(_LIRC_EXAMPLES / "lirc_options.conf", stage / "etc/lirc")
    for remote in _LIRC_EXAMPLES.glob("*.lircd.conf"):
        shutil.copy2(remote, stage / "etc/lirc/lircd.conf.d")
    (stage / "run/lirc").mkdir(parents=True)
    (stage / "var").mkdir()
    (stage / "var/run").symlink_to("/run")


def _add_udev(stage: Path) -> None:
    """udevd with all its rules, as it is on a system."""
    packages = debian.unpack(*(f"{name}:arm64" for name in _UDEV_PACKAGES))
    _write(stage / "bin/udevadm", (packages / "bin/udevadm").read_bytes(), 0o755)
    (stage / "bin/systemd-udevd").symlink_to("udevadm")
    _add_all_libraries(packages, stage, _LAYERS_LIBRARIES)
    shutil.copytree(packages / "lib/udev/rules.d", stage / "lib/udev/rules.d")
    for rules in _RULES.glob("*.rules"):
        shutil.copy2(rules, stage / "lib/udev/rules.d")
    (stage / "etc/udev/rules.d").mkdir(parents=True)
    (stage / "run").mkdir()
    groups = "".join(f"{name}:x:{number}:\n" for name, number in _UDEV_GROUPS.items())
    _write(stage / "etc/group", groups.encode())


# --- kernel modules ---

def _add_modules(stage: Path, kernel: debian.Kernel, stock: Sequence[str],
                 ours: Sequence[Path]) -> None:
    """The stock modules that are needed, decompressed, and ours in updates/."""
    root = stage / "lib/modules" / kernel.release
    mine = sorted(module for folder in ours for module in folder.glob("*.ko"))
    for module in mine:
        _write(root / "updates" / module.name, module.read_bytes())
    have = {_plain(module.stem) for module in mine}
    wanted = [*stock, *(name for module in mine for name in _needs(module.read_bytes()))]
    for path, data in _closure(kernel, wanted, have):
        _write(root / path, data)
    for name in ("modules.order", "modules.builtin", "modules.builtin.modinfo"):
        shutil.copy2(kernel.modules / name, root / name)
    host.run(["/sbin/depmod", "-b", stage, kernel.release])


def _closure(kernel: debian.Kernel, wanted: Sequence[str],
             have: set[str]) -> Iterator[tuple[Path, bytes]]:
    """The stock modules wanted and all that they need, as (path, content)."""
    stock = {_plain(path.name.split(".")[0]): path for path in kernel.modules.rglob("*.ko*")}
    queue = [_plain(name) for name in wanted]
    builtin = _builtin(kernel)
    while queue:
        name = queue.pop()
        if name in have or name in builtin:
            continue
        have.add(name)
        if name not in stock:
            _excuse(name)
            continue
        data = _module(stock[name])
        queue += _needs(data)
        yield stock[name].relative_to(kernel.modules).with_name(f"{_name(stock[name])}.ko"), data


def _excuse(name: str) -> None:
    """Some kernels lack a decoder; anything else that is missing is an error."""
    if name not in {_plain(optional) for optional in _OPTIONAL}:
        raise host.LabError(f"the kernel has no module {name}, which the board needs")


def _builtin(kernel: debian.Kernel) -> set[str]:
    """Modules that this kernel carries built in."""
    lines = (kernel.modules / "modules.builtin").read_text(encoding="ascii").split()
    return {_plain(Path(line).stem) for line in lines}


def _name(path: Path) -> str:
    return path.name.split(".")[0]


def _plain(name: str) -> str:
    """Module names with - and _ are the same."""
    return name.replace("-", "_")


def _module(path: Path) -> bytes:
    """A module's ELF file, whether it is packed or not."""
    data = path.read_bytes()
    return lzma.decompress(data) if path.suffix == ".xz" else data


def _needs(elf: bytes) -> list[str]:
    """The modules that a module says it depends on."""
    match = re.search(rb"\0depends=([^\0]*)\0", elf)
    return [_plain(name) for name in match[1].decode().split(",") if name] if match else []


def _write(path: Path, data: bytes, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(mode)


# --- what differs from boot to boot ---

def initramfs(layers: Sequence[Path], jobs: Sequence[Job], stage: Path) -> bytes:
    """The initramfs for a boot that runs these jobs: the kernel unpacks archives in a row."""
    (stage / "scenarios").mkdir(parents=True)
    for number, job in enumerate(jobs):
        folder = stage / "scenarios" / f"{number:03}"
        _write(folder / "run", job.run.encode())
        _write(folder / "load", f"{' '.join(job.modules)}\n".encode())
        _write(folder / "unload", f"{' '.join(reversed(job.modules))}\n".encode())
        _write(folder / "timeout_s", f"{job.timeout_s}\n".encode())
    return b"".join(layer.read_bytes() for layer in layers) + _pack(stage)


def stock_tree(name: str) -> Path:
    """The tree of a Raspberry Pi as Debian's kernel has it."""
    tree = debian.kernel(_DTB_KERNEL, "arm64").dtbs / "broadcom" / f"{name}.dtb"
    return tree if tree.exists() else dtc.arm() / tree.name


def acpi_tables(names: Sequence[str], folder: Path) -> list[Path]:
    """Tables that add devices to a machine which the kernel knows from ACPI."""
    for name in names:
        host.run(["iasl", "-p", folder / name, _ACPI / f"{name}.asl"])
    return [folder / f"{name}.aml" for name in names]


def device_tree(base_tree: Path, overlays: Sequence[str], folder: Path) -> Path:
    """A tree with these overlays."""
    compiled = [_compile_overlay(name, folder) for name in overlays]
    tree = folder / "board.dtb"
    host.run(["fdtoverlay", "-i", base_tree, "-o", tree, *compiled])
    return tree


def _overlay_source(name: str) -> Path:
    """Where an overlay's source lies."""
    candidates = [folder / f"{name}.dts" for folder in (_OVERLAYS, _LAB_DTS)]
    for path in candidates:
        if path.is_file():
            return path
    raise host.LabError(f"no overlay {name!r}; there must be "
                        + " or ".join(str(path) for path in candidates))


def _compile_overlay(line: str, folder: Path) -> Path:
    """An overlay with its parameters, as config.txt has them ("irtx-pwm,gpio_pin=13")."""
    name, *parameters = line.split(",")
    compiled = folder / f"{name}.dtbo"
    host.run(["dtc", "-@", "-I", "dts", "-O", "dtb", "-o", compiled, _overlay_source(name)])
    if parameters:
        overrides.set_parameters(compiled, parameters)
    return compiled


# --- cpio archives ---

def _pack(stage: Path) -> bytes:
    """A folder as a compressed archive that depends on nothing but names, modes and contents."""
    archive = io.BytesIO()
    paths = sorted(stage.rglob("*"))
    for number, path in enumerate(paths, start=1):
        archive.write(_record(number, path.relative_to(stage).as_posix(), path.lstat().st_mode,
                              _payload(path)))
    archive.write(_record(0, "TRAILER!!!", 0, b""))
    return gzip.compress(archive.getvalue(), compresslevel=1, mtime=0)


def _payload(path: Path) -> bytes:
    """What an archive holds for a path."""
    if path.is_symlink():
        return os.readlink(path).encode()
    return b"" if path.is_dir() else path.read_bytes()


def _record(number: int, name: str, mode: int, data: bytes) -> bytes:
    """One file in the "newc" format: thirteen numbers, its name and its content, each padded."""
    mode = stat.S_IFMT(mode) | (0o755 if mode & 0o111 else 0o644)
    numbers = [number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
    header = b"070701" + b"".join(b"%08X" % value for value in numbers) + name.encode() + b"\0"
    return _padded(header) + _padded(data)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
