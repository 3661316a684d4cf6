"""The net itself: what it covers, how large it is, and on what an answer may not depend."""

import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from golden import campaigns, captures, logs
from golden.ask import ask, settled
from golden.frozen import ANSWERS, INPUTS, alike, differences, first_difference, thawed
from golden.play import CASES
from golden.test_golden_numbers import DRIFTS

TESTS = Path(__file__).resolve().parents[1]
REFERENCE = TESTS.parents[1] / "docs" / "reference"
LARGEST = 3_000_000  # bytes: every refresh adds what changed to the repository

# Never filled by the net, in a document of its schema; each has its own tests.
SHARE = {f"$.requirement.all_limits[].{key}" for key in ("share", "confidence")}
# Keys that every answer has, and that a log by itself gives no cause for.
OF_A_RIG = (
    *("about.simulated", "contradictions", "doubts[].finding", "figures.did"),
    *("not_checkable[].least_ns", "to_do[].command", "to_do[].finding"),
    *(f"transitions.{each}" for each in ("contradicted", "marginal", "no_trial", "not_as_planned")),
)
NEVER_FILLED = {
    "resume-rig/compare/1": {
        *("$.components", "$.slow_cycles", "$.causes[].candidate_ms"),
        *(f"$.{side}.sessions[].training" for side in ("base", "candidate")),
    },
    "resume-rig/correlate/1": {
        *("$.advice", "$.slowest", "$.cycles[].components"),
        *("$.cycles[].shutdown", "$.cycles[].reconciled.press_to_desktop_ns"),
        "$.cycles[].inside.wake_source.timer_owner",
        *("$.clock.breaks", "$.clock.drift_ppm", "$.clock.segments[].drift_ppm"),
        "$.budgets.press_to_first_light_ns.note",
        "$.budgets.press_to_light_90_ns.note",
        *("$.levels", "$.unmatched_records[].notes"),
        *("$.answer.doubts[].finding", "$.answer.transitions.marginal"),
    },
    "resume-rig/fleet/1": {
        *SHARE,
        "$.groups[].campaigns[].times[].p95_interval.high_ms",
    },
    "resume-rig/log/1": {
        *("$.training", "$.cycles[].wake_source.timer_owner"),
        *(f"$.statistics.series[].{key}" for key in ("change_points", "warm_up")),
        "$.statistics.series[].p95_interval.high_ms",
        *("$.statistics.series[].two_groups", "$.units", "$.limits_judged[].did"),
        *(f"$.answer.{key}" for key in OF_A_RIG),
    },
    "resume-rig/power/1": {"$.before", "$.took_ns"},
    "resume-rig/selftest/1": {"$.calibration.clock_ppb", "$.calibration.latencies"},
    "resume-rig/store-info/1": {"$.salvaged"},
    "resume-rig/store-salvage/1": {
        "$.lost",
        "$.without_light",
        "$.without_power",
        "$.without_records",
    },
    "resume-rig/watch/1": {"$.edges"},
}


@cache
def frozen() -> tuple[dict[str, dict[str, bool]], set[str]]:
    """Return which keys of each schema are filled anywhere, and every kind of finding."""
    found: dict[str, dict[str, bool]] = {}
    kinds: set[str] = set()
    for case in CASES:
        for text in thawed(case).values():
            if text.startswith('{"schema"'):
                document = json.loads(text)
                seen = found.setdefault(str(document["schema"]), {})
                for path, full in paths(document):
                    seen[path] = seen.get(path, False) or full
                kinds.update(each["kind"] for each in _findings(document))
    return found, kinds


def paths(value: object, path: str = "$") -> Iterator[tuple[str, bool]]:
    """Return every key of a document, and whether anything stands there."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield f"{path}.{key}", inner not in (None, "", [], {})
            yield from paths(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from paths(inner, f"{path}[]")


def test_every_case_is_frozen_and_nothing_else_is() -> None:
    numbers = ["numbers-light", "numbers-findings"]
    numbers += [f"numbers-clocks-{drift}" for drift in DRIFTS]
    cases = {f"{case}.json.xz" for case in [*CASES, *numbers]}
    assert {place.name for place in ANSWERS.iterdir()} == cases
    kept = {f"{name}.json.xz" for name in captures.CAPTURES} | {f"{e}.evtx.xz" for e in logs.EVTX}
    assert {place.name for place in INPUTS.iterdir()} == kept


def test_the_frozen_answers_are_small() -> None:
    places = [*ANSWERS.iterdir(), *INPUTS.iterdir()]
    assert sum(place.stat().st_size for place in places) < LARGEST


def test_every_key_of_every_document_is_filled_somewhere() -> None:
    empty = {
        schema: {path for path, full in seen.items() if not full}
        for schema, seen in frozen()[0].items()
    }
    assert {schema: found for schema, found in empty.items() if found} == NEVER_FILLED


def test_the_documented_keys_are_in_the_documents() -> None:
    known = {part for seen in frozen()[0].values() for path in seen for part in path.split(".")}
    known = {part.removesuffix("[]") for part in known}
    documented = set()
    for name in ("command-line.md", "statistics.md", "intervals.md"):
        text = (REFERENCE / name).read_text(encoding="utf-8")
        for table in re.findall(r"^\| key \| (?:meaning|is) \|\n\|-.*\n((?:\|.*\n)+)", text, re.M):
            for row in table.splitlines():
                documented |= set(re.findall(r"`([a-z_0-9.]+)`", row.split("|")[1]))
    assert len(documented) > 20
    assert {part for key in documented for part in key.split(".")} - known == set()


def test_the_net_has_characters_states_and_faults() -> None:
    assert len(campaigns.CAMPAIGNS) >= 20
    assert len(frozen()[1]) >= 25


def _findings(document: dict[str, object]) -> Iterator[dict[str, str]]:
    if document["schema"] == "resume-rig/correlate/1":
        for cycle in document["cycles"]:  # type: ignore[attr-defined]
            yield from cycle["findings"]


def test_a_difference_is_told_where_it_is() -> None:
    before, now = '{"a": [{"b": 1}, {"b": 2}]}', '{"a": [{"b": 1}, {"b": 3}]}'
    assert first_difference(before, now) == "$.a[1].b was 2, is 3"
    assert differences({"x": before}, {"x": before}) == []
    assert differences({"x": "one\ntwo"}, {"x": "one\n2"}) != []
    assert differences({"x": before}, {}) == ["x: is not answered any more"]


def test_a_float_may_differ_in_its_last_digits_and_nothing_else() -> None:
    assert alike("p = 0.12345678901234", "p = 0.12345678901235")
    assert not alike("p = 0.1234567", "p = 0.1234568")
    assert not alike("12345678901234", "12345678901235")


def test_a_store_that_is_read_is_not_told_to_be_written(tmp_path: Path) -> None:
    with settled(tmp_path):
        run = ("run", "--rig", "sim:clock=virtual,seed=1,light=none", "--cycles", "1")
        ask(*run, "--out", "a.rrs")
        reader = sqlite3.connect("a.rrs")
        reader.execute("SELECT count(*) FROM cycle").fetchone()
        assert Path("a.rrs-shm").exists()
        document = json.loads(ask("fleet", "a.rrs", "--jobs", "1", "--json").out)
        reader.close()
    (group,) = document["groups"]
    assert [campaign["running"] for campaign in group["campaigns"]] == [False]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "zone", "language"), [("1", "Pacific/Chatham", "tr_TR.UTF-8"), ("2", "UTC-14", "C")]
)
def test_answers_depend_on_no_hash_seed_zone_or_language(
    seed: str, zone: str, language: str
) -> None:
    given = {
        "PYTHONHASHSEED": seed,
        "TZ": zone,
        "LC_ALL": language,
        "LANG": language,
        "COLUMNS": "100",
    }
    path = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    played = subprocess.run(
        [sys.executable, "-m", "golden.play"],
        env={**os.environ, **given, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (played.returncode, played.stdout) == (0, "")
