"""A question that would not end ends: at a signal, at its time limit, at its limit of memory."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("deltalake", reason="the extra lab is not here; `make lab-test` has it")

from made_facts import Made, made_facts

from resume_rig.lake.tables import Lake

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
SELF_JOIN = "SELECT count(*) FROM cycles a, cycles b, cycles c, cycles d, cycles e, cycles f"
PATIENCE_S = 60.0


@pytest.fixture
def lake(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lake of one campaign, and a folder for temporary files, which is empty."""
    Lake("lake").add(made_facts(Made(cycles=300)))
    (folder / "temporary").mkdir()
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.setenv(name, str(folder / "temporary"))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder / "lake"


def left_over(folder: Path) -> list[str]:
    """Return what is left of a question: files, and folders of an engine's own."""
    names = {"lake", "queue", "temporary"}
    return [str(p) for p in (folder / "temporary").iterdir()] + [
        path.name for path in folder.iterdir() if path.name not in names
    ]


@pytest.mark.parametrize("text", [ENDLESS, SELF_JOIN], ids=["recursive", "join"])
def test_a_question_ends_at_its_time_limit(command, folder: Path, lake: Path, text: str) -> None:
    said = command("query", str(lake), text, "--time-limit", "1s")

    assert said.status == 2
    assert said.err.count("\n") == 1
    assert "within 1 s" in said.err
    assert "--time-limit" in said.err
    assert said.out == ""
    assert left_over(folder) == []


@pytest.mark.skipif(sys.platform != "linux", reason="the system keeps no such limit elsewhere")
@pytest.mark.parametrize(
    "text",
    [
        "SELECT length(repeat('x', 3000000000))",
        "SELECT length(range(0, 2000000000))",
        "SELECT list(i) FROM range(2000000000) AS t(i)",
        "SELECT length(string_agg(repeat('abc', 1000), '')) FROM cycles a, cycles b, cycles c",
        "SELECT repeat('x', 1000000) FROM cycles a, cycles b",
        "SELECT list_sort(range(0, 200000000))[1] FROM cycles",
    ],
)
def test_a_question_has_a_limit_of_memory(command, folder: Path, lake: Path, text: str) -> None:
    said = command("query", str(lake), text.replace(" FROM range", " FROM cycles, range"))

    assert said.status == 2
    assert said.err.count("\n") == 1
    assert "could not" in said.err
    assert left_over(folder) == []


def test_an_answer_has_a_limit_of_bytes(command, lake: Path) -> None:
    text = "SELECT repeat('x', 10000) AS t FROM cycles a, cycles b"

    said = command("query", str(lake), text, "--rows", "1000000")

    assert said.status == 2
    assert "could not answer" in said.err


def test_a_limit_of_no_time_is_refused(command, lake: Path) -> None:
    said = command("query", str(lake), "SELECT 1", "--time-limit", "0")

    assert (said.status, said.out) == (2, "")
    assert "--time-limit above 0 s" in said.err


def test_an_answer_that_is_in_time_is_whole(command, folder: Path, lake: Path) -> None:
    text = "SELECT count(*) AS n, 1.5::DECIMAL(3, 1) AS d, [1, 2] AS l FROM cycles"

    said = command("query", str(lake), text, "--json", "--time-limit", "1min")

    assert said.status == 0
    assert said.document["rows"] == [[300, 1.5, [1, 2]]]
    assert left_over(folder) == []


def children_of(parent: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == parent:
                found.append(int(entry.name))
    return found


def is_at_work(process: int) -> bool:
    """Return whether it computes: it is there, and used processor time."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return fields[0] != "Z" and int(fields[11]) > 0


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_a_signal_ends_a_question(
    folder: Path, lake: Path, lab_environment: dict[str, str], name: str
) -> None:
    words = ["query", str(lake), ENDLESS]
    program = "import sys; from resume_rig.cli.main import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", program, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=lab_environment,
    )
    deadline = time.monotonic() + PATIENCE_S
    while not (children := children_of(process.pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(2.0)  # into the question; earlier is right, too
    assert all(map(is_at_work, children))

    os.kill(process.pid, getattr(signal, name))
    out, err = process.communicate(timeout=PATIENCE_S)

    while any(map(is_at_work, children)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_at_work, children))
    if name != "SIGKILL":
        assert (process.returncode, out, err) == (130, "", "resume-rig: stopped.\n")
        assert left_over(folder) == []


def test_no_text_of_a_lake_or_a_question_drives_the_terminal(command, folder: Path) -> None:
    nasty = "a\x1b[2J\x9b2J\u202e\nINJECTED \x1b]8;;http://a.test/\x07"
    Lake("lake").add(made_facts(Made(product=nasty, unit=nasty)))

    for text in (
        "SELECT product, dut FROM campaigns",
        'SELECT 1 AS "\x1b[2J\nINJECTED", 2 AS "\u202e" FROM campaigns',
        "SELECT chr(27) || '[2J' AS c, [chr(10) || 'INJECTED'] AS l FROM campaigns",
        "SELECT \x1b[2J FROM \u202e",
    ):
        for more in ((), ("--json",)):
            said = command("query", "lake", text, *more)
            assert said.status in {0, 2}
            shown = said.out + said.err
            assert [c for c in shown if not c.isprintable() and c != "\n"] == []
            assert [line for line in shown.split("\n") if line.startswith("INJECTED")] == []
