"""Pins and footprints are those of KiCad's libraries, an independent source."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from frontend import library
from frontend.circuit import catalogue
from frontend.circuit.facts import Facts

TABLE = library.KEPT.read_text("utf-8")


def kinds(front_ends: tuple[object, dict[str, Facts], object]) -> dict[str, catalogue.Kind]:
    return library.kinds_of(front_ends[1].values())


def test_every_pin_and_pad_is_one_of_kicads(
    front_ends: tuple[object, dict[str, Facts], object],
) -> None:
    assert list(library.disagreements(kinds(front_ends).values(), TABLE)) == []


def test_every_kind_of_the_board_has_a_symbol(wired: Facts) -> None:
    assert {part.kind.name for part in wired.on_board() if not part.kind.symbol} == set()


def swapped(kind: catalogue.Kind, first: str, second: str) -> catalogue.Kind:
    other = {first: second, second: first}
    return replace(kind, pins=tuple((n, other.get(pin, pin), t) for n, pin, t in kind.pins))


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        (swapped(catalogue.FET, "G", "S"), "BSS138: pin 1 is S; KiCad's is G"),
        (swapped(catalogue.HIGH_FET, "D", "S"), "AO3401A: pin 2 is D; KiCad's is S"),
        (swapped(catalogue.PHOTODIODE, "K", "A"), "BPW34: pin 1 is A; KiCad's is K"),
        (swapped(catalogue.QUAD, "V+", "V-"), "TLV9034: pin 3 is V-; KiCad's is V+"),
        (swapped(catalogue.QUAD, "IN1+", "IN1-"), "TLV9034: pin 4 is IN1+; KiCad's is -"),
        (swapped(catalogue.CURRENT, "IN+", "IN-"), "INA226: pin 9 is IN+; KiCad's is Vin-"),
        (
            replace(catalogue.FET, footprint="Package_TO_SOT_SMD:SOT-23-5"),
            "BSS138: kicad-library.csv does not have Transistor_FET:BSS138 and "
            "Package_TO_SOT_SMD:SOT-23-5",
        ),
    ],
)
def test_a_pin_that_is_another_is_found_out(wrong: catalogue.Kind, what: str) -> None:
    assert what in list(library.disagreements([wrong], TABLE))


def test_the_table_is_what_kicads_libraries_say(
    front_ends: tuple[object, dict[str, Facts], object],
) -> None:
    if not (library.SYMBOLS / "Device.kicad_sym").is_file():
        pytest.skip("needs kicad-symbols and kicad-footprints")
    done = subprocess.run(["dpkg", "-s", "kicad-symbols"], capture_output=True, check=False)
    if b"Version: 6." not in done.stdout:
        pytest.skip("the table is that of KiCad 6")
    assert library.extract(front_ends[1].values()) == TABLE


def test_a_symbol_that_no_library_has_is_an_error() -> None:
    if not Path(library.SYMBOLS).is_dir():
        pytest.skip("needs kicad-symbols")
    with pytest.raises(KeyError):
        library.pins_of("Device:NOTHING")
