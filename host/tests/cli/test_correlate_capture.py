"""`correlate` of somebody else's capture: its signals, its sample rate, its report."""

import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HOW_TO = ROOT / "docs" / "how-to" / "use-your-logic-analyser.md"
VCD = ROOT / "fixtures" / "traces" / "two-s3-cycles.vcd"
LOG = str(ROOT / "fixtures" / "logs" / "two-s3-cycles.xml")


def renamed(path: Path, **names: str) -> str:
    """Write the fixture's capture with other names of its signals."""
    text = VCD.read_text("utf-8")
    for old, new in names.items():
        text = re.sub(rf"(\$var wire 1 \S) {old} ", rf"\1 {new} ", text)
    path.write_text(text, "utf-8")
    return str(path)


def outcomes(document) -> list[str]:
    return [cycle["outcome"] for cycle in document["cycles"]]


def test_the_how_tos_own_example_wakes_by_the_button(command, tmp_path: Path) -> None:
    (line,) = [x for x in HOW_TO.read_text("utf-8").splitlines() if "BUTTON=D2" in x]
    _, _, _, _, _, *channels = shlex.split(line)
    capture = renamed(tmp_path / "bench.vcd", SLP_S3="D0", PLTRST="D1", BUTTON="D2")

    said = command("correlate", capture, "--log", LOG, *channels, "--json")

    assert outcomes(said.document) == ["slept-and-woke"] * 2
    assert [cycle["wake_by"] for cycle in said.document["cycles"]] == ["BUTTON"] * 2


@pytest.mark.parametrize("mark", ["~", "!"])
def test_a_button_the_wrong_way_up_is_doubted_and_turned(command, tmp_path, mark: str) -> None:
    capture = renamed(tmp_path / "a.vcd", BUTTON="D2")

    said = command("correlate", capture, "--log", LOG, "--channel", f"BUTTON={mark}D2", "--json")

    assert "PWRBTN# is pressed (low) for 9" in said.err
    assert "do not invert it: --channel BUTTON=SIGNAL" in said.err
    assert any("PWRBTN# is pressed" in fault for fault in said.document["campaign"]["faults"])


def test_signals_as_a_schematic_names_them_need_no_map(command, tmp_path: Path) -> None:
    names = {"BUTTON": "PWRBTN#", "SLP_S3": "SLP_S3#", "PLTRST": "PLT_RST_N", "PWR_OK": "PWROK"}
    capture = renamed(tmp_path / "a.vcd", **names, BACKLIGHT="CLK24")

    said = command("correlate", capture, "--log", LOG, "--sample-rate", "1 MHz", "--json")

    identity = said.document["campaign"]["identity"]
    assert identity["wired"] == "PWR_OK, SLP_S3, SLP_S4, PLTRST, BUTTON"
    assert identity["sample rate"] == "1 MHz (--sample-rate)"
    assert (identity["capture"], identity["log"]) == ("a.vcd", "two-s3-cycles.xml")
    assert "Signals that were not used: 'rig.CLK24'" in said.err


@pytest.mark.parametrize("rate", ["1", "fast", "0Hz", "1MHzz", "-1MHz", "1e6Hz"])
def test_a_sample_rate_that_is_none_is_refused(command, rate: str) -> None:
    said = command("correlate", str(VCD), "--log", LOG, f"--sample-rate={rate}")
    assert said.status == 2
    assert "is not a sample rate; allowed are a number and Hz, kHz, MHz or GHz" in said.err


def test_the_report_of_a_capture_draws_its_failures(command, tmp_path: Path) -> None:
    capture, page = renamed(tmp_path / "a.vcd", BUTTON="D2"), tmp_path / "a.html"
    words = ["--channel", "BUTTON=D2", "--limit-ms", "10", "--report", str(page)]

    command("correlate", capture, "--log", LOG, *words)

    html = page.read_text("utf-8")
    assert "No edge was recorded" not in html
    assert "Wires of cycle 1" in html
    for name in ("a.vcd", "two-s3-cycles.xml", "assumed from the times"):
        assert name in html


@pytest.mark.parametrize("line", ["SLP_S3", "PLTRST"])
def test_a_power_line_upside_down_is_no_evidence(command, tmp_path: Path, line: str) -> None:
    capture = renamed(tmp_path / "a.vcd", **{line: "D5"})

    said = command("correlate", capture, "--log", LOG, "--channel", f"{line}=~D5", "--json")

    document = said.document
    assert document["verdict"] == "NO-EVIDENCE"
    for cycle in document["cycles"]:
        assert (cycle["outcome"], cycle["why_not_reason"]) == ("invalid", "polarity")
        assert cycle["why_not"].startswith("check the polarity")
        (finding,) = cycle["findings"]
        assert finding["kind"] == "wrong-polarity"
        assert f"--channel {line}=~SIGNAL" in finding["text"]
        assert not any(cycle["outside"].values())


def test_a_button_or_light_upside_down_is_left_out_and_the_rest_is_read(command, tmp_path) -> None:
    capture = renamed(tmp_path / "a.vcd", BUTTON="D2")

    said = command("correlate", capture, "--log", LOG, "--channel", "BUTTON=~D2", "--json")

    assert outcomes(said.document) == ["slept-and-woke"] * 2
    assert [cycle["wake_by"] for cycle in said.document["cycles"]] == [None, None]
    assert "Nothing is read off it." in said.err
