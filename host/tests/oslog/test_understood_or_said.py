"""A word that changes costs no sleep in silence: what a reader cannot tell is said."""

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import NO_SLEEPS, LogReading
from resume_rig.oslog.reading import read_logs

Read = Callable[..., LogReading]

ROOT = Path(__file__).resolve().parents[3]
LOGS = sorted(
    path
    for path in (ROOT / "fixtures" / "logs").iterdir()
    if path.suffix in {".xml", ".html", ".txt", ".log", ".csv"} and b"\0" not in path.read_bytes()
)
REAL = (
    *(
        "powercfg/win10-19041-laptop-sleepstudy.html",
        "powercfg/win11-26100-desktop-sleepstudy.html",
    ),
    *("pm-graph/suspend-061314-132459_skynet_mem_dmesg.txt", "eventlog/win10-15063-desktop-s1.xml"),
)
_WORD = re.compile(rb"[A-Za-z]{4,}")
_TRIES = 40


def changed(data: bytes, rng: random.Random) -> bytes:
    """Return a log in which a word is misspelt, at one place or at all."""
    found = rng.choice(list(_WORD.finditer(data)))
    word = bytearray(found[0])
    place = rng.randrange(len(word) - 1)
    match rng.randrange(3):
        case 0:
            word[place : place + 2] = word[place : place + 2][::-1]
        case 1:
            word[place] = ord(rng.choice("qxzjk"))
        case _:
            del word[place]
    if rng.random() < 0.5:
        return data.replace(found[0], bytes(word))
    return data[: found.start()] + bytes(word) + data[found.end() :]


def sleeps(reading: LogReading) -> int:
    return sum(record.kind not in NO_SLEEPS for record in reading.records)


def hold(path: Path, place: Path) -> None:
    """Misspell a log often; fewer sleeps are read only where something is said of it."""
    whole, data = read_logs([path]), path.read_bytes()
    rng = random.Random(path.name)
    for _ in range(_TRIES):
        damaged = changed(data, rng)
        place.write_bytes(damaged)
        try:
            reading = read_logs([place])
        except RecordError:
            continue
        said = set(reading.sources[0].integrity.problems) - set(whole.sources[0].integrity.problems)
        assert said or sleeps(reading) >= sleeps(whole), damaged[:2000]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_of_every_kind_of_log(path: Path, tmp_path: Path) -> None:
    hold(path, tmp_path / "log")


@pytest.mark.parametrize("name", REAL)
def test_of_real_logs(shared_data: Path, tmp_path: Path, name: str) -> None:
    hold(shared_data / name, tmp_path / "log")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[ 1.000000] PM: suspend netry (deep)\n", "1 of the kernel's lines about sleep"),
        ("[ 1.000000] x\n[ 1.000000] y\n> [ 1.000000] PM: suspend exit\n", "about sleep"),
        ("<Events><Event><System/></Event></Events>", "1 of the log's events"),
    ],
)
def test_nothing_read_and_something_there_is_not_complete(read: Read, text, words) -> None:
    reading = read(text)
    integrity = reading.sources[0].integrity
    assert (reading.records, integrity.ok) == ((), False)
    assert words in integrity.not_understood[0]
    assert integrity.not_understood[0] in integrity.damage


def test_what_is_quoted_is_bounded_and_on_one_line(read: Read) -> None:
    line = "[ 1.000000] PM: suspend \u202e\x1b[31m" + "x" * 3_000
    (said,) = read(line + "\n").sources[0].integrity.not_understood
    assert said.isascii()
    assert len(said) < 250
