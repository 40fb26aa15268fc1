# SPDX-License-Identifier: GPL-2.0-only
"""One cell of the comparison: a sender beside a load, in one boot of the board. What the board
leaves behind is kept in the cache by the content of all that it depends on."""

from __future__ import annotations

import functools
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.bench import loads, tools
from tests.bench.senders import SENDERS, Sender
from tests.lab import cache, debian, host, irfile, modules, scenario, scope, session
from tests.lab.qemu import Machine

BEGIN, END, LIGHT, VICTIMS = 1000, 1001, 1002, 1003  # marks
_SEED = 1
_MIX = [  # a round of signals, and what a decoder must make of each
    ("nec", ("nec:0x408", "nec:0x408")),
    ("rc5", ("rc5:0x510",)),
    ("rc6", ("rc6_0:0x40c",)),
    ("sony12", ("sony12:0x10015",) * 3),
    ("rcmm24", ("rc-mm-24:0x2c0a51",)),
    ("nec", ("nec:0x408", "nec:0x408")),
    ("mce-keyboard", ("mcir2-kbd:0x400",)),
    ("rc5", ("rc5:0x510",)),
    ("rc6", ("rc6_0:0x40c",)),
    ("rcmm32", ("rc-mm-32:0x2c0a5178",)),
]
EXAMPLES = [host.TREE / "examples" / f"{name}.ir" for name, _ in _MIX]
SCANCODES = [codes for _, codes in _MIX]
WAVE_SIGNAL = 4  # of the round: the fastest
WAVE_EXAMPLE = EXAMPLES[WAVE_SIGNAL]
_ROUNDS, _TARGET_ROUNDS = 2, 10  # of the mix
# signals of 1023 edges: a whole window of the margin where CPU time is compared and the margin can
# become small; beside all loads it cannot
_SETTLING = {"none": 9, "tasks": 9, "steady": 2, "all": 2}
_TIMEOUT_S = 120
_INSTRUMENT = "1"  # of the board plugin as it measures; what else changes there moves no edge

_RUN = """
{settings}
send() {{
    i=0
    while [ $i -lt $1 ]; do
        {round}
        i=$((i + 1))
    done
}}
settle() {{
    i=0
    while [ $i -lt 1023 ]; do
        [ $((i % 2)) = 0 ] && echo pulse 180 || echo space 180
        i=$((i + 1))
    done > /tmp/settle.ir
    for i in $(seq $1); do
        ir-ctl -d $TX --send /tmp/settle.ir
    done
}}
meter() {{
    [ -z "${{counting:-}}" ] || kill -USR1 $counting
    sleep 0.02
    echo "@at $1 $(cut -d' ' -f1 /proc/uptime) $(grep -E '^(intr|ctxt)' /proc/stat |
        cut -d' ' -f2 | tr '\\n' ' ')"
}}
{memory}
{load}{settle}
send 1
meter before
sleep 0.3
meter begin
mark {begin}
send {rounds}
mark {end}
meter end
{light}
grep -s . /sys/module/irqoff_load/parameters/* /sys/module/irq_storm/parameters/count |
    sed 's,/sys/module/\\(.*\\)/parameters/\\(.*\\):,@load \\1 \\2 ,' || true
devmem {storm:#x} 32 0
{listen}
devmem {storm:#x} 32 {probe_per_s}
mark {victims}
cyclictest -q -p 80 -i 1000 -t 1 > /tmp/rt &
rt=$!
sleep 0.05
send 1
kill -INT $rt
wait $rt || true
sed 's/^/@rt /' /tmp/rt
{end_load}"""

_MEMORY = """
free_kb() {{ sed -n 's/^MemFree: *\\([0-9]*\\) kB/\\1/p' /proc/meminfo; }}
module={module}
sleep 0.2
rmmod $module irtx-core 2>/dev/null || true
sleep 0.2
before_kb=$(free_kb)
modprobe $module
TX=$(lirc $module)
sleep 0.2
echo "@memory $((before_kb - $(free_kb)))"
{settings}
"""


class CellError(Exception):
    """A cell's run did not go through; the text says which, and what it said."""


@dataclass(frozen=True)
class Cell:
    """A sender beside a load."""

    sender: Sender
    load: str

    @property
    def name(self) -> str:
        """What it is called everywhere."""
        return f"{self.sender.name}/{self.load}"

    @property
    def asked(self) -> list[irfile.Signal]:
        """The signals that are sent, in order."""
        return [irfile.read(path) for path in EXAMPLES] * self._rounds

    @property
    def _rounds(self) -> int:
        return _TARGET_ROUNDS if self.load == "all" and self.sender.is_target else _ROUNDS

    def run(self, stop: threading.Event | None = None) -> Run:
        """What the board left behind, from the cache if it ever ran; stop ends it."""
        folder = cache.entry("bench", self._key(), functools.partial(self._boot, stop=stop))
        return Run(self, (folder / "output").read_text(encoding="utf-8"),
                   scope.read(folder / "edges"))

    def is_kept(self) -> bool:
        """Whether it need not run."""
        return cache.has("bench", self._key())

    def scenario(self) -> scenario.Scenario:
        """The scenario that measures it."""
        sender = self.sender
        return scenario.Scenario(
            path=Path(f"{self.name}.bench"), title=f"{sender.title}, {self.load}",
            run=self._script(), modules=[sender.module] if sender.module else [],
            overlays=[sender.overlay, loads.OVERLAY], drivers=sender.sources(),
            layers=(tools.tools(sender.kernel),), timeout_s=_TIMEOUT_S,
            boot=Machine(kernel=sender.kernel, seed=_SEED, card=True))

    def _script(self) -> str:
        sender = self.sender
        settings = "\n".join(f"echo {value} > /sys/class/rc/rc0/device/{name}"
                             for name, value in sender.settings)
        sends = " ".join(f"--send /examples/{path.name}" for path in EXAMPLES)
        lengths = " ".join(map(str, irfile.read(WAVE_EXAMPLE).lengths_us))
        return _RUN.format(
            settings=settings, load=loads.begin(self.load, _SEED),
            round=f"ir-ctl -d $TX --gap=5000 {sends}" if sender.module else "sleep 0.5",
            settle=f"settle {_SETTLING[self.load]}" if sender.settles and self.load in _SETTLING
            else "",
            memory=_MEMORY.format(module=sender.module, settings=settings)
            if sender.module and self.load == "none" else "",
            light=f"{tools.PROGRAM} send $TX {LIGHT} 5 {lengths}" if sender.module else "",
            listen="" if "irqs" in loads.parts(self.load)
            else f"{tools.PROGRAM} edges {loads.STORM_PIN} &\nsleep 0.02",
            begin=BEGIN, end=END, victims=VICTIMS, rounds=self._rounds, storm=loads.STORM,
            probe_per_s=loads.STORM_EDGES_PER_S, end_load=loads.END)

    def _key(self) -> Iterator[str | bytes]:
        """All that the figures depend on. Not the whole initramfs: what else lies there changes
        often, and no edge by more than some ns."""
        sender = self.sender
        yield from (self._script(), sender.kernel, debian.kernel(sender.kernel, "arm64").release,
                    sender.module, sender.overlay, _INSTRUMENT)
        folders = [(sender.sources(), (modules.DRIVERS,))] if sender.module else []
        for tree, dirs in [*folders, (host.TREE / "tests", ("lab/load",))]:
            for path in filter(_is_code, modules.find_sources(tree, dirs)):
                yield from (str(path.relative_to(tree)), path.read_bytes())
        for path in [*EXAMPLES, *tools.SOURCES,
                     host.TREE / "dt-bindings/overlays" / f"{sender.overlay}.dts"]:
            yield from (path.name, path.read_bytes())

    def _boot(self, folder: Path, stop: threading.Event | None) -> None:
        """Its logs lie with it: a boot may take long, and of other runs' logs the last stay."""
        entry = self.scenario()
        seen, = session.run(entry.board, [entry], folder / "logs", stop)
        if seen.died or seen.exit:
            raise CellError(f"{self.name} ended with {seen.died or seen.exit}:\n"
                            f"{host.tail(seen.output)}")
        (folder / "output").write_text(seen.output, encoding="utf-8")
        (seen.logs / "edges.log").rename(folder / "edges")
        shutil.rmtree(folder / "logs")


def _is_code(path: Path) -> bool:
    """Whether a source is compiled; lists of objects move no edge."""
    return path.suffix in {".c", ".h"}


def find(name: str) -> Cell:
    """The cell of a name."""
    sender_name, _, load = name.partition("/")
    return Cell(next(sender for sender in SENDERS if sender.name == sender_name), load)


@dataclass(frozen=True)
class Run:
    """What a cell's boot left behind."""

    cell: Cell
    output: str
    trace: scope.Trace
