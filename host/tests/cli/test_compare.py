"""`compare`, used as a person uses it: stores and logs, exit statuses, what cannot be compared."""

from pathlib import Path

import pytest

from resume_rig.cli.main import main


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of campaigns: base, candidate, slow; few and fewer have 7 judged cycles."""
    folder = tmp_path_factory.mktemp("stores")
    wanted = (
        ("base", 1, 22, []),
        ("candidate", 2, 22, []),
        ("slow", 3, 8, ["--dut", "slow-laptop"]),
        ("few", 4, 8, []),
    )
    for name, seed, cycles, words in wanted:
        rig = ["--rig", f"sim:clock=virtual,seed={seed}", "--cycles", str(cycles)]
        assert main(["run", *rig, "--out", str(folder / f"{name}.rrs"), *words]) in (0, 1)
    return folder


def test_two_campaigns_of_one_dut_show_no_regression(command, stores: Path, folder: Path) -> None:
    base, candidate = str(stores / "base.rrs"), str(stores / "candidate.rrs")

    said = command("compare", base, candidate, "--html", "c.html", "--matters", "25")

    assert said.status == 0, said.out
    headline = "NO-REGRESSION: No slow-down that matters; one would have been shown."
    assert f"\n{headline}\n" in said.out
    assert "S3: 21 cycles of" in said.out
    assert "DUT identity and test conditions match." in said.out
    shown = " ".join(said.out.split())
    assert "base 0 of 21 (upper 95 % limit 14 %), candidate 0 of 21" in shown
    assert "another" not in said.out
    page = (folder / "c.html").read_text("utf-8")
    assert "NO REGRESSION" in page
    assert page.count("<circle") > 5


def test_a_slower_dut_is_a_regression_and_another_dut(command, stores: Path) -> None:
    both = str(stores / "base.rrs"), str(stores / "slow.rrs")
    said = command("compare", *both, "--one-session-is-enough", "--json")

    assert said.status == 1
    document = said.document
    assert document["schema"] == "resume-rig/compare/1"
    assert document["answer"] == "REGRESSION"
    effects = {effect["name"]: effect for effect in document["effects"]}
    assert effects["bios_init_ms"]["change"] == "slower"
    assert effects["bios_init_ms"]["low_ms"] > 200
    assert {"name": "dut", "base": "healthy-laptop", "candidate": "slow-laptop"} in document[
        "differences"
    ]
    assert any("another DUT" in warning for warning in document["warnings"])


def test_one_session_a_side_that_differs_is_no_regression(command, stores: Path) -> None:
    both = str(stores / "base.rrs"), str(stores / "slow.rrs")

    within = command("compare", *both, "--limit-ms", "9000")
    over = command("compare", *both, "--json")

    assert within.status == 4
    assert "SESSIONS-DIFFER: The two sessions differ: " in within.out
    assert "say --one-session-is-enough." in within.out.replace("\n  ", " ")
    assert over.status == 1
    assert over.document["answer"] == "REQUIREMENT-FAILED"
    limit = next(each for each in over.document["over_limit"] if each["measure"] != "back-whole")
    counts = [limit[key] for key in ("base_over", "base_n", "candidate_over", "candidate_n")]
    assert counts == [0, 21, 7, 7]
    assert limit["base_upper_95"] == pytest.approx(1 - 0.05 ** (1 / 21))
    assert (over.document["base"]["verdict"], over.document["candidate"]["verdict"]) == (
        "PASS",
        "FAIL",
    )


def test_folders_and_further_sessions_are_compared_by_session(
    command, stores: Path, folder: Path
) -> None:
    for side, names in (("a", ("base", "few")), ("b", ("candidate", "slow"))):
        (folder / side).mkdir()
        for name in names:
            (folder / side / f"{name}.rrs").write_bytes((stores / f"{name}.rrs").read_bytes())
    (folder / "a" / "copy.rrs").write_bytes((stores / "few.rrs").read_bytes())

    by_folder = command("compare", "a", "b", "--json")
    named = ["--base", "a/base.rrs", "a/few.rrs", "--candidate", "b/candidate.rrs"]
    by_name = command("compare", *named, "--candidate", "b/slow.rrs", "--json")

    document = by_folder.document
    assert document["unit"] == "session"
    assert [each["cycles"] for each in document["base"]["sessions"]] == [21, 7]
    assert document["answer"] == "REQUIREMENT-FAILED"
    assert document["effects"] == by_name.document["effects"]
    assert {each["base_sessions"] for each in document["effects"]} == {2}
    assert any("is a copy of" in each and "counts once" in each for each in document["warnings"])
    assert any("Sessions of the candidate are not alike: dut is" in w for w in document["warnings"])


def test_few_cycles_are_no_evidence_and_the_answer_says_how_many_are(command, stores: Path) -> None:
    said = command("compare", str(stores / "few.rrs"), str(stores / "base.rrs"), "--matters", "1")

    assert said.status == 4
    assert "NO-EVIDENCE" in said.out
    assert "it takes about" in said.out


def test_a_store_can_be_compared_with_a_log(command, stores: Path, fixtures_dir: Path) -> None:
    log = str(fixtures_dir / "logs" / "four-s3-cycles.xml")

    said = command("compare", log, str(stores / "base.rrs"), "--json")

    assert said.document["base"]["cycles"] == 4
    assert {effect["base_n"] for effect in said.document["effects"]} == {4}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["one.rrs", "none.rrs"], "No such file"),
        (["one.rrs", "one.rrs"], "it is one file on both sides"),
        (["one.rrs", "empty"], "no *.rrs in it or below, and no OS log"),
        (["one.rrs", "broken.rrs"], "broken.rrs"),
        (["one.rrs", "two.xml", "--html", "two.xml"], "would replace"),
        (["one.rrs", "two.xml", "--matters", "0"], "from 0.01 to 50"),
        (["one.rrs", "two.xml", "--alpha", "many"], "from 0.01 to 50"),
        (["one.rrs", "two.xml", "--kind", "S9"], "not a kind of sleep"),
        (["one.rrs"], "required: CANDIDATE"),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, list) else "",
)
def test_what_cannot_be_compared_is_said_in_one_sentence(
    command, folder: Path, fixtures_dir: Path, words: list[str], told: str
) -> None:
    log = (fixtures_dir / "logs" / "four-s3-cycles.xml").read_bytes()
    (folder / "one.rrs").write_bytes(log)
    (folder / "two.xml").write_bytes(log)
    (folder / "empty").mkdir()
    (folder / "broken.rrs").write_bytes(b"SQLite format 3\0" + bytes(100))

    said = command("compare", *words)

    assert said.status == 2
    assert told in said.err
    assert said.err.strip().count("\n") == 0
    assert "Traceback" not in said.err


@pytest.mark.parametrize("width", ["40", "80", "200"])
def test_the_table_fits_any_terminal(
    command, stores: Path, monkeypatch: pytest.MonkeyPatch, width: str
) -> None:
    monkeypatch.setenv("COLUMNS", width)

    said = command("compare", str(stores / "base.rrs"), str(stores / "slow.rrs"))

    assert said.status == 1
    assert "SLOWER" in said.out


def test_profiles_of_ones_own_folder_are_used_by_name(
    command, stores: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = """
id = "lab"
version = 2
title = "Ours"
source = "us"
kinds = ["S3"]
[[limit]]
measure = "press_to_light_ns"
at_most = 100
unit = "ms"
"""
    (folder / "own").mkdir()
    (folder / "own" / "lab.toml").write_text(profile, "utf-8")
    store = str(stores / "few.rrs")

    named = command("correlate", store, "--requirement", "lab", "--requirements", "own", "--json")
    monkeypatch.setenv("RESUME_RIG_REQUIREMENTS", str(folder / "own"))
    by_environment = command("correlate", store, "--requirement", "lab")

    assert (named.status, by_environment.status) == (1, 1)
    limit = next(
        each for each in named.document["limits_judged"] if each["measure"] != "back-whole"
    )
    assert (limit["verdict"], limit["n"], limit["failed"]) == ("FAIL", 7, 7)
    assert limit["risk"] == 0.0
    assert named.document["statistics"]["failure_rate"]["failures"] == 7
    headline = "FAIL: 7 of 7 cycles: power button to display on over 100 ms."
    assert f"\n{headline}\n" in by_environment.out
