"""What other test systems call: power, relay and share, and the lines that the how-to shows."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "how-to" / "use-the-rig-as-a-relay.md").read_text("utf-8")
LABGRID_PAGE = (ROOT / "docs" / "how-to" / "share-rigs-with-labgrid.md").read_text("utf-8")
SIM = "sim:clock=virtual,seed=7"
DESKTOP = ("--rig", SIM, "--dut", "healthy-desktop")


@pytest.mark.parametrize(
    ("do", "said"),
    [
        ("on", "The DUT is awake already.\n"),
        ("off", r"The DUT was awake and is off, 8\.0\d\d s later.\n"),
        ("reset", r"The DUT was awake, was switched off and is awake again, 13.\d\d s later."),
        ("state", "The DUT is awake.\n"),
    ],
)
def test_a_dut_is_switched_by_a_command(command, do: str, said: str) -> None:
    ended = command("power", do, *DESKTOP)

    assert ended.status == 0, ended.err
    assert re.match(said, ended.out)


def test_json_tells_before_and_after(command) -> None:
    off = command("power", "off", *DESKTOP, "--json").document
    state = command("power", "state", *DESKTOP, "--json").document

    assert off["schema"] == "resume-rig/power/1"
    assert (off["do"], off["before"], off["state"]) == ("off", "awake", "off")
    assert (state["before"], state["state"], state["took_ns"]) == (None, "awake", None)


def test_a_foreign_tool_sees_by_the_status_what_went_wrong(command) -> None:
    late = command("power", "reset", *DESKTOP, "--timeout", "10ms")
    nobody = command("power", "reset", "--rig", "serial:/dev/no-port")
    unknown = command("power", "explode", *DESKTOP)
    endless = command("power", "on", *DESKTOP, "--timeout", "2h")

    assert (late.status, nobody.status, unknown.status, endless.status) == (3, 3, 2, 2)
    assert "10.00 ms after the press it shows PWR_OK=0" in late.err
    assert "no such port" in nobody.err
    assert "--timeout is 7200.0 s; allowed are up to 3600.0 s" in endless.err


@pytest.mark.skipif(sys.platform == "win32", reason="sleepgraph is Linux's")
def test_the_lines_for_sleepgraph_work_as_it_calls_them(tmp_path: Path) -> None:
    """As pm-graph does: the text after the key, formatted, to a shell; status 0 is success."""
    lines = dict(re.findall(r"^(resetcmd|offcmd|oncmd): (.+)$", PAGE, re.MULTILINE))
    assert set(lines) == {"resetcmd", "offcmd", "oncmd"}
    (tmp_path / "lab").mkdir()
    profile = tmp_path / "lab" / "laptop7.toml"
    profile.write_text('base = "healthy-desktop"\ntitle = "Laptop 7"\n', "utf-8")
    for line in lines.values():
        called = line.format(host="laptop7", addr="10.0.0.7", user="lab")
        assert "serial:/dev/rig-laptop7" in called
        simulated = called.replace("serial:/dev/rig-laptop7", SIM)
        program = f"{shlex.quote(sys.executable)} -m resume_rig"
        ended = subprocess.run(
            simulated.replace("resume-rig", program, 1), shell=True, cwd=tmp_path, check=False
        )
        assert ended.returncode == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("share", "--rig", "sim:"), "'sim:' names no port that can be shared; allowed is serial"),
        (("share", "--rig", "serial:x", "--tcp", "7000"), "--tcp '7000' is not HOST:PORT"),
        (("relay", *DESKTOP, "--tcp", "host:99999"), "--tcp 'host:99999' is not HOST:PORT"),
        (("relay", *DESKTOP, "--tcp", "0.0.0.0:0"), "whoever reaches it could press"),
        (("relay", *DESKTOP, "--tcp", "[::]:0"), "whoever reaches it could press"),
        (("relay", *DESKTOP, "--token", "no-file"), "could not read the token in no-file: No such"),
    ],
)
def test_a_place_that_is_none_is_told(command, words: tuple[str, ...], said: str) -> None:
    ended = command(*words)

    assert ended.status == 2
    assert said in ended.err


def test_a_port_that_is_not_there_is_not_shared(command) -> None:
    ended = command("share", "--rig", "serial:/dev/no-port")

    assert ended.status == 3
    assert "could not open serial port /dev/no-port: no such port" in ended.err


def test_the_environments_in_the_how_to_are_the_examples() -> None:
    shown = re.findall(r"```yaml\n(.*?)```", LABGRID_PAGE, re.DOTALL)
    files = ("exporter.yaml", "laptop7.yaml")
    written = [(ROOT / "examples" / "labgrid" / name).read_text("utf-8") for name in files]

    assert shown == [re.sub(r"^#.*\n", "", text, flags=re.MULTILINE) for text in written]


def test_the_relays_table_names_the_gpios_that_there_are() -> None:
    from resume_rig.relay.gpio import GPIO_LINES

    assert {int(number) for number in re.findall(r"gpio/(\d+)", PAGE)} == set(GPIO_LINES)
    assert json.loads(re.findall(r"gpio/9 (\{.*?\})", PAGE)[0]) == {"state": 1, "time": 1}
