"""Finding stores, reading many of them, and counting a campaign once."""

import contextlib
import errno
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from resume_rig.analysis.compare.fleet import counted_once
from resume_rig.analysis.stats.figures import failure_rate
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.campaign.answer.compare import load_sessions
from resume_rig.campaign.answer.fleet import (
    campaign_id,
    find_stores,
    survey_store,
    survey_stores,
)
from resume_rig.campaign.plan.plan import Plan, override
from resume_rig.campaign.run.campaign import begin
from resume_rig.campaign.run.events import CampaignEvent, CycleDone
from resume_rig.campaign.store.disk import is_being_written
from resume_rig.campaign.store.read_back import load_campaign
from resume_rig.campaign.store.salvage import salvage
from resume_rig.cli.main import main
from resume_rig.model.errors import UsageError
from resume_rig.model.result.fleet import FleetCampaign, SurveyedStore, Trait, UnitBy, UnreadStore
from resume_rig.model.result.verdict import Verdict

REQUIREMENT = load_requirement("sysfund-0004")


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two campaigns in two folders, and a file that is none."""
    folder = tmp_path_factory.mktemp("fleet")
    for name, dut, seed in (("a/one", "healthy-laptop", 1), ("b/two", "healthy-desktop", 2)):
        path = folder / f"{name}.rrs"
        path.parent.mkdir()
        words = ["run", "--rig", f"sim:clock=virtual,seed={seed}", "--dut", dut, "--cycles", "6"]
        assert main([*words, "--out", str(path)]) == 0
    (folder / "b" / "torn.rrs").write_bytes((folder / "a" / "one.rrs").read_bytes()[:9000])
    return folder


def surveyed(paths: list[Path], jobs: int = 1) -> list[SurveyedStore | UnreadStore]:
    told: list[tuple[int, Path]] = []
    found = survey_stores(
        dict.fromkeys(paths, ()),
        REQUIREMENT,
        UnitBy.DUT,
        jobs=jobs,
        progress=lambda *each: told.append(each),
    )
    answers = list(found)
    assert [number for number, _ in told] == list(range(1, len(paths) + 1))
    assert sorted(path for _, path in told) == sorted(paths)
    return answers


def test_stores_are_found_in_folders_once_each(stores: Path) -> None:
    found = find_stores([stores, stores / "b", stores / "a" / "one.rrs"])

    assert found.paths == tuple(stores / name for name in ("a/one.rrs", "b/torn.rrs", "b/two.rrs"))
    assert found.unread == ()


def test_a_link_is_no_second_store(stores: Path, tmp_path: Path) -> None:
    again, whole = tmp_path / "again.rrs", stores / "a" / "one.rrs"
    with contextlib.suppress(OSError):  # Windows lets few users make links
        again.symlink_to(whole)
    if not again.exists():
        pytest.skip("this user or this system makes no links")
    (tmp_path / "loop").symlink_to(tmp_path)

    assert find_stores([whole, tmp_path]).paths == (whole,)


def test_a_folder_that_cannot_be_looked_into_is_told_and_ends_nothing(
    stores: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / "deep"
    deep.mkdir()
    shutil.copy(stores / "a" / "one.rrs", tmp_path / "one.rrs")
    look_into = os.scandir

    def scandir(path: str) -> Any:
        if Path(path) == deep:
            raise OSError(errno.ENAMETOOLONG, "File name too long", str(deep))
        return look_into(path)

    monkeypatch.setattr("os.scandir", scandir)
    found = find_stores([tmp_path])

    assert found.paths == (tmp_path / "one.rrs",)
    assert [(each.path, each.why) for each in found.unread] == [
        (str(deep), f"could not look for stores in {deep}: File name too long")
    ]


def test_a_place_without_a_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no file named \*\.rrs in it or below it"):
        find_stores([tmp_path])
    with pytest.raises(UsageError, match="there is no such file or folder"):
        find_stores([tmp_path / "x.rrs"])


def test_a_store_is_a_line_and_a_torn_one_a_sentence(stores: Path) -> None:
    one, torn = surveyed([stores / "a" / "one.rrs", stores / "b" / "torn.rrs"])

    assert isinstance(one, SurveyedStore)
    line = one.campaign
    assert (line.unit, line.cycles, line.outcomes) == (
        "healthy-laptop",
        6,
        {"slept-and-woke": 6},
    )
    assert line.traits[Trait.PRODUCT] == "Example Corp. Notebook 14"
    assert line.traits[Trait.STATE] == "S3"
    assert line.failures is not None
    assert (line.failures.failures, line.failures.n) == (0, 5)
    assert line.times["resume_ms"].n == 5
    assert not line.running
    assert isinstance(torn, UnreadStore)
    assert "torn.rrs" in torn.why


def test_where_nothing_is_judged_the_wires_are_told_and_no_record(tmp_path: Path) -> None:
    path = tmp_path / "dozes.rrs"
    rig = ["--rig", "sim:clock=virtual,seed=4", "--dut", "doze-to-s4", "--cycles", "4"]
    assert main(["run", *rig, "--out", str(path)]) == 4

    (found,) = surveyed([path])

    assert isinstance(found, SurveyedStore)
    assert found.campaign.failures is None
    assert set(found.campaign.times) == {"press_to_light_ns"}


def test_processes_of_their_own_say_the_same(stores: Path) -> None:
    paths = list(find_stores([stores]).paths)

    assert surveyed(paths, jobs=2) == surveyed(paths, jobs=1)


def test_units_are_told_apart_as_asked(stores: Path) -> None:
    path = stores / "a" / "one.rrs"
    units = {
        by: found.campaign.unit
        for by in UnitBy
        if isinstance(found := survey_store(path, REQUIREMENT, by), SurveyedStore)
    }

    assert units == {
        UnitBy.DUT: "healthy-laptop",
        UnitBy.FOLDER: str(path.parent),
        UnitBy.STORE: str(path),
    }


def test_copies_count_once_and_the_longest_of_them(stores: Path, tmp_path: Path) -> None:
    whole = stores / "a" / "one.rrs"
    copy, short = tmp_path / "copy.rrs", tmp_path / "short.rrs"
    shutil.copy(whole, copy)
    shutil.copy(whole, short)
    with contextlib.closing(sqlite3.connect(short)) as connection, connection:
        connection.execute("DELETE FROM cycle WHERE number > 3")
    salvaged = tmp_path / "salvaged.rrs"
    salvage(short, salvaged)
    (found,) = surveyed([salvaged])
    assert isinstance(found, SurveyedStore)
    assert found.campaign.marks == ("SIMULATED", "salvaged", "3 of 6 cycles done")

    campaigns, unread, copies = counted_once(surveyed([salvaged, copy, whole]), nothing_again)

    assert [each.path for each in campaigns] == [str(copy)]
    assert unread == ()
    assert set(copies) == {(str(salvaged), str(copy)), (str(whole), str(copy))}


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Campaigns of 3 and of 9 cycles with one seed, and copies of the longer one.

    `early` was copied while the campaign ran, `resumed` is that copy, gone on with by itself,
    `salvaged` is of one whose first cycle is lost.
    """
    folder = tmp_path_factory.mktemp("copied")
    rig = "sim:clock=virtual,seed=1"
    for name, cycles in (("three", 3), ("whole", 9)):
        words = ["run", "--rig", rig, "--cycles", str(cycles), "--out", str(folder / f"{name}.rrs")]
        assert main(words) == 0
    whole = folder / "whole.rrs"
    for name in ("copy", "early", "damaged"):
        shutil.copy(whole, folder / f"{name}.rrs")
    remove(folder / "early.rrs", "number > 4")
    shutil.copy(folder / "early.rrs", folder / "resumed.rrs")
    assert main(["run", "--resume", str(folder / "resumed.rrs")]) == 0
    remove(folder / "damaged.rrs", "number = 1")
    salvage(folder / "damaged.rrs", folder / "salvaged.rrs")
    return folder


def remove(store: Path, which: str) -> None:
    """Leave in a store what it had before some of its cycles were committed."""
    with contextlib.closing(sqlite3.connect(store)) as connection, connection:
        cycles = f"SELECT number FROM cycle WHERE {which}"
        connection.execute(f"DELETE FROM seal WHERE cycle IN ({cycles})")
        connection.execute(f"DELETE FROM cycle WHERE {which}")


def once(folder: Path, *names: str) -> tuple[list[str], set[tuple[str, str]]]:
    """Return which stores count, and (copy, of what) of the others, by name."""
    campaigns, _, copies = counted_once(
        surveyed([folder / f"{name}.rrs" for name in names]), nothing_again
    )
    counted = [Path(each.path).stem for each in campaigns]
    return counted, {(Path(copy).stem, Path(of).stem) for copy, of in copies}


def test_two_campaigns_of_one_seed_count_both(copied: Path) -> None:
    three, nine = (load_campaign(copied / f"{name}.rrs") for name in ("three", "whole"))
    # Nothing of the raw data distinguishes their first cycles, only the plan does.
    assert [raw.edges for raw in three.cycles] == [raw.edges for raw in nine.cycles[:3]]

    assert once(copied, "three", "whole") == (["three", "whole"], set())


@pytest.mark.parametrize(
    ("names", "counted", "copies"),
    [
        (("whole", "copy"), ["whole"], {("copy", "whole")}),
        (("early", "whole"), ["whole"], {("early", "whole")}),
        (("salvaged", "whole"), ["whole"], {("salvaged", "whole")}),
        (("salvaged", "early"), ["salvaged", "early"], set()),
        (
            ("three", "early", "copy", "salvaged", "whole"),
            ["three", "copy"],
            {("early", "copy"), ("salvaged", "copy"), ("whole", "copy")},
        ),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else None,
)
def test_a_store_all_of_whose_cycles_another_has_is_a_copy(
    copied: Path, names: tuple[str, ...], counted: list[str], copies: set[tuple[str, str]]
) -> None:
    assert once(copied, *names) == (counted, copies)


def test_a_copy_that_went_on_by_itself_hides_no_cycle(copied: Path) -> None:
    paths = [copied / "whole.rrs", copied / "resumed.rrs"]

    campaigns, _, copies = counted_once(surveyed(paths), nothing_again)

    assert copies == ()
    marks = [mark for each in campaigns for mark in each.marks if "also in" in mark]
    assert marks == ["4 cycles also in resumed.rrs", "4 cycles also in whole.rrs"]


def test_a_store_that_was_copied_while_its_campaign_ran_is_a_copy(
    simulated: Callable[..., Any], short_plan: Plan, tmp_path: Path
) -> None:
    bench, early = simulated(), tmp_path / "early.rrs"

    def copy(event: CampaignEvent) -> None:
        if isinstance(event, CycleDone) and event.raw.number == 2:
            shutil.copy(bench.path, early)

    begin(bench.path, override(short_plan, cycles=4), bench.identity, bench.parts, copy)

    assert once(tmp_path, "early", "sim") == (["sim"], {("early", "sim")})


def test_stores_without_a_cycle_are_no_copies(copied: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        shutil.copy(copied / "whole.rrs", tmp_path / f"{name}.rrs")
        remove(tmp_path / f"{name}.rrs", "number > 0")

    assert once(tmp_path, "a", "b") == (["a", "b"], set())


def test_a_campaign_has_one_id_in_all_its_copies(copied: Path) -> None:
    ids = {
        name: campaign_id(load_campaign(copied / f"{name}.rrs"))
        for name in ("whole", "copy", "early", "salvaged", "three")
    }

    assert len({ids[name] for name in ("whole", "copy", "early", "salvaged")}) == 1
    assert ids["three"] != ids["whole"]


def test_of_copies_compare_takes_the_longest_and_names_the_others(copied: Path) -> None:
    early, whole, three = (copied / f"{name}.rrs" for name in ("early", "whole", "three"))

    sessions = load_sessions([early, whole, three])

    assert [each.path for each in sessions] == [str(whole), str(three)]
    assert sessions[0].notes == (f"{early} is a copy of {whole} and counts once.",)


def test_a_store_that_is_being_written_is_told_as_running(stores: Path, tmp_path: Path) -> None:
    path = tmp_path / "night.rrs"
    shutil.copy(stores / "a" / "one.rrs", path)
    script = (
        "import sys; from pathlib import Path; from resume_rig.campaign.store.store import Store\n"
        "with Store.resume(Path(sys.argv[1])): print('open', flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline().strip() == b"open"
        (found,) = surveyed([path])
        assert isinstance(found, SurveyedStore)
        assert found.campaign.running
        assert writer.stdin is not None
        writer.stdin.close()


def test_a_campaign_that_was_killed_is_not_running(stores: Path, tmp_path: Path) -> None:
    path = tmp_path / "night.rrs"
    shutil.copy(stores / "a" / "one.rrs", path)
    script = (
        "import os, sys; from pathlib import Path; from resume_rig.campaign.store.store import "
        "Store\nstore = Store.resume(Path(sys.argv[1])); os._exit(9)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert path.with_name("night.rrs-wal").exists()

    (found,) = surveyed([path])

    assert isinstance(found, SurveyedStore)
    assert not found.campaign.running


def test_a_store_that_is_only_open_is_not_being_written(tmp_path: Path) -> None:
    path = tmp_path / "open.rrs"
    script = (
        "import sqlite3, sys\n"
        "store = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "store.execute('PRAGMA journal_mode = WAL')\n"
        "for words in ('CREATE TABLE t (a)', 'BEGIN IMMEDIATE', 'COMMIT'):\n"
        "    store.execute(words); print(words, flush=True); sys.stdin.readline()\n"
    )
    assert not is_being_written(path)
    found = {}
    with subprocess.Popen(
        [sys.executable, "-c", script, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdin is not None
        for words in other.stdout:
            found[words.strip()] = is_being_written(path)
            other.stdin.write("on\n")
            other.stdin.flush()

    assert found == {"CREATE TABLE t (a)": False, "BEGIN IMMEDIATE": True, "COMMIT": False}
    assert not is_being_written(path)


def nothing_again(wanted: Mapping[Path, Collection[int]]) -> list[SurveyedStore | UnreadStore]:
    """Read logs again, of which there are none."""
    assert not wanted
    return []


def log_of(
    name: str, *accounts: int, cycles: int = 3, log: str = "evtx", unit: str = ""
) -> SurveyedStore:
    line = FleetCampaign(
        path=name,
        unit=unit or name,
        traits=dict.fromkeys(Trait, ""),
        begun_utc_ns=None,
        running=False,
        marks=(),
        cycles=cycles,
        verdict=Verdict.PASS,
        why="",
        failures=failure_rate(0, len(accounts)) if accounts else None,
        outcomes={},
        findings={},
        times={},
        log=log,
    )
    return SurveyedStore(line, accounts)


def test_a_log_that_another_holds_whole_counts_once() -> None:
    campaigns, _, copies = counted_once(
        [log_of("monday", 1, 2), log_of("friday", 1, 2, 3), log_of("again", 1, 2, 3)],
        nothing_again,
    )

    assert [each.path for each in campaigns] == ["friday"]
    assert copies == (("monday", "friday"), ("again", "friday"))


def test_a_log_that_a_store_keeps_counts_once_and_the_store_stays() -> None:
    store = log_of("x.rrs", 1, 2, log="")
    campaigns, _, copies = counted_once(
        [log_of("same", 1, 2), store, log_of("none"), log_of("y.rrs", log="")], nothing_again
    )

    assert [each.path for each in campaigns] == ["x.rrs", "none", "y.rrs"]
    assert copies == (("same", "x.rrs"),)


def test_logs_of_two_units_that_overlap_stay_both_and_say_so() -> None:
    campaigns, _, copies = counted_once(
        [log_of("a/System", 1, 2, 3), log_of("b/Later", 2, 3, 4)], nothing_again
    )

    assert copies == ()
    assert [each.marks for each in campaigns] == [
        ("2 sleeps also in Later",),
        ("2 sleeps also in System",),
    ]


def test_logs_of_one_unit_that_overlap_count_each_sleep_once() -> None:
    months = {
        "april": (1, 2, 3, 4),
        "may": (3, 4, 5, 6, 7),
        "june": (2, 6),
        "july": (7, 8),
        "august": (8, 9),
    }
    asked: dict[str, set[int]] = {}

    def again(wanted: Mapping[Path, Collection[int]]) -> Iterator[SurveyedStore | UnreadStore]:
        for path, counted in wanted.items():
            asked[path.name] = set(counted)
            rest = [each for each in months[path.name] if each not in counted]
            if path.name == "august":
                yield UnreadStore(path.name, "it is gone", is_log=True)
            else:
                yield log_of(path.name, *rest, cycles=len(rest), unit="PC-07")

    campaigns, unread, copies = counted_once(
        [log_of(name, *each, unit="PC-07") for name, each in months.items()], again
    )

    assert asked == {"april": {3, 4}, "june": {2, 6}, "july": {7}, "august": {8}}
    assert [(each.path, each.failures and each.failures.n, each.marks) for each in campaigns] == [
        ("april", 2, ("2 sleeps counted in may",)),
        ("may", 5, ()),
        ("july", 1, ("1 sleep counted in may",)),
    ]
    assert copies == (("june", "april"),)
    assert [each.path for each in unread] == ["august"]


def test_two_exports_of_a_log_have_the_same_accounts(shared_data: Path) -> None:
    evtx, xml = (
        survey_store(
            shared_data / "eventlog" / f"win10-15063-desktop-s1.{ending}",
            REQUIREMENT,
            UnitBy.DUT,
        )
        for ending in ("evtx", "xml")
    )

    assert isinstance(evtx, SurveyedStore)
    assert isinstance(xml, SurveyedStore)
    assert len(evtx.accounts) == 2
    assert list(evtx.accounts) == list(xml.accounts)
