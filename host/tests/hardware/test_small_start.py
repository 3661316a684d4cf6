"""The small start: what it costs, where its wires go, and what its firmware is told."""

import csv
import re
from pathlib import Path

import pytest

from frontend.circuit.facts import Facts
from frontend.circuit.small_start import PRICES_EUR, SMALL_START
from resume_rig.cli.main import main

ROOT = Path(__file__).resolve().parents[3]
OVERLAY = (ROOT / "firmware" / "boards" / "small_start.overlay").read_text("utf-8")
PICO = (ROOT / "firmware" / "boards" / "rpi_pico.overlay").read_text("utf-8")
TUTORIAL = (ROOT / "docs" / "tutorials" / "first-board.md").read_text("utf-8")
PAGE = (ROOT / "docs" / "how-to" / "start-small.md").read_text("utf-8")


@pytest.fixture(scope="module")
def small(front_ends: tuple[object, dict[str, Facts], object]) -> Facts:
    return front_ends[1][SMALL_START]


def test_it_costs_less_than_40_euro(small: Facts) -> None:
    total = sum(PRICES_EUR[part.kind.name] for part in small.parts)
    assert 10 < total < 40
    assert f"add up to {total:.0f} EUR" in PAGE
    told = [
        float(price) for price in re.findall(r"^\| .* \| (\d+\.\d\d) \|", TUTORIAL, re.MULTILINE)
    ]
    assert len(told) >= 5
    assert sum(told) == pytest.approx(total)


def test_the_bill_says_of_each_line_what_it_costs_and_who_says_so() -> None:
    path = ROOT / "hardware" / "generated" / "bills" / "small-start.csv"
    with path.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert all(row["price_from"] == "assumed" and row["sold_by"] for row in rows)
    total = sum(float(row["together_eur"]) for row in rows)
    assert total == pytest.approx(
        sum(float(row["each_eur"]) * int(row["quantity"]) for row in rows), abs=0.01
    )
    assert total < 40
    assert f"add up to {total:.0f} EUR" in PAGE


def test_it_keeps_two_contacts_and_the_hold_limit(small: Facts) -> None:
    contacts = [part for part in small.parts if part.kind.name == "AQY212EH"]
    assert len(contacts) == 2
    assert any(part.tag == "small_start/C_HOLD" for part in small.parts)


def test_the_overlay_has_just_the_pins_of_the_circuit(small: Facts) -> None:
    pico = next(part for part in small.parts if part.kind.name == "PICO_H")
    kept = dict(re.findall(r"([\w-]+) \{\s+gpios = <&gpio0 (\d+) GPIO_ACTIVE_LOW>;", OVERLAY))
    assert {
        f"GP{pin}": f"SENSE_{name.upper().replace('-', '_')}" for name, pin in kept.items()
    } == {
        pin: net
        for pin, net in pico.nets.items()
        if net in ("SENSE_LED", "SENSE_BUTTON", "SENSE_PWR_OK")
    }
    assert pico.nets["GP14"] == "DRIVE_BUTTON"
    assert pico.nets["GP26"] == "SENSE_LIGHT"
    gone = set(re.findall(r"/delete-node/ ([\w-]+);", OVERLAY))
    channels = PICO[PICO.index("channels {") : PICO.index("actuators {")]
    named = set(re.findall(r"\n\t\t([\w-]+) \{", channels))
    assert named - gone == set(kept)


def test_a_transistor_inverts_so_the_pins_are_active_low(small: Facts) -> None:
    for name in ("BUTTON", "LED", "PWR_OK"):
        transistor = next(part for part in small.parts if part.tag == f"small_start/T_{name}")
        assert transistor.nets == {"C": f"SENSE_{name}", "B": f"{name}_BASE", "E": "GND"}
    assert "GPIO_ACTIVE_HIGH" not in OVERLAY


@pytest.mark.parametrize("channel", ["led", "button", "pwr-ok"])
def test_a_share_of_the_front_end_is_no_more_than_the_whole(channel: str) -> None:
    body = OVERLAY[OVERLAY.index(f"\t\t{channel} {{") :].split("};")[0]
    told = {key: int(value) for key, value in re.findall(r"([\w-]+-ns) = <(\d+)>;", body)}
    assert told["front-end-delay-ns"] <= told["delay-ns"]
    assert told["front-end-uncertainty-ns"] <= told["uncertainty-ns"]


STEPS = re.findall(r"^\| \d+\. `resume-rig ([^`]+)`", PAGE, re.MULTILINE)


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """The profile of the page, as a reader copies it."""
    block = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert block is not None
    path = tmp_path / "small.toml"
    path.write_text(block[1], "utf-8")
    return path


def test_the_pages_profile_wires_what_the_circuit_wires(small: Facts, profile: Path) -> None:
    wired = set(re.findall(r'"([A-Z_]+)"', profile.read_text("utf-8").split("channels")[1]))
    pico = next(part for part in small.parts if part.kind.name == "PICO_H")
    assert {f"SENSE_{name}" for name in wired} == {
        net for net in pico.nets.values() if net.startswith("SENSE_") and net != "SENSE_LIGHT"
    }


def test_the_pages_steps_run_as_written_on_the_simulated_bench(
    profile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = []
    for step in STEPS:
        if "watch" in step:
            continue
        words = step.replace("serial:PORT", "sim:clock=virtual,seed=3").split(" ")
        words = [str(profile) if word == "small.toml" else word for word in words]
        more = ["--out", str(profile.with_name("store"))] if words[0] == "run" else []
        assert main([*words, *more]) == 0, step
        captured = capsys.readouterr()
        told.append(captured.out + captured.err)
    selftest, press, run = told
    assert "ok   edge_delay_ns" in selftest
    saw = re.search(r"the header saw (\d+\.\d) ms", press)
    assert saw is not None
    assert 149 <= float(saw[1]) <= 152
    assert len(re.findall(r"slept and woke  display on \d+ ms", run)) == 4
    assert "light-not-timed" not in run


def test_without_pwr_ok_the_campaign_says_what_it_needs(
    profile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile.write_text(profile.read_text("utf-8").replace(', "PWR_OK"', ""), "utf-8")
    rig = ["--rig", "sim:clock=virtual,seed=3", "--dut", str(profile)]
    assert main(["run", *rig, "--out", str(profile.with_name("none"))]) == 2
    assert "needs SLP_S3# or PWR_OK to see it sleep" in capsys.readouterr().err
