"""Pictures of the reports, where a Chromium is installed."""

import shutil
import struct
import subprocess
import zlib
from pathlib import Path
from typing import Any

import pytest

from resume_rig.report.html import campaign_report, log_report

GENERATED = "2026-01-05 10:22:31 UTC"
WIDTH, HEIGHT = 640, 1400  # of the picture, at half scale: every pixel is decoded in Python
DARK, LIGHT = 0, 1  # Blink's preferredColorScheme


@pytest.fixture
def chromium() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if (found := shutil.which(name)) is not None:
            return found
    pytest.skip("no Chromium on PATH: the report's picture cannot be taken")


def picture_of(chromium: str, source: str, scheme: int, folder: Path) -> bytes:
    page, picture = folder / "report.html", folder / "report.png"
    page.write_text(source, encoding="utf-8")
    subprocess.run(
        [
            chromium,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--no-first-run",
            "--hide-scrollbars",
            f"--user-data-dir={folder / 'profile'}",
            f"--blink-settings=preferredColorScheme={scheme}",
            "--force-device-scale-factor=0.5",
            f"--window-size={WIDTH * 2},{HEIGHT * 2}",
            f"--screenshot={picture}",
            page.as_uri(),
        ],
        check=True,
        capture_output=True,
        timeout=120,
    )
    return picture.read_bytes()


def pixels_of(png: bytes) -> tuple[int, int, list[bytes]]:
    """Return width, height and the rows of an 8-bit PNG, unfiltered (PNG 1.2, 6.2 to 6.6)."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height, _, colour = struct.unpack(">IIBB", png[16:26])
    size = {2: 3, 6: 4}[colour]
    data, at = b"", 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + length]
        at += length + 12
    raw, stride, rows = zlib.decompress(data), width * size, []
    before = bytearray(stride)
    for row in range(height):
        start = row * (stride + 1)
        before = unfiltered(
            raw[start], bytearray(raw[start + 1 : start + 1 + stride]), before, size
        )
        rows.append(bytes(before))
    return width, height, [pixel for row in rows for pixel in _pixels(row, size)]


def unfiltered(kind: int, line: bytearray, above: bytearray, size: int) -> bytearray:
    for i in range(len(line)) if kind else ():
        left, up = line[i - size] if i >= size else 0, above[i]
        corner = above[i - size] if i >= size else 0
        guess = left + up - corner
        paeth = min((left, up, corner), key=lambda value: abs(guess - value))
        line[i] = (line[i] + (0, left, up, (left + up) // 2, paeth)[kind]) & 0xFF
    return line


def _pixels(row: bytes, size: int) -> list[bytes]:
    return [row[i : i + 3] for i in range(0, len(row), size)]


@pytest.mark.parametrize(("scheme", "paper"), [(LIGHT, "ffffff"), (DARK, "14171a")])
def test_a_campaign_is_drawn_in_the_colours_of_the_reader(
    chromium: str, samples: Any, tmp_path: Path, scheme: int, paper: str
) -> None:
    source = campaign_report(samples.four_cycles(), samples.facts(), GENERATED)
    width, height, pixels = pixels_of(picture_of(chromium, source, scheme, tmp_path))
    assert (width, height) == (WIDTH, HEIGHT)
    colours = {pixel.hex() for pixel in pixels}
    assert pixels[0].hex() == paper
    # Phases after Okabe and Ito, the same in both schemes: bars were drawn.
    assert {"f0e442", "cc79a7", "e69f00"} <= colours


def test_a_log_is_drawn(chromium: str, samples: Any, tmp_path: Path) -> None:
    source = log_report(samples.mixed_log(), GENERATED)
    width, height, pixels = pixels_of(picture_of(chromium, source, LIGHT, tmp_path))
    assert (width, height) == (WIDTH, HEIGHT)
    assert "0072b2" in {pixel.hex() for pixel in pixels}
