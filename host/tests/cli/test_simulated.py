"""Simulated evidence is called that on every face and in every file; a mix of both, too."""

import csv
import json
import re
import sqlite3
from pathlib import Path

import pytest
from command_line import Command

from resume_rig.model.evidence import SIMULATED, band_of, was_simulated

RUN = ("run", "--rig", "sim:clock=virtual,seed=11", "--cycles", "4", "--progress", "quiet")
PARTLY = "PARTLY SIMULATED: no PC was measured in 1 of 2"


@pytest.fixture
def store(command: Command, folder: Path) -> Path:
    assert command(*RUN, "--out", "a.rrs").status == 0
    return folder / "a.rrs"


def rewritten(store: Path, name: str, **identity: object) -> str:
    """Return the name of a copy whose identity states something else; None: nothing."""
    copy = store.with_name(name)
    with sqlite3.connect(store) as source, sqlite3.connect(copy) as target:
        source.backup(target)
        (text,) = target.execute("SELECT value FROM identity WHERE name = 'identity'").fetchone()
        found = {**json.loads(text), **identity}
        plain = json.dumps({key: value for key, value in found.items() if value is not None})
        target.execute("UPDATE identity SET value = ? WHERE name = 'identity'", (plain,))
    return name


def as_of_a_pc(store: Path, name: str = "pc.rrs") -> str:
    rig = json.loads(
        sqlite3.connect(store)
        .execute("SELECT value FROM identity WHERE name = 'identity'")
        .fetchone()[0]
    )["rig"]
    return rewritten(
        store,
        name,
        simulated=False,
        rig={**rig, "board": "rpi_pico"},
        rig_url="serial:/dev/ttyACM0",
    )


def test_the_terminal_says_it_first(command: Command, store: Path) -> None:
    for words in (("correlate", "a.rrs"), ("fleet", "a.rrs")):
        said = command(*words)
        assert said.out.splitlines()[0] == SIMULATED, said.err
    assert SIMULATED not in command("correlate", as_of_a_pc(store)).out


def test_pages_show_a_band_in_print_too(command: Command, store: Path) -> None:
    command("fleet", "a.rrs", "--html", "fleet.html")
    for page in ("a.html", "fleet.html"):
        text = Path(page).read_text("utf-8")
        assert f'<p class="band" role="note">{SIMULATED}</p>' in text
        assert "print-color-adjust: exact" in re.findall(r"\.band,[^}]*}", text)[0]
    command("report", as_of_a_pc(store), "--out", "pc.html")
    assert 'class="band"' not in Path("pc.html").read_text("utf-8")


def test_a_mix_says_how_many(command: Command, store: Path) -> None:
    other = as_of_a_pc(store)
    # A copy of the same cycles would be counted once.
    assert command(*RUN[:2], "sim:clock=virtual,seed=12", *RUN[3:], "--out", "b.rrs").status == 0
    mixed = command("compare", other, "b.rrs", "--json")
    document = json.loads(mixed.out)
    assert [document[side]["sessions"][0]["simulated"] for side in ("base", "candidate")] == [
        False,
        True,
    ]
    assert PARTLY in command("compare", other, "b.rrs").out.splitlines()[0]
    assert PARTLY in command("fleet", other, "b.rrs").out.splitlines()[0]


def test_documents_and_exports_have_it(command: Command, store: Path) -> None:
    document = json.loads(command("correlate", "a.rrs", "--json").out)
    assert document["answer"]["about"]["simulated"] is True
    assert document["campaign"]["simulated"] is True
    assert document["campaign"]["identity"]["evidence"] == SIMULATED
    command("export", "a.rrs", "--to", "junit", "--out", "a.xml")
    assert f'<property name="evidence" value="{SIMULATED}"/>' in Path("a.xml").read_text("utf-8")
    command("export", "a.rrs", "--to", "csv", "--out", "a.csv")
    with Path("a.csv").open(encoding="utf-8", newline="") as file:
        assert {row["simulated"] for row in csv.DictReader(file)} == {"true"}


def test_a_bundle_says_it_in_its_first_line(command: Command, store: Path) -> None:
    made = command("bundle", "a.rrs", "--out", "a.zip")
    assert made.err.splitlines()[0] == SIMULATED
    assert command("verify", "a.zip").out.splitlines()[0] == SIMULATED
    assert json.loads(command("verify", "a.zip", "--json").out)["simulated"] is True
    command("bundle", as_of_a_pc(store), "--out", "pc.zip")
    assert SIMULATED not in command("verify", "pc.zip").out


def test_a_requirement_can_refuse_it(command: Command, store: Path) -> None:
    Path("real.toml").write_text(
        'id = "real"\nversion = 1\ntitle = "t"\nsource = "s"\nkinds = ["S3"]\nevidence = "real"\n'
        "[limits]\nresume_ms = 2000\n",
        "utf-8",
    )
    refused = command("report", "a.rrs", "--requirement", "real.toml", "--out", "r.html")
    assert refused.status in (0, 4)
    said = json.loads(command("correlate", "a.rrs", "--requirement", "real.toml", "--json").out)
    assert said["verdict"] == "NO-EVIDENCE"
    assert said["answer"]["reason"] == "not-real"
    of_a_pc = command("correlate", as_of_a_pc(store), "--requirement", "real.toml", "--json")
    assert json.loads(of_a_pc.out)["verdict"] == "PASS"


def test_older_stores_are_known_by_board_and_url_or_say_that_they_are_not(
    command: Command, store: Path
) -> None:
    old = rewritten(store, "old.rrs", simulated=None)
    assert command("correlate", old).out.startswith(SIMULATED)
    unknown = as_of_a_pc(store, "unknown.rrs")
    with sqlite3.connect(unknown) as connection:
        connection.execute(
            "UPDATE identity SET value = replace(value, '\"simulated\": false', '\"x\": 0')"
        )
    document = json.loads(command("correlate", unknown, "--json").out)
    assert document["campaign"]["simulated"] is None
    assert document["campaign"]["identity"]["evidence"].startswith("not stated")


@pytest.mark.parametrize(
    ("board", "url", "simulated"),
    [
        ("sim", "serial:/dev/pts/4", True),
        ("native_sim/native/64", "rfc2217:127.0.0.1:9000", True),
        ("anything", "native:zephyr.exe", True),
        ("rpi_pico", "serial:/dev/ttyACM0", None),
        ("simple_board", "serial:COM4", None),
    ],
)
def test_a_program_is_known_by_its_name(board: str, url: str, *, simulated: bool | None) -> None:
    assert was_simulated(board, url) is simulated


def test_a_band_counts_what_is_known() -> None:
    assert band_of([], "campaigns") == ""
    assert band_of([False, None], "campaigns") == ""
    assert band_of([True, True], "campaigns") == SIMULATED
    assert band_of([True, None], "sessions").endswith("in 1 of 2 sessions")


def test_the_demo_is_the_simulated_bench(command: Command, folder: Path) -> None:
    shown = command("demo", "--seed", "5", "--out", "demo.rrs")
    assert shown.status == 0
    assert shown.out.startswith(SIMULATED)
    assert shown.err.startswith(SIMULATED)
    assert (folder / "demo.html").is_file()
    document = json.loads(command("correlate", "demo.rrs", "--json").out)
    assert [cycle["ignored"] for cycle in document["cycles"]] == [True, False, False, False]
    worse = command("demo", "--seed", "5", "--dut", "slow-laptop", "--out", "slow.rrs")
    assert worse.status == 1


def test_run_without_a_rig_measures_nothing(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    none = command("run")
    assert none.status == 2
    assert "sees no board by USB" in none.err
    assert "`resume-rig demo`" in none.err
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "words", [("wakes-alone",), ("double-reset",), ("loses-devices", "--health")]
)
def test_a_pc_that_is_not_back_whole_is_red_everywhere(command: Command, words: tuple[str]) -> None:
    ran = command(
        *(*RUN[:2], "sim:clock=virtual,seed=3", "--cycles", "100", "--progress", "quiet"),
        *("--out", "bad.rrs", "--dut", *words),
    )
    assert ran.status == 1
    assert "not back whole" in ran.out
    command("export", "bad.rrs", "--to", "junit", "--out", "bad.xml")
    text = Path("bad.xml").read_text("utf-8")
    case = re.findall(r'name="came back whole">\s*<(\w+)', text)
    assert case == ["failure"]
    assert 'failures="0"' not in text
