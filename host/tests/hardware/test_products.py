"""What is made of the circuits is what the repository holds, and agrees with pin map and decks."""

import csv
import re
from pathlib import Path

import pytest

from frontend.circuit.catalogue import C16, CNP0, R01, R1, maker_number
from frontend.circuit.facts import Facts
from frontend.rules import ohms
from frontend.simulation.ngspice import DECKS

ROOT = Path(__file__).resolve().parents[3]
GENERATED = ROOT / "hardware" / "generated"
CHARACTER = 7.3
"""Width of a character of the drawings' font, in their units."""
Built = tuple[dict[str, str], dict[str, Facts], list[str]]
with (ROOT / "hardware" / "pinmap.csv").open(newline="", encoding="utf-8") as stream:
    PINS = list(csv.DictReader(stream))


def test_what_is_made_is_what_the_repository_holds_to_the_byte(front_ends: Built) -> None:
    made = {name for name in front_ends[0] if not name.startswith("netlists/")}
    held = {
        path.relative_to(GENERATED).as_posix()
        for path in GENERATED.rglob("*")
        if path.is_file() and path.parent.name != "drawings"  # of printed parts, see test_mechanics
    }
    assert held == made | {"faults.md"}
    for name in sorted(made):
        assert (GENERATED / name).read_text("utf-8") == front_ends[0][name], name


def test_a_netlist_joins_the_pins_that_the_facts_join(front_ends: Built) -> None:
    for variant, facts in front_ends[1].items():
        text = front_ends[0][f"netlists/{variant}.net"]
        joined = {}
        for net in re.split(r"\n +\(net\n", text[text.index("(nets") :])[1:]:
            name = re.search(r'\(name "([^"]*)"\)', net)
            nodes = re.findall(r'\(ref "([^"]*)"\)\s*\(pin "([^"]*)"\)', net)
            assert name is not None
            joined[name[1]] = set(nodes)
        expected: dict[str, set[tuple[str, str]]] = {}
        for part in facts.parts:
            numbers = {pin: number for number, pin, _function in part.kind.pins}
            for pin, net in part.nets.items():
                expected.setdefault(net, set()).add((part.ref, numbers[pin]))
        assert joined == expected


def test_a_netlist_names_no_folder_and_no_date(front_ends: Built) -> None:
    for name, text in front_ends[0].items():
        assert not re.search(r"\.py|/home|/tmp|\(date \"", text), name


@pytest.mark.parametrize("board", ["rpi_pico", "nucleo_h743zi", "nucleo_f767zi"])
def test_carrier_and_pin_map_agree(front_ends: Built, board: str) -> None:
    variants = {
        "rpi_pico": "pico-wired",
        "nucleo_h743zi": "h743zi-wired",
        "nucleo_f767zi": "f767zi-wired",
    }
    facts = front_ends[1][variants[board]]
    header = next(part for part in facts.parts if part.tag == "carrier/J_MCU")
    pins = [row for row in PINS if row["board"] == board]
    assert list(header.nets.values()) == [row["net"] for row in pins]
    wires = {net for part in facts.of_sheet("dut_wires") for net in part.nets.values()}
    assert {row["dut_net"] for row in pins} - {""} <= wires


def test_thresholds_are_those_of_the_pin_map(wired: Facts) -> None:
    from frontend.circuit.thresholds import DIVIDERS  # needs SKiDL

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
        threshold = part.nets[f"IN{unit}-"].replace("TH_LOGIC", "TH_1V65")
        upper, lower = (ohms(value) for value in DIVIDERS[threshold])
        assert 2500 * lower / (upper + lower) == pytest.approx(float(row["threshold_mV"]), rel=2e-3)


@pytest.mark.parametrize(
    ("deck", "name", "tag"),
    [
        ("logic-sense", "rseries", "SLP_S3/R_SERIES"),
        ("logic-sense", "rin", "SLP_S3/R_IN"),
        ("logic-sense", "rfb", "SLP_S3/R_FEEDBACK"),
        ("logic-sense", "rbleed", "SLP_S3/R_BLEED"),
        ("pwr-ok-load", "rseries", "PWR_OK/R_SERIES"),
        ("pwr-ok-load", "rbleed", "PWR_OK/R_BLEED"),
        ("back-power", "rseries", "SLP_S3/R_SERIES"),
        ("back-power", "rfb", "SLP_S3/R_FEEDBACK"),
        ("static-discharge", "rin", "PLTRST/R_IN"),
        ("static-discharge", "rseries", "PLTRST/R_SERIES"),
        ("wrong-voltage", "rseries", "PLTRST/R_SERIES"),
        ("inverted-sense", "rseries", "PS_ON/R_SERIES"),
        ("inverted-sense", "rin", "PS_ON/R_IN"),
        ("inverted-sense", "rth", "PS_ON/R_TH"),
        ("inverted-sense", "rfb", "PS_ON/R_FEEDBACK"),
        ("button", "rin", "BUTTON/R_IN"),
        ("button", "rbleed", "BUTTON/R_BLEED"),
        ("button", "rseries", "BUTTON/R_SERIES"),
        ("button", "rfb", "BUTTON/R_FEEDBACK"),
        ("button", "rled", "power_button/R_LED1"),
        ("button", "chold", "power_button/C_HOLD"),
        ("hold-limit", "rhold", "power_button/R_HOLD"),
        ("hold-limit", "chold", "power_button/C_HOLD"),
        ("dead-man", "rhold", "dead_man/R_ARMED"),
        ("dead-man", "cpump", "dead_man/C_PUMP"),
        ("dead-man", "chold", "dead_man/C_ARMED"),
        ("light-step", "rf", "photodiode/R_F"),
        ("light-step", "cf", "photodiode/C_F"),
        ("light-step", "gain", "photodiode/R_GAIN"),
        ("light-step", "cgain", "photodiode/C_GAIN"),
        ("light-step", "rhyst", "photodiode/R_HYST"),
    ],
)
def test_a_deck_has_the_values_of_the_circuit(wired: Facts, deck: str, name: str, tag: str) -> None:
    text = (DECKS / f"{deck}.cir").read_text("utf-8")
    found = re.search(rf"^\.param {name}=(\S+)$", text, re.MULTILINE)
    assert found is not None
    value = next(part.value for part in wired.parts if part.tag == tag)
    assert found[1] == value.replace("M", "meg")


@pytest.mark.parametrize(
    ("kind", "value", "number"),
    [
        (R1, "10k", "RC0805FR-0710KL"),
        (R1, "2.2k", "RC0805FR-072K2L"),
        (R1, "150", "RC0805FR-07150RL"),
        (R1, "4.7M", "RC0805FR-074M7L"),
        (R01, "17.8k", "RT0805BRD0717K8L"),
        (C16, "100n", "GRM21BR71E104KA01L"),
        (C16, "47n", "GRM21BR71E473KA01L"),
        (CNP0, "22p", "GRM2165C1H220JA01D"),
        (CNP0, "1n", "GRM2165C1H102JA01D"),
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
