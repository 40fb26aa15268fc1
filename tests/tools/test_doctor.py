# SPDX-License-Identifier: GPL-2.0-only
"""irtx-doctor on machines that the lab cannot be: each is a tree of files as the kernel shows them,
sound at first, in which one thing is broken. tests/e2e/doctor-*.toml break real ones."""

from __future__ import annotations

import ast
import json
import lzma
import os
import shutil
import struct
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.lab import host
from tests.lint import linters
from tests.tools import programs, test_documents

DOCTOR = host.TREE / "scripts/irtx-doctor"
RELEASE = "6.12.1-v8"
VIDEO = 44
SIGNED = b"ELF~Module signature appended~\n"
BCM, RP1 = "brcm,bcm2835-pwm", "raspberrypi,rp1-pwm"
ALT5, ALT0 = 2, 4

module = programs.load(DOCTOR)


def cells(*numbers: int) -> bytes:
    """A property of numbers."""
    return struct.pack(f">{len(numbers)}I", *numbers)


class Machine:
    """A machine's files, and how to break them."""

    def __init__(self, root: Path, release: str = RELEASE) -> None:
        self.root = root
        self.release = release
        self.user = module.User("pi", 4242, frozenset({VIDEO}))

    def write(self, name: str, content: str | bytes = b"") -> None:
        """Write a file."""
        path = self.root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    def link(self, name: str, target: str) -> None:
        """Let a link lead to another file of this machine."""
        path = self.root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.symlink_to(self.root / target.lstrip("/"))

    def remove(self, name: str) -> None:
        """Take a file or a folder away."""
        path = self.root / name.lstrip("/")
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()

    def node(self, path: str, device: str = "", **properties: bytes) -> None:
        """A node of the device tree, and the device that the kernel made of it."""
        for name, value in properties.items():
            self.write(f"{module.TREE}/{path}/{name.replace('__', ',').replace('_', '-')}", value)
        if device:
            self.link(f"{module.PLATFORM}/{device}/of_node", f"{module.TREE}/{path}")

    def lirc(self, node: str, mode: int = 0o660) -> None:
        """A lirc device's file."""
        self.write(f"/dev/{node}")
        (self.root / "dev" / node).chmod(mode)
        if os.geteuid() == 0:
            os.chown(self.root / "dev" / node, 0, VIDEO)
        else:  # only root gives a file to another group
            self.user = module.User(self.user.name, 4242, frozenset({os.getegid()}))

    @property
    def system(self):
        """The machine as the doctor takes it."""
        return module.System(self.root, self.release, self.user)

    def findings(self) -> dict[str, object]:
        """The chain, by the links' names; of several transmitters the last."""
        return {finding.link: finding for finding in module.examine(self.system)}


def install(machine: Machine) -> None:
    """Modules of ours, installed and loaded."""
    folder = f"/lib/modules/{machine.release}"
    for name in ("irtx-core", "pwm-ir-tx", "gpio-ir-tx"):
        machine.write(f"{folder}/updates/{name}.ko", b"ELF")
    machine.write(f"{folder}/modules.dep",
                  "updates/irtx-core.ko: kernel/rc-core.ko.xz\n"
                  "updates/pwm-ir-tx.ko: updates/irtx-core.ko kernel/rc-core.ko.xz\n"
                  "updates/gpio-ir-tx.ko: updates/irtx-core.ko kernel/rc-core.ko.xz\n")
    machine.write(f"{folder}/build/Makefile")
    for name in ("pwm_ir_tx", "gpio_ir_tx"):
        machine.write(f"/sys/module/{name}/initstate")
        machine.write(f"/sys/module/irtx_core/holders/{name}/initstate")


def bind(machine: Machine, device: str) -> None:
    """A transmitter that its driver serves."""
    folder = f"{module.PLATFORM}/{device}"
    machine.write(f"{folder}/driver/module")
    machine.write(f"{folder}/rc/rc0/uevent")
    machine.write(f"{folder}/tx_mode", "default\n")
    machine.write(f"{folder}/tx_mode_active", "busy\n")
    machine.write("/sys/class/rc/rc0/uevent", "DRV_NAME=pwm-ir-tx\n")
    machine.write("/sys/class/rc/rc0/lirc0/dev")
    machine.lirc("lirc0")
    machine.link("/dev/lirc-tx", "/dev/lirc0")


def muxed(machine: Machine, pinctrl: str, pins: Mapping[int, str]) -> None:
    """What the pin controller tells."""
    lines = [f"pin {pin} (gpio{pin}): {pins.get(pin, '(MUX UNCLAIMED) (GPIO UNCLAIMED)')}"
             for pin in range(54)]
    machine.write(f"{module.DEBUGFS}/pinctrl/{pinctrl}/pinmux-pins",
                  "\n".join(["Pinmux settings per pin", *lines, ""]))


def pwm_pi(root: Path, pin: int = 18, function: int = ALT5, channel: int = 0,
           release: str = RELEASE) -> Machine:
    """A Raspberry Pi 3 with an overlay of these."""
    machine = Machine(root, release)
    machine.node("", compatible=b"raspberrypi,3-model-b\0brcm,bcm2837\0",
                 model=b"Raspberry Pi 3 Model B\0")
    machine.node("soc/pwm@1", "3f20c000.pwm", compatible=BCM.encode() + b"\0", phandle=cells(1),
                 pinctrl_0=cells(2), **{"#pwm_cells": cells(3)})
    machine.node("soc/gpio@2/pins", phandle=cells(2), brcm__pins=cells(pin),
                 brcm__function=cells(function))
    machine.node("pwm-ir-transmitter", "pwm-ir-transmitter", compatible=b"pwm-ir-tx\0",
                 pwms=cells(1, channel, 26316, 0))
    machine.write(f"{module.PLATFORM}/3f20c000.pwm/driver/module")
    name = module._BCM_FUNCTIONS[function]  # pylint: disable=protected-access
    muxed(machine, "3f200000.gpio-pinctrl-bcm2835",
          {pin: f"3f20c000.pwm (GPIO UNCLAIMED) function {name} group gpio{pin}"})
    install(machine)
    bind(machine, "pwm-ir-transmitter")
    return machine


def pi_5(root: Path, pin: int, channel: int) -> Machine:
    """A Raspberry Pi 5, whose pins belong to the RP1."""
    machine = Machine(root)
    machine.node("", compatible=b"raspberrypi,5-model-b\0brcm,bcm2712\0",
                 model=b"Raspberry Pi 5 Model B\0")
    machine.node("rp1/pwm@1", "1f00098000.pwm", compatible=RP1.encode() + b"\0", phandle=cells(1),
                 pinctrl_0=cells(2), **{"#pwm_cells": cells(3)})
    machine.node("rp1/gpio@2/pins", phandle=cells(2), pins=f"gpio{pin}\0".encode(),
                 function=b"pwm0\0")
    machine.node("pwm-ir-transmitter", "pwm-ir-transmitter", compatible=b"pwm-ir-tx\0",
                 pwms=cells(1, channel, 26316, 0))
    muxed(machine, "107d504100.pinctrl-pinctrl-bcm2712", {})
    muxed(machine, "1f000d0000.gpio-pinctrl-rp1",
          {pin: f"1f00098000.pwm (GPIO UNCLAIMED) function pwm0 group gpio{pin}"})
    install(machine)
    bind(machine, "pwm-ir-transmitter")
    return machine


def gpio_pi(root: Path, mux: str = "(MUX UNCLAIMED) pinctrl-bcm2835:529") -> Machine:
    """A Raspberry Pi whose transmitter is GPIO17."""
    machine = pwm_pi(root)
    machine.remove(f"{module.TREE}/pwm-ir-transmitter")
    machine.remove(f"{module.PLATFORM}/pwm-ir-transmitter")
    machine.node("soc/gpio@2", "3f200000.gpio", phandle=cells(3), **{"#gpio_cells": cells(2)})
    machine.node("gpio-ir-transmitter", "gpio-ir-transmitter", compatible=b"gpio-ir-tx\0",
                 gpios=cells(3, 17, 0))
    muxed(machine, "3f200000.gpio-pinctrl-bcm2835", {17: mux})
    bind(machine, "gpio-ir-transmitter")
    return machine


def desktop(root: Path) -> Machine:
    """A machine that has nothing of all this."""
    machine = Machine(root)
    machine.write(f"/lib/modules/{RELEASE}/modules.dep", "kernel/e1000.ko:\n")
    machine.write(f"{module.PLATFORM}/serial8250/modalias", "platform:serial8250\n")
    return machine


def expect(machine: Machine, link: str, state: str, *texts: str) -> None:
    """A link is in a state, and says so; one that is broken is the first, and has a cure."""
    finding = machine.findings()[link]
    assert finding.state == state, finding
    said = f"{finding.text}. {finding.cure}"
    assert all(text in said for text in texts), said
    if state in (module.BROKEN, module.WEAK):
        assert finding.cure
    if state == module.BROKEN:
        assert module.first(module.examine(machine.system), module.BROKEN).link == link


# --- sound ---

@pytest.mark.parametrize("build", [pwm_pi, gpio_pi, lambda root: pi_5(root, 18, 2)],
                         ids=["Pi 3", "Pi 3, a GPIO", "Pi 5"])
def test_nothing_is_found_on_a_sound_machine(tmp_path, capsys, build):
    """Every link holds."""
    machine = build(tmp_path)
    assert module.main([], machine.system) == 0
    assert {finding.state for finding in machine.findings().values()} == {module.OK}
    output = capsys.readouterr().out
    assert output.splitlines()[0].startswith(f"Linux {RELEASE}, Raspberry Pi ")
    assert output.endswith("\n\nNothing is broken.\n")


# --- pins and channels ---

@pytest.mark.parametrize("pin, function, channel", [
    (12, ALT0, 0), (13, ALT0, 1), (18, ALT5, 0), (19, ALT5, 1), (40, ALT0, 0), (41, ALT0, 1),
    (45, ALT0, 1), (52, 5, 0), (53, 5, 1)])
def test_pins_of_a_pi_0_to_4(tmp_path, pin, function, channel):
    """Each with its function and channel is right, and with the other channel dark."""
    machine = pwm_pi(tmp_path, pin, function, channel)
    expect(machine, "pin", module.OK, f"GPIO{pin}")
    expect(machine, "channel", module.OK, f"channel {channel} of pwm@1 leaves by GPIO{pin}")
    machine.node("pwm-ir-transmitter", pwms=cells(1, 1 - channel, 26316, 0))
    expect(machine, "channel", module.BROKEN, f"GPIO{pin} carries channel {channel}")


@pytest.mark.parametrize("pin, channel", [(12, 0), (13, 1), (18, 2), (19, 3)])
def test_pins_of_a_pi_5(tmp_path, pin, channel):
    """Each has a channel of its own, which the stock overlay does not know."""
    expect(pi_5(tmp_path / "right", pin, channel), "channel", module.OK)
    for wrong in {0, 1, 2, 3} - {channel}:
        machine = pi_5(tmp_path / str(wrong), pin, wrong)
        expect(machine, "channel", module.BROKEN, f"GPIO{pin} carries channel {channel}",
               f"GPIO{[12, 13, 18, 19][wrong]} for channel {wrong}")


@pytest.mark.parametrize("second, state", [(19, "ok"), (13, "ok"), (12, "broken")])
def test_two_emitters(tmp_path, second, state):
    """The second pin is muxed by the transmitter itself, and must have the other channel."""
    machine = pwm_pi(tmp_path)
    function = ALT5 if second == 19 else ALT0
    machine.node("soc/gpio@2/pins2", phandle=cells(4), brcm__pins=cells(second),
                 brcm__function=cells(function))
    machine.node("pwm-ir-transmitter", pinctrl_0=cells(4),
                 pwms=cells(1, 0, 26316, 0, 1, 1, 26316, 0))
    muxed(machine, "3f200000.gpio-pinctrl-bcm2835", {
        18: "3f20c000.pwm (GPIO UNCLAIMED) function alt5 group gpio18",
        second: "pwm-ir-transmitter (GPIO UNCLAIMED) function "
                f"{'alt5' if second == 19 else 'alt0'} group gpio{second}"})
    expect(machine, "pin", module.OK, f"GPIO18 and GPIO{second}")
    expect(machine, "channel", state)


@pytest.mark.parametrize("pin, function, text", [
    (18, ALT0, "GPIO18 has the function alt0, and is pwm@1's output with alt5 only"),
    (12, ALT5, "GPIO12 has the function alt5, and is pwm@1's output with alt0 only"),
    (17, ALT5, "GPIO17 cannot be a PWM's output"),
])
def test_a_pin_with_another_function(tmp_path, pin, function, text):
    """What the parameters gpio_pin and func of the stock overlay can make."""
    expect(pwm_pi(tmp_path, pin, function), "pin", module.BROKEN, text)


def test_no_pin(tmp_path):
    """A PWM that is enabled, and no pin with it."""
    machine = pwm_pi(tmp_path)
    machine.remove(f"{module.TREE}/soc/pwm@1/pinctrl-0")
    expect(machine, "pin", module.BROKEN, "no pin is muxed to pwm@1")


@pytest.mark.parametrize("mux, text", [
    ("fe203000.i2s (GPIO UNCLAIMED) function alt0 group gpio18", "fe203000.i2s holds it as alt0"),
    ("(MUX UNCLAIMED) (GPIO UNCLAIMED)", "nothing holds it")])
def test_a_pin_that_another_device_has_taken(tmp_path, mux, text):
    """The device tree asks, and the pin controller has not made it so."""
    machine = pwm_pi(tmp_path)
    muxed(machine, "3f200000.gpio-pinctrl-bcm2835", {18: mux})
    expect(machine, "pin", module.BROKEN, text)


def test_a_gpio_that_is_muxed_for_another_device(tmp_path):
    """As GPIO18 is with both overlays."""
    mux = "3f20c000.pwm pinctrl-bcm2835:529 function alt5 group gpio17"
    expect(gpio_pi(tmp_path, mux), "pin", module.BROKEN, "GPIO17 is muxed for 3f20c000.pwm as well")


def test_a_gpio_that_sends_in_place_of_a_pwm(tmp_path):
    """Where there is a choice the driver tells."""
    machine = pwm_pi(tmp_path, channel=1)
    machine.node("pwm-ir-transmitter", gpios=cells(3, 17, 0))
    machine.node("soc/gpio@2", "3f200000.gpio", phandle=cells(3), **{"#gpio_cells": cells(2)})
    folder = f"{module.DEBUGFS}/irtx/rc0"
    machine.write(f"{folder}/config", "# irtx config 1\nemitter PWM 3f20c000.pwm channel 1\n")
    expect(machine, "channel", module.BROKEN)
    machine.write(f"{folder}/config", "# irtx config 1\nemitter GPIO pinctrl-bcm2835 line 17\n")
    expect(machine, "channel", module.OK, "a GPIO sends")
    expect(machine, "pin", module.OK, "GPIO17")


def test_another_boards_pins_are_not_known(tmp_path):
    """And not called broken."""
    machine = pwm_pi(tmp_path)
    machine.node("soc/pwm@1", compatible=b"allwinner,sun8i-h3-pwm\0")
    expect(machine, "pin", module.UNKNOWN, "known for Raspberry Pi only")
    expect(machine, "channel", module.UNKNOWN, "known for Raspberry Pi only")


# --- modules ---

def take_mainlines(machine: Machine) -> None:
    """Let modprobe take mainline's module."""
    machine.write(f"/lib/modules/{machine.release}/modules.dep",
                  "kernel/drivers/media/rc/pwm-ir-tx.ko.xz: kernel/rc-core.ko.xz\n")


def test_modprobe_takes_mainlines(tmp_path):
    """Though ours is there."""
    machine = pwm_pi(tmp_path)
    take_mainlines(machine)
    expect(machine, "modules", module.BROKEN, "takes mainline's (kernel/drivers/media/rc/pwm-ir-tx",
           "depmod -a")


def test_only_mainlines_is_there(tmp_path):
    """And ours is for another kernel, as after an update without DKMS."""
    machine = pwm_pi(tmp_path)
    take_mainlines(machine)
    (tmp_path / f"lib/modules/{RELEASE}/updates").rename(tmp_path / "updates")
    (tmp_path / "lib/modules/6.6.1-v8").mkdir()
    (tmp_path / "updates").rename(tmp_path / "lib/modules/6.6.1-v8/updates")
    expect(machine, "modules", module.BROKEN, "only mainline's pwm-ir-tx is installed for this",
           "but for 6.6.1-v8", "Install irtx-dkms")


def test_the_running_kernel_is_gone(tmp_path):
    """As after an update without a reboot."""
    machine = pwm_pi(tmp_path)
    machine.remove(f"/lib/modules/{RELEASE}")
    expect(machine, "modules", module.BROKEN, f"there is no /lib/modules/{RELEASE}", "Reboot")


@pytest.mark.parametrize("release, harm", [
    ("6.1.0-57-arm64", "whose edges come late"), ("6.17.9", "whose edges come late"),
    ("6.18.0-rc1", "sends all edges at once"), ("7.3.4+deb13-arm64", "sends all edges at once")])
def test_mainlines_is_loaded(tmp_path, release, harm):
    """And what that means depends on the kernel."""
    machine = pwm_pi(tmp_path, release=release)
    machine.remove("/sys/module/irtx_core")
    machine.remove(f"{module.PLATFORM}/pwm-ir-transmitter/tx_mode_active")
    expect(machine, "ours", module.BROKEN, "is mainline's", harm, "sudo modprobe -r pwm-ir-tx && ")
    expect(machine, "mode", module.UNKNOWN)


# --- signatures ---

def unload(machine: Machine) -> None:
    """Let no module of ours be loaded."""
    for name in ("pwm_ir_tx", "gpio_ir_tx", "irtx_core"):
        machine.remove(f"/sys/module/{name}")


def insist(machine: Machine, how: str) -> None:
    """Let the kernel insist on signatures."""
    if how == "secure boot":
        machine.write(module.SECURE_BOOT, b"\6\0\0\0\1")
        machine.write("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n")
    elif how == "lockdown":
        machine.write("/sys/kernel/security/lockdown", "none integrity [confidentiality]\n")
    else:
        machine.write("/sys/module/module/parameters/sig_enforce", "Y\n")


@pytest.mark.parametrize("how, text", [
    ("secure boot", "locked down (integrity) (Secure Boot is on)"),
    ("lockdown", "locked down (confidentiality)"), ("sig_enforce", "insists on signatures")])
def test_modules_without_a_signature(tmp_path, how, text):
    """They are refused; those that are loaded were not."""
    machine = pwm_pi(tmp_path)
    insist(machine, how)
    expect(machine, "signature", module.OK, text)
    unload(machine)
    expect(machine, "signature", module.BROKEN, text, "is not signed", "secure-boot.md")


@pytest.mark.parametrize("ending, content, state", [
    ("", SIGNED, "not known"), (".xz", lzma.compress(SIGNED), "not known"),
    (".xz", lzma.compress(b"ELF"), "broken"), (".zst", b"\x28\xb5\x2f\xfd", "not known")])
def test_modules_with_a_signature(tmp_path, ending, content, state):
    """Whose key the firmware need not know."""
    machine = pwm_pi(tmp_path)
    insist(machine, "secure boot")
    unload(machine)
    folder = f"/lib/modules/{RELEASE}"
    machine.write(f"{folder}/updates/irtx-core.ko{ending}", content)
    machine.write(f"{folder}/modules.dep", f"updates/irtx-core.ko{ending}: kernel/rc-core.ko\n"
                  f"updates/pwm-ir-tx.ko: updates/irtx-core.ko{ending}\n")
    expect(machine, "signature", state)
    if state == module.UNKNOWN:
        expect(machine, "loaded", module.BROKEN, "sudo modprobe pwm-ir-tx")


@pytest.mark.parametrize("variable, lockdown", [(b"\6\0\0\0\0", "[none] integrity"),
                                                (b"\6\0\0\0\1", "[none] integrity"), (None, None)])
def test_a_kernel_that_does_not_insist(tmp_path, variable, lockdown):
    """Secure Boot alone means nothing where the kernel does not care."""
    machine = pwm_pi(tmp_path)
    unload(machine)
    if variable:
        machine.write(module.SECURE_BOOT, variable)
        machine.write("/sys/kernel/security/lockdown", lockdown)
    expect(machine, "signature", module.OK)


# --- what is described ---

def test_a_node_that_is_disabled(tmp_path):
    """It is there, and no device is made of it."""
    machine = pwm_pi(tmp_path)
    machine.node("pwm-ir-transmitter", status=b"disabled\0")
    expect(machine, "overlay", module.BROKEN, "its status is disabled")


@pytest.mark.parametrize("line, text", [
    ("dtoverlay=pwm-ir-tx", "asks for pwm-ir-tx, and there is no"),
    ("dtoverlay=gpio-ir-tx,gpio_pin=17", "asks for gpio-ir-tx, and there is no"),
    ("dtoverlay=irtx-pwm", "asks for irtx-pwm, and there is no"),
    ("device_tree_overlay = gpio-ir-tx:gpio_pin=17", "asks for gpio-ir-tx, and there is no"),
    ("dtoverlay=irtx-gpio-pi5,gpio_pin=4", "sudo irtx-overlay install irtx-gpio, and reboot"),
    ("#dtoverlay=pwm-ir-tx", "asks for none"), ("dtoverlay=pwm", "asks for none"),
    ("dtoverlay=gpio-ir,gpio_pin=17", "asks for none"), ("dtoverlay=pwm-2chan", "asks for none")])
def test_config_txt(tmp_path, line, text):
    """Overlays of other things are none of ours."""
    machine = pwm_pi(tmp_path)
    machine.remove(f"{module.TREE}/pwm-ir-transmitter")
    machine.write("/boot/config.txt", f"[all]\n{line}\n")
    expect(machine, "overlay", module.BROKEN, text)


def test_another_board_without_a_transmitter(tmp_path):
    """It has no config.txt."""
    machine = pwm_pi(tmp_path)
    machine.remove(f"{module.TREE}/pwm-ir-transmitter")
    machine.node("", compatible=b"xunlong,orangepi-one\0")
    expect(machine, "overlay", module.BROKEN, "generic-ir-tx.dts")


def test_acpi(tmp_path):
    """A machine without a device tree."""
    machine = desktop(tmp_path)
    install(machine)
    machine.write(f"{module.PLATFORM}/PRP0001:00/modalias", "of:NPRP0001TCpwm-ir-tx\n")
    bind(machine, "PRP0001:00")
    expect(machine, "overlay", module.OK, "PRP0001:00 (pwm-ir-tx)")
    expect(machine, "bound", module.OK, "PRP0001:00 as rc0")
    expect(machine, "pin", module.UNKNOWN)
    assert module.main([], machine.system) == 0


def test_a_machine_without_any_of_it(tmp_path, capsys):
    """It is told what is missing."""
    machine = desktop(tmp_path)
    assert module.main([], machine.system) == 1
    assert "First broken link: modules: gpio-ir-tx is not installed" in capsys.readouterr().out
    assert machine.findings()["overlay"].text.startswith("this machine has no device tree")


def test_an_empty_machine(tmp_path):
    """Not even that is a reason to fall over."""
    assert module.main([], Machine(tmp_path).system) == 1


# --- what serves it, and how ---

def test_a_pwm_that_is_disabled(tmp_path):
    """The transmitter waits for it for ever."""
    machine = pwm_pi(tmp_path)
    machine.remove(f"{module.PLATFORM}/pwm-ir-transmitter/rc")
    machine.node("soc/pwm@1", status=b"disabled\0")
    expect(machine, "bound", module.BROKEN, "its PWM, pwm@1, is disabled")


def test_a_driver_that_fails(tmp_path):
    """The kernel's log knows more."""
    machine = pwm_pi(tmp_path)
    machine.remove(f"{module.PLATFORM}/pwm-ir-transmitter/rc")
    expect(machine, "bound", module.BROKEN, "though pwm-ir-tx is loaded", "sudo dmesg")


@pytest.mark.parametrize("modes, realtime, state, text", [
    ("default busy", "0", "ok", "busy mode"), ("auto hybrid", "0", "ok", "tx_mode: auto"),
    ("thread thread", "0", "ok", "tx_mode: thread"),
    ("default thread", "0", "weak", "the emitter may sleep"),
    ("default thread", "1", "weak", "PREEMPT_RT")])
def test_modes(tmp_path, modes, realtime, state, text):
    """Thread mode is weak where nobody asked for it."""
    machine = pwm_pi(tmp_path)
    for name, value in zip(("tx_mode", "tx_mode_active"), modes.split()):
        machine.write(f"{module.PLATFORM}/pwm-ir-transmitter/{name}", value)
    machine.write("/sys/kernel/realtime", realtime)
    expect(machine, "mode", state, text)
    assert module.main([], machine.system) == 0


# --- who may use it ---

@pytest.mark.parametrize("mode, member, state, text", [
    (0o660, True, "ok", "pi may use"), (0o660, False, "broken", "usermod --append --groups video"),
    (0o600, True, "broken", "only root may use"), (0o666, False, "ok", "pi may use"),
    (0o640, True, "broken", "only root may use")])
def test_access(tmp_path, mode, member, state, text):
    """By the device's mode, and the user's groups."""
    machine = pwm_pi(tmp_path)
    machine.lirc("lirc0", mode)
    if not member:
        machine.user = module.User("pi", 4242, frozenset())
    if os.geteuid():
        text = text.replace("video", "")
    expect(machine, "access", state, text)


def test_access_of_a_new_member(tmp_path):
    """Groups count from the next login on."""
    machine = pwm_pi(tmp_path)
    machine.user = module.User("pi", 4242, frozenset())
    gid = (tmp_path / "dev/lirc0").stat().st_gid
    machine.write("/etc/group", f"{module.grp.getgrgid(gid).gr_name}:x:{gid}:alice,pi\n")
    expect(machine, "access", module.BROKEN, "after logging in", "Log out and in again")


def test_root_without_udev(tmp_path):
    """Root may, and nobody else: that is weak."""
    machine = pwm_pi(tmp_path)
    machine.user = module.User("root", 0, frozenset({0}))
    machine.lirc("lirc0", 0o600)
    machine.user = module.User("root", 0, frozenset({0}))
    expect(machine, "access", module.WEAK, "only root may use", "Install irtx-tools")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has somebody behind sudo")
def test_the_user_behind_sudo(monkeypatch):
    """With sudo it is not root who wants to send."""
    monkeypatch.setenv("SUDO_USER", "daemon")
    user = module.sending_user()
    assert (user.name, user.uid) == ("daemon", 1)
    monkeypatch.setenv("SUDO_USER", "no-such-user")
    assert module.sending_user().uid == 0


@pytest.mark.parametrize("folder, cure", [
    ("/etc", "Run: sudo udevadm"), ("/usr/lib", "Run: sudo udevadm"),
    ("/usr/local/lib", "Run: sudo udevadm"), ("/usr/share", "Install irtx-tools")])
def test_no_link_to_the_transmitter(tmp_path, folder, cure):
    """Where the rules are, be it by "make install", udev has to read them."""
    machine = pwm_pi(tmp_path)
    machine.remove(module.LINK)
    machine.write(f"{folder}/udev/rules.d/{module.RULES}")
    expect(machine, "lirc device", module.WEAK, f"no {module.LINK}", cure)


def test_what_may_not_be_read(tmp_path, monkeypatch):
    """It is not known, and everything else is."""
    machine = pwm_pi(tmp_path)
    names = module.System.names

    def hidden(self, name):
        if name.startswith(module.DEBUGFS):
            raise PermissionError(13, "Permission denied", name)
        return names(self, name)

    monkeypatch.setattr(module.System, "names", hidden)
    monkeypatch.setattr(module.os, "geteuid", lambda: 1000)
    expect(machine, "pin", module.UNKNOWN, "GPIO18 has the right function", "run with sudo")
    expect(machine, "channel", module.OK)
    other = gpio_pi(tmp_path / "gpio")
    expect(other, "pin", module.UNKNOWN, "only root may read", "run with sudo")
    monkeypatch.setattr(module.os, "geteuid", lambda: 0)
    insist(other, "lockdown")
    expect(other, "pin", module.UNKNOWN, "not even root may read", "the kernel forbids it")


def test_no_debugfs(tmp_path):
    """Where it is not mounted, nothing tells of the pin: that does not make it a broken one."""
    machine = pwm_pi(tmp_path)
    machine.remove(module.DEBUGFS)
    expect(machine, "pin", module.UNKNOWN, "GPIO18 has the right function", "mount it")
    assert module.main([], machine.system) == 0


# --- lircd ---

@pytest.mark.parametrize("options, state, text", [
    ("[lircd]\ndriver = default\ndevice = /dev/lirc0\n", "ok", "lircd sends with /dev/lirc0"),
    ("[lircd]\ndriver = default\ndevice = /dev/lirc-tx\n", "ok", "sends with /dev/lirc-tx"),
    ("[lircd]\ndriver = default\n", "ok", "lircd sends with /dev/lirc0"),
    ("[lircd]\ndriver = devinput\ndevice = auto\n", "broken", "driver = devinput"),
    ("[lircd]\ndriver = default\ndevice = /dev/lirc9\n", "broken", "does not exist"),
    ("driver = default\n", "broken", "cannot be read"), (None, "broken", "driver = devinput")])
def test_lircd(tmp_path, options, state, text):
    """Its driver and its device, which may be a link."""
    machine = pwm_pi(tmp_path)
    machine.write("/usr/sbin/lircd")
    machine.write("/etc/lirc/lircd.conf.d/nec.lircd.conf", "begin remote\nend remote\n")
    if options:
        machine.write(module.OPTIONS, options)
    expect(machine, "lircd", state, text)


def test_lircd_without_a_transmitter(tmp_path):
    """There is nothing to compare with."""
    machine = pwm_pi(tmp_path)
    machine.write("/usr/sbin/lircd")
    machine.write(module.OPTIONS, "[lircd]\ndriver = default\n")
    machine.remove(f"{module.PLATFORM}/pwm-ir-transmitter/rc")
    assert machine.findings()["lircd"].state == module.UNKNOWN


# --- files that are not what they should be ---

def test_folders_in_place_of_files(tmp_path):
    """They hold nothing that counts."""
    machine = pwm_pi(tmp_path)
    machine.write("/usr/sbin/lircd")
    machine.write(f"{module.OPTIONS}/old")
    machine.write("/etc/lirc/lircd.conf.d/old.conf/nec.lircd.conf", "begin remote\n")
    expect(machine, "lircd", module.BROKEN, "driver = devinput")
    machine.remove(module.OPTIONS)
    machine.write(module.OPTIONS, "[lircd]\ndriver = default\n")
    expect(machine, "lircd", module.BROKEN, "knows no remote")
    machine.write("/etc/modprobe.d/old.conf/mine.conf")
    unload(machine)
    expect(machine, "loaded", module.BROKEN, "sudo modprobe pwm-ir-tx")


@pytest.mark.parametrize("device", [f"/dev/{'a' * 5000}", "/dev/\0a", "/dev/loop"],
                         ids=["too long", "a zero", "a loop"])
def test_an_impossible_device(tmp_path, device):
    """One link that cannot be looked at leaves the others."""
    machine = pwm_pi(tmp_path)
    machine.write("/usr/sbin/lircd")
    machine.link("/dev/loop", "/dev/loop")
    machine.write(module.OPTIONS, f"[lircd]\ndriver = default\ndevice = {device}\n")
    expect(machine, "lircd", module.UNKNOWN, "it cannot be looked at")
    expect(machine, "access", module.OK)


def test_a_damaged_module(tmp_path):
    """Whether it is signed cannot be told."""
    machine = pwm_pi(tmp_path)
    insist(machine, "secure boot")
    unload(machine)
    machine.write(f"/lib/modules/{RELEASE}/updates/irtx-core.ko.xz", b"ELF")
    machine.write(f"/lib/modules/{RELEASE}/modules.dep", "updates/irtx-core.ko.xz:\n")
    expect(machine, "signature", module.UNKNOWN, "it cannot be looked at")


# --- the command ---

def test_json(tmp_path, capsys):
    """The same for programs."""
    machine = pwm_pi(tmp_path, 19)
    assert module.main(["--json"], machine.system) == 1
    data = json.loads(capsys.readouterr().out)
    assert (data["format"], data["kernel"]) == (1, RELEASE)
    assert [link["link"] for link in data["links"]] == list(machine.findings())
    assert data["first_broken"]["link"] == "channel"
    assert data["first_broken"] in data["links"]
    assert {frozenset(link) for link in data["links"]} == {
        frozenset({"link", "state", "text", "cure", "device"})}


@pytest.mark.parametrize("words", [[], ["--json"]])
def test_characters_that_the_terminal_has_not(tmp_path, words, capsys):
    """Whatever a file's name or a setting holds, all is printed."""
    machine = pwm_pi(tmp_path)
    machine.write("/usr/sbin/lircd")
    machine.write(module.OPTIONS, "[lircd]\ndriver = d\u00e9faut\udcff\n".encode(
        "utf-8", "surrogateescape"))
    unload(machine)
    machine.write("/etc/modprobe.d/m\udcff.conf", "blacklist pwm-ir-tx\n")
    assert module.main(words, machine.system) == 1
    assert capsys.readouterr().out.isascii()


@pytest.mark.parametrize("output, status, error", [
    (">/dev/full", os.EX_IOERR, "irtx-doctor: cannot write the output: No space left on device.\n"),
    (">&-", None, ""), (">&- 2>&-", None, "")])
def test_outputs_that_take_nothing(output, status, error):
    """That is said, where it can be."""
    done = subprocess.run(["sh", "-c", f"{DOCTOR} {output}"], capture_output=True, text=True,
                          check=False)
    assert done.stderr == error
    assert done.returncode in ((0, 1) if status is None else (status,))


def test_usage():
    """Misuse has its own status."""
    done = programs.run(DOCTOR, "pwm-ir-tx")
    assert done.returncode == os.EX_USAGE
    assert done.stderr == ("irtx-doctor: unrecognized arguments: pwm-ir-tx. "
                           "See: irtx-doctor --help\n")


def test_this_machine():
    """Whatever it is, it gets an answer."""
    done = programs.run(DOCTOR)
    assert done.returncode in (0, 1) and not done.stderr
    assert done.stdout.splitlines()[-1].startswith(("First broken link: ", "Nothing is broken"))


def test_runs_on_python_3_9():
    """Its syntax, at least."""
    ast.parse(DOCTOR.read_text(encoding="utf-8"), feature_version=(3, 9))


# --- its documents ---

def test_man_page_has_the_links_and_options(tmp_path):
    """No more and no less, in their order."""
    page = test_documents.man_page(DOCTOR).read_text(encoding="ascii")
    listed = page.partition("The links are:")[2].partition(".El")[0]
    assert [line[4:] for line in listed.splitlines() if line.startswith(".It ")] \
        == list(pwm_pi(tmp_path).findings())
    options = page.partition("The options are:")[2].partition(".El")[0]
    assert {f"-{word}" for word in options.split() if word.startswith(("-", "h"))
            and f"Fl {word}" in options} == test_documents.helped(DOCTOR)


def test_man_page_is_clean():
    """The formatter has nothing to complain about."""
    done = host.attempt(["mandoc", "-Tlint", "-Wwarning", test_documents.man_page(DOCTOR)])
    assert done.stdout == ""


def test_completion():
    """It offers the options of the help, and passes the linter."""
    assert set(test_documents.completed(DOCTOR, "-")) == test_documents.helped(DOCTOR)
    assert linters.shellcheck(host.TREE / "scripts/completion/irtx-doctor") == ""


def test_a_closed_pipe_is_no_error():
    """As with: irtx-doctor | head -n 1"""
    done = subprocess.run(["sh", "-c", f"{DOCTOR} | true"], capture_output=True, text=True,
                          check=False)
    assert not done.stderr
