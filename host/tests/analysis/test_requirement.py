"""Requirement profiles are read, changed on request, and refused in one sentence."""

import re
from importlib import resources
from pathlib import Path

import pytest

from resume_rig.analysis.verdict.requirement import load_requirement, shipped_requirements
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.verdict import Comparison

GOOD = """
id = "mine"
version = 3
title = "Ours"
source = "a page"
kinds = ["S3", "hybrid"]
[limits]
resume_ms = 1500
"""


def test_the_shipped_profile_says_what_the_document_says() -> None:
    requirement = load_requirement("sysfund-0004")

    assert requirement.resume_limit_ms == 2000
    assert requirement.bios_advised_ms == 250
    assert requirement.kinds == (SleepKind.S3, SleepKind.HYBRID)
    assert "SYSFUND-0004" in requirement.source


def test_every_shipped_profile_can_be_read_under_its_own_name() -> None:
    names = shipped_requirements()

    assert "sysfund-0004" in names
    assert [load_requirement(name).id for name in names] == list(names)


def test_a_profile_of_ones_own_is_read_by_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD, "utf-8")

    requirement = load_requirement(str(path))

    assert (requirement.id, requirement.version, requirement.resume_limit_ms) == ("mine", 3, 1500)
    assert requirement.kinds == (SleepKind.S3, SleepKind.HYBRID)
    assert requirement.bios_advised_ms is None


def test_limit_and_kinds_can_be_changed() -> None:
    requirement = load_requirement("sysfund-0004", limit_ms=1, kinds=["hybrid", "hybrid"])

    assert requirement.resume_limit_ms == 1
    assert requirement.kinds == (SleepKind.HYBRID,)


@pytest.mark.parametrize("limit_ms", [-1, 0, 600_001, True, 1.5])
def test_a_limit_out_of_range_is_refused_with_the_range(limit_ms) -> None:
    with pytest.raises(UsageError, match="allowed are whole milliseconds from 1 to 600000"):
        load_requirement("sysfund-0004", limit_ms=limit_ms)


@pytest.mark.parametrize("kinds", [[], ["S9"]], ids=["none", "unknown"])
def test_kinds_that_do_not_exist_are_refused_with_those_that_do(kinds) -> None:
    with pytest.raises(UsageError, match="allowed are S1, S3, hybrid"):
        load_requirement("sysfund-0004", kinds=kinds)


@pytest.mark.parametrize("name", ["sysfund", "../sysfund-0004", "", "\0"])
def test_an_unknown_name_is_answered_with_the_shipped_ones(name: str) -> None:
    with pytest.raises(UsageError, match=r"shipped are .*s3resume, .*sysfund-0004"):
        load_requirement(name)


@pytest.mark.parametrize("path", ["no/such.toml", "\0.toml"])
def test_a_file_that_is_not_there_is_named(path: str) -> None:
    with pytest.raises(UsageError, match=r"\.toml'"):
        load_requirement(path)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("\x00\x01", "not TOML"),
        (b"\xff\xfe", "not TOML"),
        ("", "limits"),
        (GOOD.replace('id = "mine"', ""), "id is missing"),
        (GOOD.replace('"mine"', "7"), "id is 7"),
        (GOOD.replace('"mine"', '""'), "a text is needed"),
        (GOOD.replace("version = 3", "version = true"), "version is true"),
        (GOOD.replace("1500", "-1"), "resume_ms is -1 ms"),
        (GOOD.replace("resume_ms = 1500", ""), "resume_ms is missing"),
        (GOOD.replace("1500", "1500\nbios_advised_ms = 0"), "bios_advised_ms is 0 ms"),
        (GOOD.replace("1500", "1500\nlight_ms = 9"), "'light_ms' is not a key"),
        (GOOD.replace("version", "verison"), "'verison' is not a key"),
        (GOOD.replace('["S3", "hybrid"]', '"S3"'), "a list of kinds"),
        (GOOD.replace('["S3", "hybrid"]', "[3]"), "3 is not a kind"),
        (GOOD.replace('"hybrid"', '"standby-performance"'), "is not a kind"),
        ("#" * 70_000, "larger than"),
    ],
)
def test_a_bad_profile_is_refused_by_what_is_wrong_in_it(tmp_path: Path, content, text) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())

    with pytest.raises(UsageError, match=text) as caught:
        load_requirement(str(path))

    assert "\n" not in str(caught.value)


def test_the_rule_of_s3resume() -> None:
    requirement = load_requirement("s3resume")

    assert (requirement.ignore_first, requirement.limit_fails, requirement.guard_band) == (
        True,
        True,
        False,
    )
    assert requirement.resume_limit_ms == 2000


def test_without_a_rule_all_count_the_limit_is_met_and_there_is_a_guard_band(tmp_path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD, "utf-8")
    requirement = load_requirement(str(path))

    assert (requirement.ignore_first, requirement.limit_fails, requirement.guard_band) == (
        False,
        False,
        True,
    )


@pytest.mark.parametrize(("asked", "found"), [(None, False), (True, True), (False, False)])
def test_the_guard_band_is_the_profiles_or_as_asked(asked, found) -> None:
    assert load_requirement("sysfund-0004", guard_band=asked).guard_band is found


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("[rule]\nignore_frist = true", "'ignore_frist' is not a key of it"),
        ("[rule]\nlimit_fails = 1", "limit_fails is 1; true or false is needed"),
        ("rule = true", "a table \\[rule\\] is needed"),
    ],
)
def test_a_rule_that_is_none_is_refused(tmp_path: Path, rule: str, told: str) -> None:
    path = tmp_path / "mine.toml"
    text = f"{rule}\n{GOOD}" if rule.startswith("rule") else f"{GOOD}{rule}\n"
    path.write_text(text, "utf-8")

    with pytest.raises(UsageError, match=told):
        load_requirement(str(path))


LIMITED = (
    GOOD.replace("[limits]\nresume_ms = 1500\n", "")
    + """
[[limit]]
measure = "press_to_light_ns"
at_most = 2.5
unit = "s"
share = 0.9
confidence = 0.99
kinds = ["hybrid"]
"""
)


def test_a_limit_may_be_on_any_measure(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(LIMITED + '[[limit]]\nmeasure = "hiber_read_rate"\nabove = 700\nunit = "MB/s"')

    light, rate, _ = load_requirement(str(path)).limits()

    assert (light.measure, light.comparison, light.value) == (
        "press_to_light_ns",
        Comparison.AT_MOST,
        2_500_000_000,
    )
    assert (light.share, light.confidence, light.kinds) == (0.9, 0.99, (SleepKind.HYBRID,))
    assert (rate.comparison, rate.value, rate.unit) == (Comparison.ABOVE, 700, "MB/s")
    assert rate.kinds == (SleepKind.S3, SleepKind.HYBRID)


def test_kinds_asked_for_are_those_of_every_limit(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(LIMITED)

    light, whole = load_requirement(str(path), kinds=["S4"]).limits()

    assert light.kinds == whole.kinds == (SleepKind.S4,)


def test_the_old_form_is_two_limits_beside_that_on_the_whole() -> None:
    resume, bios = load_requirement("s3resume").limits()[0], load_requirement("sysfund-0004")

    assert (resume.measure, resume.comparison, resume.value) == (
        "resume_ms",
        Comparison.BELOW,
        2_000_000_000,
    )
    assert [(limit.measure, limit.required) for limit in bios.limits()] == [
        ("resume_ms", True),
        ("bios_init_ms", False),
        ("back-whole", True),
    ]


def test_a_folder_of_ones_own_is_looked_into_by_name(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(GOOD)

    assert load_requirement("mine", folder=tmp_path).resume_limit_ms == 1500
    assert load_requirement("sysfund-0004", folder=tmp_path).resume_limit_ms == 2000
    with pytest.raises(UsageError, match="there is none of that name"):
        load_requirement("../mine", folder=tmp_path / "deeper")


def test_nobody_takes_a_profile_of_ones_own_for_a_shipped_one(tmp_path: Path) -> None:
    (tmp_path / "sysfund-0004.toml").write_text(GOOD)

    with pytest.raises(UsageError, match="has the name of a shipped profile"):
        load_requirement("sysfund-0004", folder=tmp_path)


@pytest.mark.parametrize(
    ("file", "own_id", "has"),
    [
        ("sysfund-0004.toml", "mine", "name"),
        ("SYSFUND-0004.toml", "mine", "name"),
        ("mine.toml", "sysfund-0004", "id"),
        ("s3resume.toml", "sysfund-0004", "name"),
    ],
)
def test_a_path_hides_no_borrowed_name_or_id(tmp_path: Path, file, own_id, has) -> None:
    path = tmp_path / file
    path.write_text(re.sub('id = ".*"', f'id = "{own_id}"', GOOD, count=1))

    with pytest.raises(UsageError, match=f"has the {has} of a shipped profile") as caught:
        load_requirement(str(path))

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("file", ["sysfund-0004.toml", "copy.toml"])
def test_the_shipped_file_itself_is_no_other(tmp_path: Path, file: str) -> None:
    shipped = resources.files("resume_rig.analysis") / "requirements" / "sysfund-0004.toml"
    (tmp_path / file).write_bytes(shipped.read_bytes())

    assert load_requirement(str(tmp_path / file)) == load_requirement("sysfund-0004")


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        ("id = .*", "", "id is missing; a text is needed"),
        ("version = .*", "version = true", "version is true; an integer of 1 or more is needed"),
        ("kinds = .*", "", "kinds is missing; a list of kinds of sleep is needed"),
        ("resume_ms = .*", "", "resume_ms is missing; allowed are whole milliseconds"),
        ("resume_ms = .*", "resume_ms = true", "resume_ms is true; allowed are whole"),
        ("resume_ms = .*", "resume_ms = 0", "resume_ms is 0 ms; allowed are whole"),
        (r"\[limits\]\nresume_ms = .*", "", r"limits is \[1\]; a table \[limits\] is needed"),
    ],
)
def test_what_is_missing_is_said_to_be(tmp_path: Path, before, after, text) -> None:
    path = tmp_path / "mine.toml"
    changed = re.sub(before, after, GOOD, count=1)
    assert changed != GOOD
    path.write_text(f"limits = [1]\n{changed}" if "limits is" in text else changed)

    with pytest.raises(UsageError, match=text):
        load_requirement(str(path))


def test_a_resume_limit_replaces_only_one_that_is_there() -> None:
    with pytest.raises(UsageError, match=r"has no limit on total resume time"):
        load_requirement("xp-5s", limit_ms=1000)


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        ("press_to_light_ns", "press_to_sun_ns", "measure is 'press_to_sun_ns'"),
        ("press_to_light_ns", "figure:drips_percent", "unit is 's'; allowed are %"),
        ("at_most = 2.5", "", "none of at_most, below"),
        ("at_most = 2.5", "at_most = 2.5\nbelow = 3", "at_most and below of"),
        ("at_most = 2.5", "at_most = 0", "at_most is 0 s"),
        ("at_most = 2.5", "at_most = nan", "at_most is nan s"),
        ("at_most = 2.5", "at_most = true", "at_most is true; allowed is a time"),
        ("at_most = 2.5", "at_most = 601", "at most 600 s"),
        ('unit = "s"', 'unit = "MB/s"', "allowed are ns, us, ms, s"),
        ('unit = "s"', 'unit = "s"\ndemand = "wished"', "allowed are required, advised"),
        ('unit = "s"', 'unit = "s"\ndemand = "advised"', "none of its limits is required"),
        ("share = 0.9", "share = 1.0", "share is 1.0; allowed is a number from 0.5 to 0.9999"),
        ("confidence = 0.99", 'confidence = "high"', "confidence is 'high'"),
        ("share = 0.9", "quota = 0.9", "'quota' is not a key"),
        ('kinds = ["hybrid"]', 'kinds = ["S4"]', "'S4' is not among the kinds of its profile"),
        ('kinds = ["hybrid"]', 'kinds = "hybrid"', "a list of kinds"),
        ("[[limit]]", "[limit]", r"tables \[\[limit\]\] are needed"),
    ],
)
def test_a_limit_that_is_none_is_refused(tmp_path: Path, before, after, text) -> None:
    path = tmp_path / "mine.toml"
    assert before in LIMITED
    head, tail = LIMITED.split("[[limit]]")
    changed = f"{head}[[limit]]{tail.replace(before, after)}"
    path.write_text(LIMITED.replace(before, after) if before.startswith("[[") else changed)

    with pytest.raises(UsageError, match=text) as caught:
        load_requirement(str(path))

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("share", ["0", "0.5", "1", "1.0"])
def test_the_share_of_evidence_is_of_the_profile(tmp_path: Path, share: str) -> None:
    profile = tmp_path / "own.toml"
    profile.write_text(f"evidence_min = {share}\n{GOOD}", encoding="utf-8")

    assert load_requirement(str(profile)).evidence_min == float(share)
    assert load_requirement("sysfund-0004").evidence_min == 0.9


@pytest.mark.parametrize("share", ["-0.1", "1.1", "90", "true", '"all"', "nan"])
def test_a_share_of_evidence_that_is_none_is_refused(tmp_path: Path, share: str) -> None:
    profile = tmp_path / "own.toml"
    profile.write_text(f"evidence_min = {share}\n{GOOD}", encoding="utf-8")

    with pytest.raises(UsageError, match=r"evidence_min is .*0 to 1"):
        load_requirement(str(profile))
