"""What surrounds a campaign does as it likes: clocks, time zones, boards, other users' files."""

import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from resume_rig.acceptance.checks import evidence_is_whole
from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.campaign.run import bench
from resume_rig.campaign.run.bench import Capture
from resume_rig.campaign.store.read_back import load_campaign, timed_campaign
from resume_rig.campaign.store.store import Store
from resume_rig.cli.main import main
from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge
from resume_rig.model.errors import LinkLost, ProtocolError
from resume_rig.report.export.manifest import NAME
from resume_rig.rig.interface import EdgeBatch
from resume_rig.rig.link.claim import claim_rig

Make = Callable[..., Any]

HOUR_NS = 3_600_000_000_000


def slow(*values: object) -> list[Any]:
    """Return parameters that `make test-all` tries; one of their kind is in `make test`."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]


@pytest.mark.parametrize(
    "jumps_ns",
    [(HOUR_NS,), (-HOUR_NS,), (HOUR_NS, -HOUR_NS), (24 * HOUR_NS, -3), (-400_000_000,)],
    ids=["forward", "back", "there-and-back", "a-day", "less-than-a-second"],
)
def test_a_wall_clock_that_jumps_between_and_in_cycles_costs_no_cycle(
    simulated: Make, monkeypatch: pytest.MonkeyPatch, jumps_ns: tuple[int, ...]
) -> None:
    bench = simulated()
    moved, asked = 0, 0
    true_utc_ns = type(bench.clock).utc_ns

    def jumping(clock: Any) -> int:
        nonlocal moved, asked
        asked += 1
        moved += jumps_ns[asked % len(jumps_ns)] if asked % 7 == 3 else 0
        return true_utc_ns(clock) + moved

    monkeypatch.setattr(type(bench.clock), "utc_ns", jumping)
    bench.begin(override(default_plan(), cycles=8))

    assert asked > 7, "it jumped"
    stored = load_campaign(bench.path)
    timed = timed_campaign(stored).cycles
    assert [raw.number for raw in stored.cycles] == list(range(1, 9))
    lengths = [
        cycle.outside.awake_from_ns - cycle.outside.asleep_from_ns
        for cycle in timed
        if cycle.outside.awake_from_ns is not None and cycle.outside.asleep_from_ns is not None
    ]
    assert len(lengths) == 8, "what is between wires knows nothing of the wall clock"
    assert all(5_000_000_000 < each < 6_000_000_000 for each in lengths)


@pytest.mark.slow
def test_time_zones_and_their_changes_change_nothing(tmp_path: Path) -> None:
    answers = []
    for number, zone in enumerate(("UTC", "XST-1XDT,M1.1.0/0,M12.5.0/24", "XST+12:59:59")):
        path = tmp_path / f"{number}.rrs"
        for words in (
            ("run", "--rig", "sim:clock=virtual,seed=9", "--cycles", "3", "--out", str(path)),
            ("correlate", str(path), "--json"),
        ):
            done = subprocess.run(
                [sys.executable, "-m", "resume_rig", *words],
                env={**os.environ, "TZ": zone},
                capture_output=True,
                text=True,
                check=True,
            )
        document = json.loads(done.stdout)
        answers.append({key: document[key] for key in ("cycles", "clock", "verdict")})

    assert answers[0] == answers[1] == answers[2]


class FloodingRig:
    """A board that has more edges for ever."""

    def levels(self) -> dict[Channel, int]:
        return {}

    def edges(self, cursor: int, count: int = 128) -> EdgeBatch:
        rows = tuple(
            Edge(number, number, Channel.SLP_S3, number & 1)
            for number in range(cursor, cursor + count)
        )
        return EdgeBatch(rows, cursor, cursor + count, 0, 0, True)


def test_a_board_with_edges_without_end_is_told_and_not_read_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bench, "EDGES_MOST", 5_000)
    capture = Capture(FloodingRig(), has_light=False)  # type: ignore[arg-type]

    with pytest.raises(ProtocolError, match="more than 5,000 edges of one cycle"):
        capture.read_edges()

    assert len(capture.edges) == 5_000


posix = pytest.mark.skipif(sys.platform == "win32", reason="its folder is the user's own")


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of everybody's temporary files."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


URL = "socket://127.0.0.1:1"


def note_of(notes: Path) -> Path:
    claim_rig(URL, "x", "now").release()
    (note,) = notes.glob("resume-rig-*.claim")
    return note


@posix
@pytest.mark.parametrize("what", ["link", "second-name", "pipe", "folder"])
def test_what_others_put_where_a_claim_is_noted_is_left_alone(notes: Path, what: str) -> None:
    note, victim = note_of(notes), notes / "thesis"
    note.unlink()
    victim.write_text("ten years of work")
    match what:
        case "link":
            note.symlink_to(victim)
        case "second-name":
            note.hardlink_to(victim)
        case "pipe":
            os.mkfifo(note)
        case "folder":
            note.mkdir()

    with claim_rig(URL, "resume-rig run", "now"):
        pass

    assert victim.read_text() == "ten years of work"


@posix
def test_a_claim_of_ones_own_still_counts(notes: Path) -> None:
    with (
        claim_rig(URL, "resume-rig run", "now"),
        pytest.raises(LinkLost, match="resume-rig run, process"),
    ):
        claim_rig(URL, "resume-rig press", "later")


@posix
def test_evidence_goes_through_no_link_that_others_laid(simulated: Make, tmp_path: Path) -> None:
    bench = simulated()
    bench.begin(override(default_plan(), cycles=2))
    own, theirs = tmp_path / "own", tmp_path / "theirs"
    own.mkdir()
    theirs.mkdir()
    (own / ".night.part").symlink_to(theirs)

    assert main(["export", str(bench.path), "--evidence", str(own / "night")]) == 0

    assert list(theirs.iterdir()) == []
    assert (own / "night" / "report.html").is_file()
    assert not (own / "night").is_symlink()
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((own / "night").stat().st_mode) == 0o777 & ~mask


@pytest.mark.parametrize(
    "name",
    ["-rf", "a\nb", "%s%n{0}", "..a", "é" * 60, "n" * 200, "\u202etxt.exe", "<script>", "a b'c\"d"],
)
@posix
def test_evidence_takes_any_name(simulated: Make, tmp_path: Path, name: str) -> None:
    bench = simulated()
    bench.begin(override(default_plan(), cycles=2))
    folder = tmp_path / name

    assert main(["export", str(bench.path), "--evidence", str(folder)]) == 0

    page = (folder / "report.html").read_text("utf-8")
    assert page.count("<script") == 1  # our own
    assert "\u202e" not in page
    subprocess.run(["sha256sum", "--check", "--quiet", NAME], cwd=folder, check=True)


@posix
@pytest.mark.parametrize("free", [0, *slow(1, 2, 3, 5), 8, *slow(13, 21)])
def test_no_file_left_to_open_is_one_sentence(tmp_path: Path, free: int) -> None:
    """A process that may open so many files more than Python itself has open."""
    code = (
        "import resource, sys\n"
        "from resume_rig.cli import program\n"
        "import resume_rig.cli.bench.verb_run, resume_rig.acceptance.campaign\n"
        f"resource.setrlimit(resource.RLIMIT_NOFILE, (3 + {free}, 3 + {free}))\n"
        "sys.exit(program.run(sys.argv[1:]))"
    )
    words = ("run", "--rig", "sim:clock=virtual,seed=1", "--cycles", "2", "--out", "s.rrs")
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert done.returncode in (0, 2, 3), done.stderr
    assert "Traceback" not in done.stderr
    if (tmp_path / "s.rrs").exists():
        with Store.open(tmp_path / "s.rrs") as store:
            assert store.numbers() == tuple(range(1, store.last_number() + 1))


@posix
@pytest.mark.parametrize("free", [*slow(4, 7, 9, 10), 11, *slow(12, 14, 20)])
def test_no_file_left_to_open_on_a_real_port_is_one_sentence(tmp_path: Path, free: int) -> None:
    """As before, on a terminal that a bench of another process is behind."""
    code = (
        "import resource, sys\n"
        "from resume_rig.cli import program\n"
        "import resume_rig.cli.bench.verb_run, resume_rig.acceptance.campaign\n"
        "import resume_rig.rig.link.open, resume_rig.rig.smp.serial_transport\n"
        f"resource.setrlimit(resource.RLIMIT_NOFILE, ({free}, {free}))\n"
        "sys.exit(program.run(sys.argv[1:]))"
    )
    port = tmp_path / "port"
    bench = subprocess.Popen(
        [sys.executable, "-m", "resume_rig", "sim", "--pty", str(port), "--seed", "1"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        while not port.exists():
            assert bench.poll() is None, bench.stderr
            time.sleep(0.05)
        words = ("run", "--rig", f"serial:{port}", "--cycles", "1", "--dwell", "5", "--settle", "1")
        done = subprocess.run(
            [sys.executable, "-c", code, *words, "--out", "s.rrs", "--progress", "quiet"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    finally:
        bench.terminate()
        bench.communicate()

    assert done.returncode in (0, 2, 3, 4), done.stderr
    assert "Traceback" not in done.stderr
    why = ("Too many open files", "unable to open database file")  # the latter is SQLite's word
    assert done.returncode in (0, 4) or any(each in done.stderr for each in why)
    if (tmp_path / "s.rrs").exists():
        with Store.open(tmp_path / "s.rrs") as store:
            assert store.numbers() == tuple(range(1, store.last_number() + 1))


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace makes the disk fail")
@pytest.mark.parametrize(
    "fault",
    [
        *slow("fdatasync:error=EIO:when=5", "fdatasync:error=EIO:when=9+"),
        "fdatasync:error=EIO:when=14",
        *slow("pwrite64:error=ESTALE:when=40", "pwrite64:error=EDQUOT:when=60+"),
        *slow("fdatasync:delay_enter=300000"),
    ],
)
def test_a_disk_of_a_network_that_fails_or_is_slow_costs_no_cycle_that_was_told_of(
    tmp_path: Path, fault: str
) -> None:
    words = [sys.executable, "-m", "resume_rig", "run", "--progress", "json"]
    rig = ("--rig", "sim:clock=virtual,seed=4", "--cycles", "4", "--out", "s.rrs")
    trace = ("strace", "-f", "-qq", "-o", os.devnull, "-e", "trace=fdatasync,pwrite64")
    done = subprocess.run(
        [*trace, "-e", f"inject={fault}", *words, *rig],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    # One sync that fails may be that of a checkpoint: the WAL has its cycle, and nothing is lost.
    assert done.returncode in ((0,) if "delay" in fault else (0, 2)), done.stderr
    assert done.returncode == 2 or not fault.endswith("+")
    told = done.stderr.count('"event":"cycle"')
    if done.returncode:
        assert "its disk takes nothing that is written" in done.stderr
    if (tmp_path / "s.rrs").exists():
        with Store.open(tmp_path / "s.rrs") as store:
            assert store.last_number() >= told
        assert main(["run", "--resume", str(tmp_path / "s.rrs")]) == 0
        with Store.open(tmp_path / "s.rrs") as store:
            assert store.numbers() == (1, 2, 3, 4)


def test_keys_of_a_newer_version_are_passed_over(simulated: Make) -> None:
    bench = simulated()
    bench.begin(override(default_plan(), cycles=2))
    connection = sqlite3.connect(bench.path)
    connection.execute(
        "UPDATE identity SET value = replace(value, '{', '{\"colour_of_2031\":[1],') "
        "WHERE name = 'identity' AND substr(value, 1, 1) = '{'"
    )
    connection.commit()
    connection.close()
    with Store.open(bench.path) as store:
        assert store.identity == bench.identity
        assert store.numbers() == (1, 2)


@posix
@pytest.mark.parametrize("what", ["pipe", *slow("zeros", "folder")])
@pytest.mark.parametrize(
    "words",
    [
        ("run", "--plan", "{}"),
        ("run", "--rig", "sim:clock=virtual,faults={}"),
        ("run", "--dut", "{}"),
        ("run", "--requirement", "{}"),
        ("log", "{}"),
        ("correlate", "{}", "--log", "{}"),
        ("store", "info", "{}"),
        ("store", "salvage", "{}", "--out", "x.rrs"),
        ("msa", "--design", "{}"),
        ("firmware", "install", "{}", "--rig", "sim:"),
        ("run", "--rig", "sim:clock=virtual", "--progress", "quiet", "--log", "{}"),
    ],
    ids=[
        *("plan", "faults", "dut", "requirement", "log", "capture", "store", "salvage"),
        *("design", "image", "growing-log"),
    ],
)
def test_a_pipe_or_a_device_in_place_of_a_file_is_refused(
    tmp_path: Path, words: tuple[str, ...], what: str
) -> None:
    path = tmp_path / "x.toml"
    if words[-2] == "--log" and words[0] == "run" and what == "folder":
        pytest.skip("a folder of logs is allowed")
    match what:
        case "pipe":
            os.mkfifo(path)
        case "zeros":
            path.symlink_to("/dev/zero")
        case "folder":
            path.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "resume_rig", *(word.format(path) for word in words)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1


def test_a_manifest_that_names_files_elsewhere_opens_none_of_them(tmp_path: Path) -> None:
    names = ("../../../../../../dev/zero", "/dev/zero", "\x1b[2J")
    (tmp_path / NAME).write_text("".join(f"{'0' * 64}  {name}\n" for name in names))

    found = evidence_is_whole(tmp_path)

    assert not found.ok
    assert "/dev/zero is not what was written" in found.text
