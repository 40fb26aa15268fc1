# SPDX-License-Identifier: GPL-2.0-only
"""Which of this machine's apt sources are Debian's, and how other suites are reached by them, so
that the tree need not name any package host."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.lab import host

_KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_SECURITY = ("-security", "/updates")
_POCKETS = ("", "-updates", "-backports", *_SECURITY)


@dataclasses.dataclass(frozen=True)
class Source:
    """One archive of Debian's, as this machine names it."""

    uri: str
    suite: str
    options: str = ""

    def line(self) -> str:
        """The source in apt's one-line format, bound to Debian's own keyring."""
        return f"deb [signed-by={_KEYRING} {self.options}] {self.uri} {self.suite} main"


@functools.cache
def listing(suite: str = "") -> str:
    """Debian's own suites among the sources of this machine, or a suite of another release from
    where those come from, in apt's one-line format."""
    own = list(machine_sources())
    chosen = other_suite(own, suite) if suite else own
    if not chosen:
        raise host.LabError("no Debian suite was found in /etc/apt/sources.list and "
                            "/etc/apt/sources.list.d/; the lab runs on Debian 12 and takes its "
                            "kernels from there")
    return "".join(sorted({source.line() + "\n" for source in chosen}))


def listings(suites: Sequence[str]) -> str:
    """Several suites of another release, in apt's one-line format."""
    return "".join(listing(suite) for suite in suites)


def other_suite(own: list[Source], suite: str) -> list[Source]:
    """@suite on the mirrors of @own sources; security updates have mirrors of their own."""
    wanted = suite.endswith(_SECURITY)
    return [dataclasses.replace(source, suite=suite) for source in own
            if source.suite.endswith(_SECURITY) == wanted]


def machine_sources() -> Iterator[Source]:
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
