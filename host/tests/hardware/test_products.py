"""What is made of the circuits is what the repository holds, and agrees with pin map and decks."""

import csv
import re
from pathlib import Path

import pytest

from frontend.circuit.catalogue import C16, CNP0, R01, R1, maker_number
from frontend.circuit.facts import Facts
from frontend.circuit.thresholds import DIVIDERS
from frontend.rules import ohms

ROOT = Path(__file__).resolve().parents[3]
GENERATED = ROOT / "hardware" / "generated"
CHARACTER = 7.3
"""Width of a character of the drawings' font, in their units."""
Built = tuple[dict[str, str], dict[str, Facts], list[str]]
with (ROOT / "hardware" / "pinmap.csv").open(newline="", encoding="utf-8") as stream:
    PINS = list(csv.DictReader(stream))


def test_what_is_made_is_what_the_repository_holds_to_the_byte(front_ends: Built) -> None:
    made = set(front_ends[0])
    held = {
        path.relative_to(GENERATED).as_posix()
        for path in GENERATED.rglob("*")
        if path.is_file() and path.parent.name != "drawings"  # of printed parts, see test_mechanics
    }
    assert held == made | {"faults.md", "mutants.md"}
    for name in sorted(made):
        assert (GENERATED / name).read_text("utf-8") == front_ends[0][name], name


def test_a_netlist_joins_the_pins_that_the_facts_join(front_ends: Built) -> None:
    for variant, facts in front_ends[1].items():
        text = front_ends[0][f"netlists/{variant}.net"]
        joined = {}
        for net in re.split(r"\n +\(net ", text[text.index("(nets") :])[1:]:
            name = re.search(r'\(name "([^"]*)"\)', net)
            assert name is not None
            joined[name[1]] = set(re.findall(r'\(ref "([^"]*)"\) \(pin "([^"]*)"\)', net))
        expected: dict[str, set[tuple[str, str]]] = {}
        for part in facts.on_board():
            numbers = {pin: number for number, pin, _function in part.kind.pins}
            for pin, net in part.nets.items():
                expected.setdefault(net, set()).add((part.ref, numbers[pin]))
        assert joined == expected


def test_a_netlist_names_no_folder_and_no_date(front_ends: Built) -> None:
    for name, text in front_ends[0].items():
        assert not re.search(r"\.py|/home|/tmp|\(date \"", text), name


def test_sockets_and_pin_map_agree(wired: Facts) -> None:
    found = {pin: net for part in wired.of_sheet("carrier") for pin, net in part.nets.items()}
    on_pico = [row for row in PINS if row["board"] == "rpi_pico"]
    options = {row["mcu_pin"] for row in on_pico if row["function"] == "option"}
    assert options == {"GP12"}
    assert not options & found.keys(), "the carrier leaves them to the owner's own wire"
    pins = [row for row in on_pico if row["function"] != "option"]
    assert {row["mcu_pin"]: found[row["mcu_pin"]] for row in pins} == {
        row["mcu_pin"]: row["net"] for row in pins
    }
    assert (found["3V3"], found["GND38"], found["VBUS"]) == ("+3V3", "GND", "+5V")
    plug = next(part for part in wired.parts if part.tag == "dut_wires/J_DUT")
    assert {row["dut_net"] for row in pins} - {""} <= set(plug.nets.values())


def test_a_pico_pin_is_where_the_pin_map_says(wired: Facts) -> None:
    sockets = {part.tag[8:]: part for part in wired.of_sheet("carrier") if "J_" in part.tag}
    for row in PINS:
        if row["board"] != "rpi_pico":
            continue
        position = int(row["position"])
        side, number = ("J_LEFT", position) if position <= 20 else ("J_RIGHT", position - 20)
        assert sockets[side].by_number().get(str(number), "") == row["net"], row


def test_what_is_in_hood_arm_and_socket_is_in_the_bill_and_on_no_board(front_ends: Built) -> None:
    rows = list(csv.DictReader(front_ends[0]["bills/pico-wired.csv"].splitlines()))
    away = {row["number"]: row["where"] for row in rows if row["where"] != "board"}
    assert away["BPW34"] == "hood"
    assert away["DRV5023AJQLPG"] == "arm"
    assert away["SC0917"] == "socket"
    assert {"2107", "60900213421", "ITS-MS-2015-12VDC"} <= set(away)
    netlist = front_ends[0]["netlists/pico-wired.net"]
    assert "BPW34" not in netlist
    assert "DRV5023" not in netlist


def test_thresholds_are_those_of_the_pin_map(wired: Facts) -> None:
    chosen = {"TH_LOGIC": "TH_0V90", "TH_PGOOD": "TH_2V40"}
    for row in PINS:
        if row["board"] != "rpi_pico" or not row["threshold_mV"]:
            continue
        jumper = [
            part
            for part in wired.of_sheet("choices")
            if part.kind.prefix == "J" and row["net"] in part.nets.values()
        ]
        outputs = {row["net"], *(part.nets["1"] for part in jumper)}
        units = [
            (part, unit)
            for part in wired.of_sheet("comparators")
            for unit in range(1, 5)
            if part.nets.get(f"OUT{unit}") in outputs
        ]
        assert len(units) == 1, row
        part, unit = units[0]
        threshold = part.nets[f"IN{unit}-"]
        upper, lower = (ohms(value) for value in DIVIDERS[chosen.get(threshold, threshold)])
        at_pin_mv = 2500 * lower / (upper + lower)
        # The bleeder takes 2 % at the wire, which counts where the ramp is slow.
        if row["name"] == "PWR_OK":
            at_pin_mv *= 1 + (100 + 3.9) / 4_700
        assert at_pin_mv == pytest.approx(float(row["threshold_mV"]), rel=2e-3)


@pytest.mark.parametrize(
    ("kind", "value", "number"),
    [
        (R1, "10k", "RC0603FR-0710KL"),
        (R1, "2.2k", "RC0603FR-072K2L"),
        (R1, "150", "RC0603FR-07150RL"),
        (R1, "4.7M", "RC0603FR-074M7L"),
        (R01, "17.8k", "RT0603BRD0717K8L"),
        (C16, "100n", "GRM188R71E104KA01D"),
        (C16, "47n", "GRM188R71E473KA01D"),
        (CNP0, "22p", "GRM1885C1H220JA01D"),
        (CNP0, "1n", "GRM1885C1H102JA01D"),
    ],
)
def test_a_maker_writes_values_its_own_way(kind: object, value: str, number: str) -> None:
    assert maker_number(kind, value) == number


@pytest.mark.parametrize("folder", ["schematics", "wiring", "drawings"])
def test_no_text_leaves_its_drawing(folder: str) -> None:
    drawings = sorted((GENERATED / folder).glob("*.svg"))
    assert drawings
    for path in drawings:
        text = path.read_text("utf-8")
        size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text)
        assert size is not None
        for x, y, anchor, content in re.findall(
            r'<text x="([\d.-]+)" y="([\d.-]+)" text-anchor="(\w+)"[^>]*>([^<]*)<', text
        ):
            length = len(content) * CHARACTER
            left = float(x) - {"start": 0, "middle": length / 2, "end": length}[anchor]
            assert left >= 0, (path.name, content)
            assert left + length <= float(size[1]), (path.name, content)
            assert 10 <= float(y) <= float(size[2]), (path.name, content)
