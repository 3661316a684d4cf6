"""The lake: what goes in comes out once, whole, whoever adds it and whatever a DUT wrote."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("deltalake", reason="the extra lab is not here; `make lab-test` has it")

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake
from hypothesis import given
from hypothesis import strategies as st
from made_facts import BEGIN_NS, DAY_NS, Made, made_facts

from resume_rig.cli.main import main
from resume_rig.lake.facts import PARTITIONS, SCHEMAS, JudgedFacts, key_of
from resume_rig.lake.tables import Added, Lake, LakeUnreachable, lake_url, put, queued
from resume_rig.model.errors import UsageError

HOSTILE = "../../etc/x'; DROP TABLE campaign;--\u202e\x1b[31m\ud800<script>" + "A" * 70_000


def rows_of(lake: Lake, name: str) -> list[dict[str, object]]:
    """Return the rows of a table as they lie on the disk, superseded ones among them."""
    found: list[dict[str, object]] = DeltaTable(f"{lake.url}/{name}").to_pyarrow_table().to_pylist()
    return found


def test_a_lake_answers_fleet_as_its_stores_do(command, stores: Path, folder: Path) -> None:
    added = command("lake", "add", str(stores), "--to", "lake", "--json")
    assert added.status == 0
    assert [each["became"] for each in added.document["added"]] == ["added"] * 3

    for words in ([], ["--units", "store", "--by", "none"], ["--units", "folder", "--by", "bios"]):
        of_stores = command("fleet", str(stores), "--json", *words)
        of_lake = command("fleet", "lake", "--json", *words)

        assert of_lake.out == of_stores.out
        assert of_lake.status == of_stores.status == 1


def test_every_kind_of_fact_of_a_campaign_is_there(command, stores: Path, folder: Path) -> None:
    assert command("lake", "add", str(stores / "three.rrs"), "--to", "lake").status == 0
    judged = command("correlate", str(stores / "three.rrs"), "--json").document
    lake = Lake("lake")

    cycles = rows_of(lake, "cycles")
    assert [row["cycle"] for row in cycles] == [cycle["cycle"] for cycle in judged["cycles"]]
    assert [row["verdict"] for row in cycles] == [cycle["verdict"] for cycle in judged["cycles"]]
    light = {
        row["cycle"]: (row["value_ns"], row["bound_ns"])
        for row in rows_of(lake, "intervals")
        if row["interval"] == "press_to_light_ns"
    }
    told = {c["cycle"]: c["outside"]["press_to_light_ns"] for c in judged["cycles"]}
    assert light == {number: (each["value"], each["bound"]) for number, each in told.items()}
    records = [row for row in rows_of(lake, "os_records") if row["cycle"] is not None]
    assert [r["bios_init_ms"] for r in records] == [
        c["inside"]["bios_init_ms"] for c in judged["cycles"] if c["inside"]
    ]
    findings = [(row["cycle"], row["kind"]) for row in rows_of(lake, "findings")]
    assert findings == [(c["cycle"], f["kind"]) for c in judged["cycles"] for f in c["findings"]]
    (resume,) = [r for r in rows_of(lake, "limits") if r["measure"] == "resume_ms"]
    assert (resume["verdict"], resume["failed"], resume["value"]) == ("FAIL", 5, 2000e6)
    assert {row["interval"] for row in rows_of(lake, "budgets")} >= {"press_to_light_ns"}


def test_a_campaign_that_is_judged_again_replaces_itself(
    command, stores: Path, folder: Path
) -> None:
    store = str(stores / "one.rrs")
    assert command("lake", "add", store, "--to", "lake").status == 0
    before = {name: len(rows_of(Lake("lake"), name)) for name in SCHEMAS}

    words = ("--requirement", "sysfund-0004", "--limit-ms", "500")
    again = command("lake", "add", store, "--to", "lake", *words)

    assert "replaced" in again.err
    assert {name: len(rows_of(Lake("lake"), name)) for name in SCHEMAS} == before
    (campaign,) = rows_of(Lake("lake"), "campaigns")
    assert campaign["verdict"] == "FAIL"
    # One that was judged against something else is not counted, and a sentence says so.
    other = command("fleet", "lake")
    assert other.status == 2
    assert "judged against sysfund-0004, version 3 with other limits" in " ".join(other.out.split())
    assert command("fleet", "lake", "--limit-ms", "500").status == 1


def test_a_copy_that_goes_less_far_replaces_nothing(tmp_path: Path) -> None:
    lake, whole = Lake(str(tmp_path / "lake")), Made(cycles=9)

    assert lake.add(made_facts(whole)) is Added.NEW
    assert lake.add(made_facts(replace(whole, cycles=5))) is Added.KEPT
    assert len(rows_of(lake, "cycles")) == 9
    assert lake.add(made_facts(replace(whole, cycles=12))) is Added.REPLACED
    assert len(rows_of(lake, "cycles")) == 12
    # An older judgement that waited in a queue replaces no newer one.
    assert lake.add(made_facts(replace(whole, cycles=12), added_ns=BEGIN_NS)) is Added.KEPT


ADD = """
import sys
from made_facts import Made, made_facts
from resume_rig.lake.tables import Lake
number = int(sys.argv[2])
lake = Lake(sys.argv[1])
print(lake.add(made_facts(Made(unit=f"own {number}"))).value)
print(lake.add(made_facts(Made(unit="of all"))).value)
"""


@pytest.mark.slow
def test_hosts_that_add_at_once_lose_and_double_nothing(
    tmp_path: Path, lab_environment: dict[str, str]
) -> None:
    words = [sys.executable, "-c", ADD, str(tmp_path / "lake")]
    hosts = [
        subprocess.Popen(
            [*words, str(number)], env=lab_environment, stdout=subprocess.PIPE, text=True
        )
        for number in range(6)
    ]
    said = [host.communicate(timeout=500)[0].splitlines() for host in hosts]

    assert [host.returncode for host in hosts] == [0] * 6
    assert [lines[0] for lines in said] == [Added.NEW.value] * 6
    assert [lines[1] for lines in said].count(Added.NEW.value) == 1
    lake = Lake(str(tmp_path / "lake"))
    campaigns = rows_of(lake, "campaigns")
    assert sorted(str(row["dut"]) for row in campaigns) == [
        "of all",
        *(f"own {number}" for number in range(6)),
    ]
    loads = {row["load_id"] for row in campaigns}
    counted = [row for row in rows_of(lake, "cycles") if row["load_id"] in loads]
    assert len(counted) == 7 * Made().cycles


KILLED = """
import os, signal, sys
from made_facts import Made, made_facts
from resume_rig.lake.tables import Lake
class Dying(Lake):
    def _commit(self, facts):
        os.kill(os.getpid(), signal.SIGKILL)
Dying(sys.argv[1]).add(made_facts(Made(unit="killed")))
"""


def test_an_add_that_is_killed_is_not_there_and_leaves_nothing(
    command, folder: Path, lab_environment: dict[str, str]
) -> None:
    lake = Lake("lake")
    lake.add(made_facts(Made(unit="whole")))
    words = [sys.executable, "-c", KILLED, str(folder / "lake")]
    assert subprocess.run(words, env=lab_environment, check=False).returncode == -signal.SIGKILL
    assert len(rows_of(lake, "cycles")) == 2 * Made().cycles

    asked = command("query", "lake", "SELECT count(*) AS n FROM cycles", "--json").document
    assert asked["rows"] == [[Made().cycles]]

    # What is younger than a day may still be under way.
    lake.compact(BEGIN_NS)
    assert len(rows_of(lake, "cycles")) == 2 * Made().cycles
    lake.compact(time.time_ns() + 2 * DAY_NS)
    assert len(rows_of(lake, "cycles")) == Made().cycles


def test_compacting_puts_small_files_together_and_changes_no_answer(command, folder: Path) -> None:
    for number in range(4):
        Lake("lake").add(made_facts(Made(unit=f"unit {number}", seed=number)))
    before = command("fleet", "lake", "--json").out

    said = command("lake", "compact", "lake", "--json").document

    assert said["tables"]["cycles"] == {"before": 4, "after": 1}
    assert command("fleet", "lake", "--json").out == before


def test_what_a_dut_wrote_becomes_a_value_and_never_a_path_or_a_statement(
    command, folder: Path
) -> None:
    from resume_rig.lake.facts import _fit  # what every cell goes through

    made = Made(unit="u", product=HOSTILE, bios="../1.0\0/..", seed=3)
    facts = made_facts(made)
    rows = facts.tables["campaigns"].to_pylist()
    assert len(str(rows[0]["product"])) == 4000
    assert "\ud800" not in str(_fit("\ud800"))
    Lake("lake").add(facts)

    below = (folder / "lake").resolve()
    names = list(below.rglob("*"))
    assert all(path.resolve().is_relative_to(below) for path in names)
    assert all(part.isascii() and len(part) < 120 for path in names for part in path.parts)
    assert not (folder.parent / "etc").exists()
    for words in (["fleet", "lake"], ["trend", "lake"], ["query", "lake", "FROM campaigns"]):
        said = command(*words)
        assert "\x1b" not in said.out
        assert "\u202e" not in said.out
    page = command("trend", "lake", "--html", "t.html")
    text = (folder / "t.html").read_text("utf-8")
    assert "&lt;script&gt;" in text, page.err


@given(st.text())
def test_a_key_is_plain_and_tells_texts_apart(text: str) -> None:
    key = key_of(text)

    assert key
    assert set(key) <= set("abcdefghijklmnopqrstuvwxyz0123456789.-")
    assert not key.startswith(".")
    assert len(key) <= 51
    assert key_of(text + "x") != key


def test_keys_of_names_that_look_alike_differ() -> None:
    alike = ("ACME X1", "acme x1", "ACME_X1", "ACME X1 ", "acme-x1", "")
    assert len({key_of(text) for text in alike}) == len(alike)
    assert key_of("1.08") == "1.08"


def test_a_lake_of_a_newer_program_is_left_alone(command, folder: Path) -> None:
    DeltaTable.create(
        str(folder / "lake" / "campaigns"),
        SCHEMAS["campaigns"],
        partition_by=list(PARTITIONS),
        description="resume-rig lake, schema 99",
    )

    said = command("fleet", "lake")

    assert said.status == 2
    assert "its schema is 99, and this program knows schemas up to 1" in said.err
    with pytest.raises(UsageError, match="its schema is 99"):
        Lake("lake").add(made_facts(Made()))


def test_a_lake_that_is_older_than_a_column_gets_it(command, folder: Path) -> None:
    for name, schema in SCHEMAS.items():
        older = pa.schema([each for each in schema if each.name not in ("resume_ms", "wake_by")])
        DeltaTable.create(
            str(folder / "lake" / name),
            older,
            partition_by=list(PARTITIONS),
            description="resume-rig lake, schema 1",
        )

    assert Lake("lake").add(made_facts(Made())) is Added.NEW
    assert Lake("lake").add(made_facts(Made(seed=8))) is Added.NEW

    assert {"resume_ms", "wake_by"} & set(rows_of(Lake("lake"), "cycles")[0]) == {"wake_by"}
    assert command("fleet", "lake").status != 2


def test_tables_of_others_are_no_lake(command, folder: Path) -> None:
    write_deltalake(str(folder / "lake" / "campaigns"), pa.table({"a": [1]}))

    assert "its tables are not resume-rig's" in command("trend", "lake").err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["fleet", "nfs://a/b"], "allowed are a folder, and URLs of file://"),
        (["trend", "nowhere"], "there is none; `resume-rig lake add STORE --to"),
        (["trend", "lake", "--measure", "speed"], "could not look at 'speed'; allowed are resume"),
        (["trend", "lake", "--reports", "javascript:x"], "begins with http:// or https://"),
        (["query", "lake", "SELECT 1", "--rows", "0"], "allowed are 1 to 1000000"),
        (["fleet", "lake", "other"], "a lake is asked alone"),
        (["fleet", "lake", "--spark-master", "local"], "goes with --engine spark"),
        (["lake", "add", "x.rrs", "--to", "ftp://x/y"], "could not use the lake ftp://x/y"),
        (["lake", "add", "x.rrs", "--to", "lake", "--limit-ms", "9"], "name it with --requirement"),
    ],
    ids=lambda given: " ".join(given[:2]) if isinstance(given, list) else "",
)
def test_bad_usage_is_one_sentence(command, folder: Path, words: list[str], sentence: str) -> None:
    Lake("lake").add(made_facts(Made()))

    said = command(*words)

    assert said.status == 2
    assert sentence in said.err
    assert said.err.count("\n") == 1


def test_run_adds_at_its_end(command, folder: Path) -> None:
    rig = ("--rig", "sim:clock=virtual,seed=5", "--progress", "quiet", "--out", "five.rrs")

    said = command("run", *rig, "--lake", "lake")

    assert said.status == 0
    assert "five.rrs added" in said.err
    (campaign,) = rows_of(Lake("lake"), "campaigns")
    assert campaign["report_path"] == str(folder / "five.html")
    # Added once more by hand: judged again, and not a second one.
    assert "replaced" in command("lake", "add", "five.rrs", "--to", "lake").err


def test_a_lake_that_cannot_be_reached_costs_no_verdict_and_is_added_to_later(
    command, folder: Path
) -> None:
    share = folder / "share"
    share.write_text("the network is gone")
    rig = ("--rig", "sim:clock=virtual,seed=5", "--progress", "quiet")

    said = command("run", *rig, "--out", "five.rrs", "--lake", "share/lake")

    assert said.status == 0
    assert "five.rrs is queued, `resume-rig lake push` adds it" in said.err
    assert command("lake", "push").status == 2  # still gone
    assert [one.store for one in queued(folder / "queue").waiting] == [str(folder / "five.rrs")]
    share.unlink()
    shutil.move("five.rrs", "moved.rrs")  # what waits was judged, and needs no store
    six = command(
        "run", "--rig", "sim:clock=virtual,seed=6", "--out", "six.rrs", "--lake", "share/lake"
    )
    assert "six.rrs added" in six.err
    assert "five.rrs added" in six.err
    assert queued(folder / "queue").waiting == ()
    assert len(rows_of(Lake("share/lake"), "campaigns")) == 2
    assert command("lake", "push").err.startswith("nothing waits in ")


DAMAGED_ABOUTS = {
    "list": "[]",
    "number-as-text": {"load_id": "many"},
    "number-of-80-bits": {"cycles": 2**80},
    "predicate-as-campaign": {"campaign_id": "' OR 1=1 --"},
    "brackets": "[" * 200_000,
    "no-address": {"url": None},
}


@pytest.mark.parametrize("damage", DAMAGED_ABOUTS.values(), ids=DAMAGED_ABOUTS)
def test_a_folder_of_the_queue_that_is_damaged_hides_no_other(
    command, folder: Path, damage: str | dict[str, object]
) -> None:
    for seed in (5, 6):
        put(made_facts(Made(seed=seed)), str(folder / "lake"), Path("a.rrs"), folder / "queue")
    first, _ = queued(folder / "queue").waiting
    about = first.folder / "about.json"
    told = damage if isinstance(damage, str) else {**json.loads(about.read_text()), **damage}
    about.write_text(told if isinstance(told, str) else json.dumps(told))

    said = command("lake", "push", "--json")

    assert said.status == 2, said
    assert [each["became"] for each in said.document["added"]] == ["added"]
    (refused,) = said.document["refused"]
    assert (
        f"could not read {first.folder}, which waits for a lake: its about.json" in (refused["why"])
    )


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_to_is_unreachable(tmp_path: Path) -> None:
    (tmp_path / "lake").mkdir(mode=0o500)

    with pytest.raises(LakeUnreachable, match="could not add to the lake"):
        Lake(str(tmp_path / "lake")).add(made_facts(Made()))


def test_a_store_that_still_runs_is_refused(command, stores: Path, folder: Path) -> None:
    shutil.copy(stores / "one.rrs", "one.rrs")
    holding = "import sys; from resume_rig.campaign.store.store import Store; from pathlib import "
    holding += "Path\nwith Store.resume(Path('one.rrs')):\n print('open', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", holding],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        said = command("lake", "add", "one.rrs", "--to", "lake", "--json")
        holder.communicate("\n")

    assert said.status == 2
    assert "its campaign still runs" in json.loads(said.out)["refused"][0]["why"]


def test_urls_are_of_known_schemes(tmp_path: Path) -> None:
    assert lake_url("s3://lab/lake/") == "s3://lab/lake"
    assert lake_url(f"file://{tmp_path}") == str(tmp_path)
    for wrong in ("http://x/y", "s3://", "  "):
        with pytest.raises(UsageError, match="could not use the lake"):
            lake_url(wrong)


def test_the_command_line_has_no_lake_in_its_start() -> None:
    words = "import sys; import resume_rig.cli.program; print([m for m in sys.modules if m in "
    words += "('deltalake','pyarrow','ibis','duckdb','pyspark','prometheus_client')])"
    ended = subprocess.run(
        [sys.executable, "-c", words], capture_output=True, text=True, check=True
    )
    assert ended.stdout == "[]\n"
    assert main(["lake", "push"]) in (0, 2)


def test_facts_know_their_identity() -> None:
    facts = made_facts(Made())
    wrong = JudgedFacts("x' OR 1=1", facts.load_id, facts.cycles, facts.tables)

    with pytest.raises(ValueError, match="64 hex digits are needed"):
        Lake("lake").add(wrong)


def _missing(parquet: Path, _log: Path) -> None:
    parquet.unlink()


def _pipe(parquet: Path, _log: Path) -> None:
    parquet.unlink()
    os.mkfifo(parquet)


def _pipe_as_log(_parquet: Path, log: Path) -> None:
    log.unlink()
    os.mkfifo(log)


def _version_that_is_no_number(_parquet: Path, log: Path) -> None:
    log.write_text(log.read_text("utf-8").replace("lake, schema 1", "lake, schema ²"), "utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such pipes")
@pytest.mark.parametrize("damage", [_missing, _pipe, _pipe_as_log, _version_that_is_no_number])
def test_a_damaged_lake_is_one_sentence(
    command, folder: Path, damage: Callable[[Path, Path], None]
) -> None:
    Lake("lake").add(made_facts(Made()))
    damage(
        next(Path("lake/campaigns").rglob("*.parquet")),
        min(Path("lake/campaigns/_delta_log").glob("*.json")),
    )

    for words in (("trend", "lake"), ("fleet", "lake"), ("query", "lake", "FROM campaigns")):
        said = command(*words)
        assert said.status == 2, said
        assert said.err.splitlines()[-1].startswith("resume-rig: could not ")


@pytest.mark.parametrize(
    "values",
    [
        *({"verdict": "PERHAPS"}, {"marks": "[" * 100_000}, {"marks": "7"}, {"why": None}),
        *({"product": None}, {"cycles": None}, {"begun_ns": 2**63 - 1}),
        {"dut": "\x1b[2J\u202e" * 999},
    ],
    ids=["verdict", "brackets", "marks", "why", "product", "cycles", "time", "escapes"],
)
def test_what_a_stranger_adds_to_a_lake_is_refused_or_shown_as_text(
    command, folder: Path, values: dict[str, object]
) -> None:
    facts = made_facts(Made())
    rows = [{**row, **values} for row in facts.tables["campaigns"].to_pylist()]
    changed = pa.Table.from_pylist(rows, schema=SCHEMAS["campaigns"])
    Lake("lake").add(replace(facts, tables={**facts.tables, "campaigns": changed}))

    for verb in ("trend", "fleet"):
        said = command(verb, "lake")
        assert said.status in (0, 1, 2, 4), said
        assert "\x1b" not in said.out + said.err
        assert "\u202e" not in said.out + said.err
        if said.status == 2:
            assert "its tables are damaged, or no program of this kind wrote them" in said.err
