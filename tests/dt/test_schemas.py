# SPDX-License-Identifier: GPL-2.0-only
"""The schemas are sound, their examples obey them, and nodes that do not are reported."""

from __future__ import annotations

import re
import shutil

import pytest

from tests.dt import boards, schema
from tests.lab import dtc

_NAMES = [path.name for path in sorted(schema.SCHEMAS.glob("*.yaml"))]
_PWM = 'compatible = "pwm-ir-tx"; pwms = <&pwm 0 26316 0>;'
_TWO_PWMS = 'compatible = "pwm-ir-tx"; pwms = <&pwm 0 26316 0>, <&pwm 1 26316 0>;'
_GPIO = 'compatible = "gpio-ir-tx"; gpios = <&gpio 18 0>;'
_33_LINES = ", ".join(["<&gpio 18 0>"] * 33)
_32_PWMS = ", ".join(["<&pwm 0 26316 0>"] * 32)
_32_NAMES = ", ".join(f'"emitter{number}"' for number in range(32))

# node, and what must be said of it
_FAULTS = {
    "33-lines": (f'compatible = "gpio-ir-tx"; gpios = {_33_LINES};', "gpios: .* is too long"),
    "33-fallback-lines": (_PWM + f"gpios = {_33_LINES};", "gpios: .* is too long"),
    "no-line": ('compatible = "gpio-ir-tx";', "'gpios' is a required property"),
    "no-pwm": ('compatible = "pwm-ir-tx"; gpios = <&gpio 18 0>;', "'pwms' is a required property"),
    "pwms-of-gpio": (_GPIO + "pwms = <&pwm 0 26316 0>;", "'pwms' does not match"),
    "pwms-without-names": (_TWO_PWMS, "'pwm-names' is a required property"),
    "same-names": (_TWO_PWMS + 'pwm-names = "left", "left";', "has non-unique elements"),
    "too-fast": (_PWM + "default-carrier-hz = <600000>;", "600000 is greater than .* 500000"),
    "too-fast-gpio": (_GPIO + "default-carrier-hz = <500001>;", "500001 is greater than .* 500000"),
    "two-carriers": (_GPIO + "default-carrier-hz = <36000 38000>;", "is too long"),
    "unknown": (_PWM + "carrier = <38000>;", "'carrier' does not match"),
    "unknown-gpio": (_GPIO + "active-low;", "'active-low' does not match"),
}
# mainline's nodes, and the limits of ours
_SOUND = {
    "mainline-pwm": 'compatible = "pwm-ir-tx"; pwms = <&pwm 0 100>;',
    "mainline-n900": 'compatible = "nokia,n900-ir"; pwms = <&pwm 0 26316 0>;',
    "mainline-gpio": 'compatible = "gpio-ir-tx"; gpios = <&gpio 18 1>;',
    "most-pwms": f'compatible = "pwm-ir-tx"; pwms = {_32_PWMS}; pwm-names = {_32_NAMES};',
    "named-alone": _PWM + 'pwm-names = "only";',
    "fastest": _GPIO + "default-carrier-hz = <500000>;",
    "unmodulated": _PWM + "gpios = <&gpio 23 0>; default-carrier-hz = <0>;",
}


@pytest.fixture(scope="module", name="verdict")
def judge_all(tmp_path_factory):
    """What is said of one board with all these nodes."""
    folder = tmp_path_factory.mktemp("trees")
    nodes = {**{name: text for name, (text, _) in _FAULTS.items()}, **_SOUND}
    body = "\n".join(f"planted-{name} {{ {text} }};" for name, text in nodes.items())
    source = folder / "planted.dts"
    source.write_text(f"/dts-v1/;\n/plugin/;\n&{{/}} {{\n{body}\n}};\n", encoding="ascii")
    overlay = dtc.compile_source(source, folder / "planted.dtbo")
    boards.apply(overlay, boards.trees()["bcm2837-rpi-3-b"], folder / "planted.dtb")
    return schema.check_trees(folder)


def content(complaints: str) -> None:
    """Fail with the complaints alone."""
    if complaints:
        pytest.fail(complaints, pytrace=False)


def test_documents():
    """By the rules for schemas."""
    content(schema.check_documents())


def test_documents_awake(tmp_path):
    """A word that schemas do not have is reported."""
    copy = shutil.copytree(schema.SCHEMAS, tmp_path / "dt-bindings")
    path = copy / _NAMES[0]
    path.write_text(path.read_text(encoding="utf-8").replace("maxItems", "most"), encoding="utf-8")
    assert "'most' was unexpected" in schema.check_documents(copy)


@pytest.mark.parametrize("name", _NAMES)
def test_examples(name, tmp_path):
    """Each compiles, and obeys its own schema; spoilt, it does not."""
    source = tmp_path / "example.dts"
    text = schema.examples(name)
    nodes = re.findall(r'compatible = "\w+-ir-tx";', text)
    for spoilt in ("", " unheard-of;"):
        source.write_text(text.replace(nodes[0], nodes[0] + spoilt), encoding="utf-8")
        dtc.compile_source(source, tmp_path / "example.dtb")
        complaints = schema.check_trees(tmp_path)
        assert complaints.count("'unheard-of'") == (len(nodes) if spoilt else 0)


@pytest.mark.parametrize("name", _FAULTS)
def test_faults(name, verdict):
    """A faulty node is reported, and for its fault."""
    assert re.search(rf"planted-{name} .*{_FAULTS[name][1]}", verdict)


@pytest.mark.parametrize("name", _SOUND)
def test_sound(name, verdict):
    """A sound one is not."""
    assert f"planted-{name} " not in verdict
