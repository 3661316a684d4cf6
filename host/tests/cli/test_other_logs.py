"""`log` on logs that cannot tell BiosInit and DriverInit: a table, a reason, and no verdict."""

from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("name", "kinds", "why"),
    [
        (
            "linux-6.6-dmesg.txt",
            ["S3", "s2idle", "aborted", "died-in-sleep"],
            "None of the 4 records is a measured resume from S3 or hybrid sleep",
        ),
        (
            "linux-s3-trace.txt",
            ["S3"],
            "The only record is no measured resume from S3 or hybrid sleep",
        ),
        ("fpdt-tree.txt", ["boot", "S3"], "None of the 2 records is a measured resume from S3"),
        ("suspend_stats.txt", [], "There is no record of a sleep"),
        ("sleep-study.xml", ["modern-standby", "S4", "unknown"], "None of the 3 records"),
    ],
)
def test_logs_without_a_measured_resume(
    command, fixtures_dir: Path, name: str, kinds: list[str], why: str
) -> None:
    path = str(fixtures_dir / "logs" / name)

    said = command("log", path, "--json")

    assert (said.status, said.err) == (4, "")
    assert [cycle["kind"] for cycle in said.document["cycles"]] == kinds
    assert said.document["verdict"] == "NO-EVIDENCE"
    assert said.document["why"].startswith(why)
    shown = command("log", path, "--report", "page.html")
    assert shown.status == 4
    assert shown.out.startswith("NO-EVIDENCE: No ")
    assert Path("page.html").read_text("utf-8").lower().startswith("<!doctype html>")


def test_services_of_a_boot_tell_no_length_of_it_and_have_no_share(
    command, fixtures_dir: Path
) -> None:
    said = command("log", str(fixtures_dir / "logs" / "xperf-services.csv"), "--json")

    assert [part["share"] for part in said.document["slowest"]] == [None] * 3
    shown = command("log", str(fixtures_dir / "logs" / "xperf-services.csv")).out
    assert (
        "boot: 1 record, not covered by this requirement; none reports how long it took." in shown
    )


def test_other_times_stand_beside_and_are_not_judged(command, fixtures_dir: Path) -> None:
    said = command("log", str(fixtures_dir / "logs" / "linux-s3-trace.txt"))
    assert "S3, not measured (firmware 412 ms, kernel 125 ms)" in " ".join(said.out.split())


def test_a_sleep_that_the_dut_died_in_stands_in_the_table(
    command, fixtures_dir: Path, tmp_path: Path
) -> None:
    path, page = str(fixtures_dir / "logs" / "linux-6.6-dmesg.txt"), tmp_path / "page.html"
    said = command("log", path, "--report", str(page))
    table = said.out.partition("Times in ms")[0]
    assert "died in sleep, not measured" in table
    assert "no evidence: the OS did not come back" in page.read_text("utf-8")
    command("log", path, "--kind", "S4", "--report", str(page))
    assert "no evidence: the OS did not come back" not in page.read_text("utf-8")


def test_a_sleep_study_with_measurements_is_judged(command, fixtures_dir: Path) -> None:
    said = command(
        "log", str(fixtures_dir / "logs" / "sleep-study-tables.html"), "--kind", "hybrid", "--json"
    )
    assert said.status == 0
    assert [cycle["resume_ms"] for cycle in said.document["cycles"]] == [1500, None]


def test_rows_of_several_logs_say_which_one_they_are_from(command, fixtures_dir: Path) -> None:
    slow, fast = (fixtures_dir / "logs" / name for name in ("four-s3-cycles.xml", "s3resume.txt"))

    said = command("log", str(slow), str(fast))

    assert "over the limit; in four-s3-cycles.xml" in " ".join(said.out.split())
    assert said.out.count("in s3resume.txt\n") == 4
    assert "in s3resume.txt" not in command("log", str(fast)).out
