"""The wires of a loop-back, as the how-to tells them, are those of the pin map."""

import csv
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "how-to" / "calibrate-a-rig.md").read_text("utf-8")
with (ROOT / "hardware" / "pinmap.csv").open(newline="", encoding="utf-8") as stream:
    PINS = list(csv.DictReader(stream))
BOARDS = sorted({row["board"] for row in PINS})


def told() -> dict[str, list[str]]:
    """Return the cells of the page's table, by board."""
    rows = (line.strip("|").split("|") for line in PAGE.splitlines() if line.startswith("| `"))
    return {cells[0].strip(" `"): cells[1:] for cells in rows}


def place(row: dict[str, str]) -> str:
    """Return where a pin is found, as the page writes it."""
    on_header = row["connector"] == "header"
    return row["position"] if on_header else f"{row['connector']}-{row['position']}"


@pytest.mark.parametrize("board", BOARDS)
def test_outputs_and_channels_are_those_of_the_pin_map(board: str) -> None:
    outputs, inputs = told()[board]
    pins = [row for row in PINS if row["board"] == board]
    assert [text.strip() for text in inputs.split(",")] == [
        f"{row['name']} {row['mcu_pin']} ({place(row)})"
        for row in pins
        if row["function"] == "channel"
    ]
    for row in pins:
        if row["function"] == "actuator":
            where = rf"(pin )?{place(row)}"
            assert re.search(rf"{row['name']}'s (output )?{row['mcu_pin']} \({where}\)", outputs)


def test_every_board_is_told_of() -> None:
    assert set(told()) == set(BOARDS)
