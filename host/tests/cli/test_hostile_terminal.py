"""No text of a file, a name or a program reaches a terminal as anything but text."""

import contextlib
import io
import json
import logging
import re
import shutil
import sqlite3
import sys
import warnings
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from campaign.hostile_stores import reseal
from command_line import status_of
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from resume_rig.cli.main import main
from resume_rig.cli.terminal.console import answer, answer_json, print_note, take_over_messages
from resume_rig.model.result.verdict import Verdict
from resume_rig.report.text.terminal_style import TerminalStyle
from resume_rig.report.text.terminal_text import LINE_LIMIT, Painted, joined

INJECTED = "INJECTED"
NASTY = (
    *("\x1b[2J", "\x1b[31m", "\x1b]0;title\x07", "\x1b]8;;http://a.test/\x1b\\here\x1b]8;;\x1b\\"),
    *("\x1b[6n", "\x1bP1$r\x1b\\", "\x9b2J", "\x9d0;title\x9c", "\x90q", "\x07", "\x08", "\x7f"),
    *("\u202e", "\u2066", "\u200f", "\ufeff", "\u200b", "\u2028", "\u2029", "\U000e0041"),
    *(f"\n{INJECTED}", f"\r{INJECTED}", f"\x0b{INJECTED}", f"\x85{INJECTED}", "\ue000", "\ufffe"),
    "\n" * 50,
    "W" * 30_000,
)
pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")
hostile_texts = st.lists(
    st.sampled_from((*NASTY, "plain", " ", "é", "漢")), min_size=1, max_size=4
).map("".join)

MEANT = re.compile(r"\x1b\[(?:1;3[1235]|0)m|\r(?:\x1b\[\d+A)?\x1b\[J|\n")
"""Colours of a verdict, and the line of status that is written over."""


class Terminal(io.StringIO):
    """A terminal that keeps what is written to it."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@dataclass(frozen=True)
class Shown:
    """What a command wrote."""

    status: int
    out: str
    err: str


def shown(*words: str) -> Shown:
    """Run `resume-rig WORDS...` on terminals."""
    out, err = Terminal(), Terminal()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = status_of(words)
    return Shown(status, out.getvalue(), err.getvalue())


def assert_clean(text: str) -> None:
    """Check that nothing but text and what the program means is in it."""
    rest = MEANT.sub("", text)
    assert sorted({c for c in rest if not c.isprintable() and c not in "\u00a0\u3000"}) == []
    assert [line for line in text.split("\n") if line.startswith(INJECTED)] == []
    assert "\n" * 4 not in text


def assert_shown_clean(found: Shown) -> None:
    assert found.status in {0, 1, 2, 3, 4}
    assert_clean(found.out)
    assert_clean(found.err)


@pytest.fixture(autouse=True)
def eighty_columns(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)


FUZZ = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@given(st.text() | hostile_texts)
def test_a_plain_text_is_one_clean_line(text: str) -> None:
    out = Terminal()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        answer([text + "\n"])
        print_note(text)
    first, second, end = out.getvalue().split("\n")
    assert (first, end) == (second, "")
    assert all(c.isprintable() or c.isspace() for c in first)
    assert len(first) <= 10 * LINE_LIMIT


@given(st.lists(hostile_texts))
def test_what_is_added_to_painted_text_is_cleaned(texts: list[str]) -> None:
    verdict = TerminalStyle(colour=True).verdict(Verdict.FAIL)
    for made in (verdict + "".join(texts), "".join(texts) + verdict, joined(verdict, *texts)):
        assert isinstance(made, Painted)
        assert_clean(made)


@given(hostile_texts)
def test_painted_text_that_is_cut_or_formatted_is_somebodys_again(text: str) -> None:
    verdict = TerminalStyle(colour=True).verdict(Verdict.PASS)
    out = Terminal()
    with contextlib.redirect_stdout(out):
        answer([f"{verdict} {text}", verdict[:-1], verdict.strip()])
    assert "\x1b" not in out.getvalue()


@given(st.lists(hostile_texts) | st.dictionaries(st.text(), hostile_texts))
def test_json_stays_what_it_is_in_ascii(value: object) -> None:
    out = Terminal()
    with contextlib.redirect_stdout(out):
        answer_json([json.dumps(value, ensure_ascii=False), "\n"])
    assert out.getvalue().isascii()
    assert json.loads(out.getvalue()) == json.loads(json.dumps(value))


@given(hostile_texts)
def test_warnings_logged_problems_and_bad_usage_are_cleaned(text: str) -> None:
    err = Terminal()
    with contextlib.redirect_stderr(err), warnings.catch_warnings():
        take_over_messages()
        warnings.simplefilter("always")
        warnings.warn(text, stacklevel=1)
        handler = logging.lastResort
        assert handler is not None
        handler.handle(logging.LogRecord("x", logging.ERROR, "f", 1, text, None, None))
    assert_clean(err.getvalue())
    assert_shown_clean(shown("log", f"--{text}"))
    assert_shown_clean(shown(text))


@given(hostile_texts)
def test_a_traceback_is_cleaned(text: str) -> None:
    err = Terminal()
    with contextlib.redirect_stderr(err):
        take_over_messages()
        error = ValueError(text)
        sys.excepthook(ValueError, error, None)
    assert_clean(err.getvalue())


# ------------------------------------------------------------------------------------- stores


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / "whole.rrs"
    words = ("--rig", "sim:clock=virtual,seed=5", "--cycles", "2", "--out", str(path))
    assert main(["run", *words]) == 0
    return path


def leaves(value: object, at: tuple[object, ...] = ()) -> Iterator[tuple[object, ...]]:
    """Yield the way to each text of a JSON value, keys too (they end with None)."""
    match value:
        case str():
            yield at
        case list():
            for place, each in enumerate(value):
                yield from leaves(each, (*at, place))
        case dict():
            for key, each in value.items():
                yield (*at, key, None)
                yield from leaves(each, (*at, key))


def put(value: object, way: tuple[object, ...], text: str) -> object:
    """Return a JSON value with `text` in the text at the end of a way."""
    if not way:
        return f"{value}{text}"
    first, *rest = way
    if isinstance(value, list):
        return [put(v, tuple(rest), text) if i == first else v for i, v in enumerate(value)]
    assert isinstance(value, dict)
    if rest == [None]:
        return {(f"{k}{text}" if k == first else k): v for k, v in value.items()}
    return {k: (put(v, tuple(rest), text) if k == first else v) for k, v in value.items()}


def cells(connection: sqlite3.Connection) -> list[tuple[str, str, str, object, tuple[object, ...]]]:
    """Return every text in a store: table, column, key column, key, way in its JSON."""
    found = []
    tables = [n for (n,) in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")]
    for table in tables:
        names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        for row in connection.execute(f"SELECT * FROM {table}").fetchall():
            for name, value in zip(names, row, strict=True):
                if not isinstance(value, str):
                    continue
                try:
                    ways = list(leaves(json.loads(value)))
                except ValueError:
                    ways = []
                found += [(table, name, names[0], row[0], way) for way in [*ways, (None, None)]]
    return found


READERS = (
    *(("store", "info"), ("store", "check"), ("correlate",), ("correlate", "--all", "--budget")),
    *(("compare", "whole.rrs"), ("fleet",), ("fleet", "whole.rrs"), ("store", "faults")),
    *(("export", "--to", "csv", "--out", "c.csv"), ("report", "--out", "r.html")),
    *(("run", "--resume"), ("store", "info", "--json"), ("correlate", "--json")),
    *(("msa", "whole.rrs"), ("store", "salvage", "--out", "s.rrs")),
)


def hostile_store(store: Path, place: Path, pick: int, text: str) -> None:
    shutil.copyfile(store, place)
    with closing(sqlite3.connect(place)) as connection:
        every = cells(connection)
        table, column, key_name, key, way = every[pick % len(every)]
        where = f"FROM {table} WHERE {key_name} = ?"
        (before,) = connection.execute(f"SELECT {column} {where}", (key,)).fetchone()
        after = (
            f"{before}{text}"
            if way == (None, None)
            else json.dumps(put(json.loads(before), way, text))
        )
        after = after.encode("utf-8", "replace").decode()
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE {key_name} = ?", (after, key))
        reseal(connection)
        connection.commit()


@FUZZ
@given(st.integers(0, 10_000), hostile_texts, st.sampled_from(READERS))
def test_no_text_of_a_store_drives_the_terminal(
    folder: Path, store: Path, pick: int, text: str, verb: tuple[str, ...]
) -> None:
    for old in folder.iterdir():
        old.unlink()
    shutil.copyfile(store, folder / "whole.rrs")
    with contextlib.suppress(sqlite3.IntegrityError):
        hostile_store(store, folder / "h.rrs", pick, text)
    found = shown(*verb, "h.rrs")
    assert_shown_clean(found)
    if "--json" in verb and found.out:
        json.loads(found.out)


def test_an_identity_with_escapes_is_shown_as_text(folder: Path, store: Path) -> None:
    path = folder / "h.rrs"
    shutil.copyfile(store, path)
    with closing(sqlite3.connect(path)) as connection:
        where = "identity WHERE name = 'identity'"
        (value,) = connection.execute(f"SELECT value FROM {where}").fetchone()
        identity = json.loads(value)
        identity["requirement"]["id"] = "\x1b[2Jmine\u202e"
        connection.execute(
            "UPDATE identity SET value = ? WHERE name = 'identity'", (json.dumps(identity),)
        )
        connection.commit()

    found = shown("store", "info", "h.rrs")

    assert found.status == 0
    assert "\\x1b[2Jmine\\u202e" in found.out
    assert_shown_clean(found)


# -------------------------------------------------------------------------- files and their names


FILES = ("logs/*.xml", "logs/*.txt", "logs/*.log", "logs/*.csv", "logs/*.html")
word = re.compile(rb"[A-Za-z_][\w .-]{2,}")


def spliced(content: bytes, pick: int, text: str) -> bytes:
    """Put `text` behind one of the words of a file, as it is."""
    words = list(word.finditer(content))
    assume(words)
    at = words[pick % len(words)].end()
    return content[:at] + text.encode("utf-8", "surrogatepass") + content[at:]


def of_xml(text: str) -> str:
    """Return a text as XML lets it stand: references where the characters are allowed."""
    return "".join(
        f"&#{ord(c)};" if ord(c) > 0x7E or c in "\n\r" else c if c.isprintable() else "?"
        for c in text
    )


@FUZZ
@given(st.data(), st.integers(0, 100_000), hostile_texts)
def test_no_text_of_a_log_drives_the_terminal(
    folder: Path, fixtures_dir: Path, data: st.DataObject, pick: int, text: str
) -> None:
    every = sorted(path for form in FILES for path in fixtures_dir.glob(form))
    path = data.draw(st.sampled_from(every))
    as_reference = path.suffix == ".xml" and data.draw(st.booleans())
    log = folder / f"h{path.suffix}"
    log.write_bytes(spliced(path.read_bytes(), pick, of_xml(text) if as_reference else text))
    verb = data.draw(st.sampled_from((["log"], ["log", "--all"], ["log", "--json"])))
    found = shown(*verb, log.name)
    assert_shown_clean(found)
    if "--json" in verb and found.out:
        json.loads(found.out)


@FUZZ
@given(st.data(), st.integers(0, 100_000), hostile_texts)
def test_no_text_of_a_capture_drives_the_terminal(
    folder: Path, fixtures_dir: Path, data: st.DataObject, pick: int, text: str
) -> None:
    traces = fixtures_dir / "traces"
    path = data.draw(st.sampled_from(sorted(traces.glob("two-s3-cycles.[cv]*"))))
    capture = folder / f"h{path.suffix}"
    capture.write_bytes(spliced(path.read_bytes(), pick, text))
    log = str(fixtures_dir / "logs" / "two-s3-cycles.xml")
    assert_shown_clean(shown("correlate", capture.name, "--log", log))


@FUZZ
@given(st.data(), st.integers(0, 100_000), hostile_texts)
def test_no_text_of_a_plan_or_a_profile_drives_the_terminal(
    folder: Path, fixtures_dir: Path, data: st.DataObject, pick: int, text: str
) -> None:
    from resume_rig.campaign.plan import plan as of_plans

    plans = Path(of_plans.__file__).parent.parent / "plans"
    option, path = data.draw(
        st.sampled_from(
            [
                *(("--plan", each) for each in sorted(plans.glob("*.toml"))[:3]),
                *(("--dut", each) for each in sorted((fixtures_dir / "duts").glob("*.toml"))[:5]),
            ]
        )
    )
    escaped = data.draw(st.booleans())
    inner = "".join(f"\\U{ord(c):08x}" for c in text) if escaped else text
    file = folder / "h.toml"
    content = path.read_bytes()
    if escaped:  # inside a text, where TOML reads it
        quotes = [m.end() for m in re.finditer(rb'= "', content)]
        assume(quotes)
        at = quotes[pick % len(quotes)]
        content = content[:at] + inner.encode() + content[at:]
    else:
        content = spliced(content, pick, inner)
    file.write_bytes(content)
    (folder / "o.rrs").unlink(missing_ok=True)
    words = ("--rig", "sim:clock=virtual,seed=5", "--cycles", "1", "--out", "o.rrs")
    assert_shown_clean(shown("run", *words, option, "h.toml"))
    if (folder / "o.rrs").exists():
        assert_shown_clean(shown("store", "info", "o.rrs"))
        assert_shown_clean(shown("correlate", "o.rrs"))


names = hostile_texts.map(lambda text: "x" + re.sub(r"[/\x00]", "", text)[:60])


@settings(FUZZ, max_examples=8)
@given(names, st.booleans())
def test_no_file_name_drives_the_terminal(folder: Path, store: Path, name: str, gone: bool) -> None:
    for old in folder.iterdir():
        old.unlink()
    for path in (folder / f"{name}.rrs", folder / f"{name}2.rrs"):
        try:
            shutil.copyfile(store, path)
        except OSError:
            assume(False)
        if gone:
            path.unlink()
    one, two = f"./{name}.rrs", f"./{name}2.rrs"
    for verb in (
        ("store", "info", one),
        ("store", "check", one),
        ("fleet", one, two),
        ("msa", one, two),
        ("compare", one, two),
        ("correlate", one),
        ("report", one),
        ("bundle", one, "--out", f"./{name}.zip"),
        ("log", one),
        ("run", "--resume", one),
    ):
        assert_shown_clean(shown(*verb))
