# SPDX-License-Identifier: GPL-2.0-only
"""How exact a carrier made by software is: our gpio-ir-tx and mainline's send the same signal with
several carriers, and the oscilloscope's edges are compared with what was asked for.

A half cycle is off by its distance from its place after the first light of its own pulse; an
envelope by how much the light of a pulse, and the dark rest of its last cycle, is longer or shorter
than asked."""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench import mainline
from tests.lab import carrier, host, scenario, scope, session

_CARRIERS_HZ = (30000, 36000, 38000, 40000, 56000, 455000)
_LENGTHS_US = (1000, 900, 560, 1690, 123, 700, 417, 600, 1001)
_MARK = 1000
_PIN = 18
_RUN = """
printf 'pulse %u\\nspace %u\\n' {lengths} {rest} > /tmp/signal.ir
number={before}
for hz in {carriers}; do
    ir-ctl -d $TX -c $hz --send /tmp/signal.ir   # what learns may learn from it
    number=$((number + 1))
    mark $number
    ir-ctl -d $TX -c $hz --send /tmp/signal.ir
done
"""


@dataclass(frozen=True)
class Figures:
    """What became of one carrier."""

    hz: float
    half_cycles_ns: tuple[float, ...]
    envelope_cycles: float

    def __str__(self) -> str:
        return (f"{self.hz:.1f} Hz | {statistics.fmean(self.half_cycles_ns):.0f} ns "
                f"| {max(self.half_cycles_ns):.0f} ns | {self.envelope_cycles:.2f} cycles")


def main() -> int:
    """Measure both drivers and print a table."""
    parser = argparse.ArgumentParser(prog="python3 -m tests.bench.carriers", description=__doc__)
    parser.parse_args()
    print("| driver | asked | mean frequency | half cycles off, mean | worst "
          "| envelope off, worst |\n|---|---|---|---|---|---|")
    mainlines = mainline.sources("6.12", "gpio-ir-tx")
    for name, drivers in (("ours", host.TREE), ("mainline's", mainlines)):
        for hz, figures in zip(_CARRIERS_HZ, _measure(drivers)):
            print(f"| {name} | {hz} Hz | {figures} |", flush=True)
    return 0


def _measure(drivers: Path) -> Iterator[Figures]:
    """Send with one driver."""
    run = _RUN.format(lengths=" ".join(map(str, _LENGTHS_US)), rest=1000, before=_MARK,
                      carriers=" ".join(map(str, _CARRIERS_HZ)))
    entry = scenario.Scenario(path=Path("carriers"), title="carriers", run=run,
                              modules=["gpio-ir-tx"], overlays=["gpio-ir-tx"], drivers=drivers)
    seen, = session.run(entry.board, [entry], session.new_logs())
    if seen.died or seen.exit:
        raise host.LabError(f"the board ended with {seen.died or seen.exit}:\n{seen.output}")
    for number, hz in enumerate(_CARRIERS_HZ, start=_MARK + 1):
        edges = seen.during.between(number, number + 1).edges(_PIN)
        yield _figures(carrier.Wave(hz, 50), edges[:_signal_size(edges)])


def _signal_size(edges: Sequence[scope.Edge]) -> int:
    """How many of the edges are the first signal's: what follows is the next carrier's first."""
    limit_ns = edges[0].ns + 1000 * (sum(_LENGTHS_US) + 1000)
    return sum(edge.ns < limit_ns for edge in edges)


def _figures(wave: carrier.Wave, edges: Sequence[scope.Edge]) -> Figures:
    """Compare one signal with the model."""
    asked = carrier.pulses(_LENGTHS_US, wave)
    seen = carrier.bursts(edges, carrier.pause_ns([_LENGTHS_US], wave.hz))
    pairs = list(zip(asked, seen, strict=True))
    return Figures(
        statistics.fmean(hz for burst in seen if (hz := carrier.burst_hz(burst))),
        tuple(abs(float(wanted - pulse.edges_ns[0]) - (edge.ns - burst[0].ns))
              for pulse, burst in pairs for wanted, edge in zip(pulse.edges_ns, burst)),
        max(abs(float((len(burst) // 2 * wave.period_ns - pulse.length_ns) / wave.period_ns))
            for pulse, burst in pairs))


if __name__ == "__main__":
    sys.exit(host.call(main))
