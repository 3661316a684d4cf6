"""The verbs, used as a person uses them, on a simulated bench with a virtual clock."""

import json
import re
from pathlib import Path

import pytest

SIM = "sim:clock=virtual,seed=7"
RUN = ("run", "--rig", SIM, "--out", "night.rrs")


def test_run_measures_matches_judges_and_shows(command, folder: Path) -> None:
    said = command(*RUN)

    assert said.status == 0, said.err
    assert "PASS: 3 of 3 resumes within 2000 ms; the worst" in said.out
    assert "cycle 4/4  slept and woke" in said.err
    assert "Store:  night.rrs" in said.err
    assert "Report: night.html" in said.err
    assert (folder / "night.html").read_text("utf-8").lower().startswith("<!doctype html>")


def test_run_json_is_one_document_of_the_contract(command) -> None:
    said = command(*RUN, "--json")

    document = said.document
    assert document["schema"] == "resume-rig/correlate/1"
    assert {"cycles", "unmatched_cycles", "unmatched_records", "clock", "verdict"} <= set(document)
    assert document["verdict"] == "PASS"
    assert [cycle["cycle"] for cycle in document["cycles"]] == [1, 2, 3, 4]
    for cycle in document["cycles"]:
        assert cycle["record_id"] is not None
        assert cycle["state_outside"] == "S3"
        assert cycle["outside"]["press_to_light_ns"]["bound"] > 0
        inside, reconciled = cycle["inside"], cycle["reconciled"]
        complete = reconciled["press_to_resume_complete_ns"]
        known_ns = cycle["outside"]["press_to_pltrst_ns"]["value"] + 1_000_000 * (
            inside["bios_init_ms"] + inside["driver_init_ms"]
        )
        assert abs(complete["value"] - known_ns) <= complete["bound"]
    assert document["campaign"]["store"] == "night.rrs"


def test_a_seed_repeats_a_campaign(command, folder: Path) -> None:
    first = command(*RUN, "--json").document["cycles"]
    (folder / "night.rrs").unlink()
    assert command(*RUN, "--json").document["cycles"] == first


def test_a_slow_dut_fails(command) -> None:
    said = command(*RUN, "--dut", "slow-laptop")
    assert said.status == 1
    assert "FAIL:" in said.out
    assert "bios-over-advised" in said.out


def test_the_limit_decides(command) -> None:
    command(*RUN)
    worst = max(
        cycle["inside"]["resume_ms"]
        for cycle in command("correlate", "night.rrs", "--json").document["cycles"][1:]
    )
    for limit, status in ((worst - 1, 1), (worst, 0), (worst + 20, 0)):
        assert command("correlate", "night.rrs", "--limit-ms", str(limit)).status == status
    for limit, status in ((worst - 20, 1), (worst, 4), (worst + 20, 0)):
        guarded = "--guard-band", "--limit-ms", str(limit)
        assert command("correlate", "night.rrs", *guarded).status == status


def test_the_lid_sleeps_and_wakes_a_laptop(command) -> None:
    said = command(*RUN, "--sleep-by", "lid", "--wake-by", "lid", "--json")
    assert said.status == 0, said.err
    assert {cycle["wake_by"] for cycle in said.document["cycles"]} == {"LID"}


def test_correlate_and_report_say_what_run_said(command, folder: Path) -> None:
    ran = command(*RUN, "--json").document
    (folder / "night.html").unlink()

    again = command("correlate", "night.rrs", "--json").document
    reported = command("report", "night.rrs")

    assert again["cycles"] == ran["cycles"]
    assert again["clock"] == ran["clock"]
    assert reported.status == 0
    assert (folder / "night.html").exists()


def test_a_store_can_be_matched_with_another_log(command, folder: Path) -> None:
    command(*RUN)
    (folder / "none.xml").write_text("<Events></Events>\n", "utf-8")

    said = command("correlate", "night.rrs", "--log", "none.xml", "--json")

    assert said.status == 4
    assert said.document["unmatched_cycles"] == [1, 2, 3, 4]


SALEAE = ["BUTTON=Channel 0", "SLP_S3=!Channel 1", "PWR_OK=Channel 2", "PLTRST=Channel 3"]


@pytest.mark.parametrize(
    ("name", "channels"),
    [("two-s3-cycles.vcd", []), ("two-s3-cycles.csv", [*SALEAE, "BACKLIGHT=Channel 4"])],
    ids=["VCD", "CSV with a map"],
)
def test_a_capture_is_matched_with_a_log(
    command, fixtures_dir: Path, name: str, channels: list[str]
) -> None:
    mapped = [word for channel in channels for word in ("--channel", channel)]
    log = str(fixtures_dir / "logs" / "two-s3-cycles.xml")

    said = command(
        "correlate", str(fixtures_dir / "traces" / name), "--log", log, *mapped, "--json"
    )

    assert said.status == 0, said.err
    assert [cycle["record_id"] for cycle in said.document["cycles"]] == [104, 114]
    first = said.document["cycles"][0]["outside"]
    assert first["press_to_slp_s3_ns"]["value"] == 48_000_000
    assert first["press_to_light_ns"]["value"] == 1_500_000_000


def test_actions_on_a_bench(command) -> None:
    pressed = command("press", "--rig", SIM, "--for", "200ms", "--json").document
    assert abs(pressed["width_ns"] - 200_000_000) < 5_000_000
    moved = command("lid", "close", "--rig", SIM, "--for", "2s", "--json").document
    assert 2_000_000_000 <= moved["held_ns"] < 3_100_000_000
    assert "The lid is open." in command("lid", "open", "--rig", SIM).out
    watched = command("watch", "--rig", SIM, "--for", "1s", "--json").document
    assert watched["levels"]["PWR_OK"] == 1
    tested = command("selftest", "--rig", SIM, "--json").document
    assert tested["ok"] is True


def test_doctor_looks_at_everything(command) -> None:
    said = command("doctor", "--rig", SIM, "--json")
    assert said.status == 0, said.out
    names = {check["name"] for check in said.document["checks"]}
    assert {"host", "disk", "board", "clock bound", "self-test", "wiring"} <= names


def test_doctor_says_what_is_wrong(command) -> None:
    said = command("doctor", "--rig", "serial:/dev/no-such-port")
    assert said.status == 3
    head, _, checks = said.out.partition("\n\n")
    assert head == "Not ready: 1 of 4 checks failed."
    assert checks.startswith("BAD  link ")  # what failed comes first
    good = command("doctor", "--rig", SIM).out
    assert re.match(r"Ready: all \d+ checks passed\.\n\n", good)


def test_log_of_a_campaign_in_the_words_of_s3resume(command, fixtures_dir: Path) -> None:
    said = command("log", str(fixtures_dir / "logs" / "four-s3-cycles.xml"), "--ignore-first")
    assert said.status == 0, said.err
    assert "Transition # | BIOS Init | Driver Init | Total" in said.out
    assert "ignored" in said.out


def test_every_json_answer_is_the_only_thing_on_standard_output(command) -> None:
    for words in (
        ["run", "--rig", SIM, "--cycles", "1", "--no-ignore-first"],
        ["doctor", "--rig", SIM],
        ["selftest", "--rig", SIM],
        ["watch", "--rig", SIM, "--for", "100ms"],
    ):
        json.loads(command(*words, "--json").out)


@pytest.mark.parametrize("width", ["40", "80", "200"])
def test_tables_fit_any_terminal(command, monkeypatch: pytest.MonkeyPatch, width: str) -> None:
    monkeypatch.setenv("COLUMNS", width)
    assert command(*RUN).status == 0


@pytest.mark.parametrize("missing", ["DriverInitDuration", "BiosInitDuration"])
def test_a_time_of_0_is_not_reported_and_never_helps_a_pass(
    command, folder: Path, fixtures_dir: Path, missing: str
) -> None:
    log = (fixtures_dir / "logs" / "four-s3-cycles.xml").read_text("utf-8")
    reported = re.compile(f'(<Data Name="{missing}">)[0-9]+')
    (folder / "zero.xml").write_text(reported.sub(r"\g<1>0", log), "utf-8")

    said = command("log", "zero.xml", "--json")

    assert said.status == 4
    assert said.document["verdict"] == "NO-EVIDENCE"
    assert [cycle["resume_ms"] for cycle in said.document["cycles"]] == [None] * 4


def test_log_writes_pwrtest_xml_that_it_reads_back(
    command, folder: Path, fixtures_dir: Path
) -> None:
    log = str(fixtures_dir / "logs" / "every-kind.xml")
    said = command("log", log, "--emit", "pwrtest-xml", "out.xml", "--json")
    back = command("log", "out.xml", "--json")

    assert "without 1 of kinds that PwrTest does not have" in said.err
    assert back.document["sources"][0]["kind"] == "pwrtest-xml"
    keys = ("sleep_ms", "wake_ms", "driver_init_ms", "bios_init_ms", "hiber_pages")
    written = [c for c in said.document["cycles"] if c["kind"] != "fast-startup"]
    assert [[c[key] for key in keys] for c in back.document["cycles"]] == [
        [c[key] for key in keys] for c in written
    ]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--emit", "csv", "out.csv"], "allowed is pwrtest-xml"),
        (["--emit", "pwrtest-xml", "in.xml"], "would replace"),
        (["--emit", "pwrtest-xml", "out.html", "--report", "out.html"], "name one file"),
        (["--emit", "pwrtest-xml", "no/folder/out.xml"], "could not write"),
    ],
)
def test_log_refuses_to_emit_what_it_cannot(
    command, folder: Path, fixtures_dir: Path, arguments: list[str], told: str
) -> None:
    (folder / "in.xml").write_bytes((fixtures_dir / "logs" / "every-kind.xml").read_bytes())
    said = command("log", "in.xml", *arguments)

    assert said.status == 2
    assert told in said.err


@pytest.mark.parametrize("requirement", ["s3resume", "sysfund-0004"])
def test_log_judges_as_s3resume_does(command, fixtures_dir: Path, requirement: str) -> None:
    said = command("log", str(fixtures_dir / "logs" / "s3resume.txt"), "--requirement", requirement)

    assert said.status == 0, said.err
    assert re.search(r"^0 \(ignored\) +149 +1095 +1244 +ignored", said.out, re.MULTILINE)
    assert "Maximum Total Time: 1227, Transition No. 2\n" in said.out
    assert "Average Total Time: 1209\n" in said.out
    within = "below" if requirement == "s3resume" else "within"  # 2000 ms fails, as in S3Resume
    assert f"3 of 3 resumes {within} 2000 ms; the worst 1227 ms." in said.out


def test_log_gives_the_papers_advice(command, fixtures_dir: Path) -> None:
    said = command("log", str(fixtures_dir / "logs" / "xperf-suspend.xml"))

    assert said.status == 1
    assert "Advice for the software vendor: Slowsvc: Register the service for suspend" in said.out


def test_sim_lists_the_duts_that_can_be_simulated(command) -> None:
    said = command("sim", "--list")
    names = [line.split()[0] for line in said.out.splitlines()]

    document = command("sim", "--list", "--json").document

    assert {"healthy-laptop", "tsc-not-reset", "fake-s3"} <= set(names)
    assert [dut["name"] for dut in document["duts"]] == names


def test_a_signal_that_is_mapped_the_wrong_way_up_is_doubted(command, fixtures_dir: Path) -> None:
    trace, log = fixtures_dir / "traces" / "two-s3-cycles.csv", fixtures_dir / "logs"
    signals = {"BUTTON": "Channel 0", "PWR_OK": "Channel 2", "PLTRST": "Channel 3"}
    words = [word for name, told in signals.items() for word in ("--channel", f"{name}={told}")]
    words += ["--log", str(log / "two-s3-cycles.xml"), "--json"]

    wrong = command("correlate", str(trace), *words, "--channel", "SLP_S3=Channel 1")
    right = command("correlate", str(trace), *words, "--channel", "SLP_S3=!Channel 1")

    assert "SLP_S3 is high while the others are low" in wrong.err
    assert right.status == 0
    assert "SLP_S3 is high" not in right.err
    assert "Signals that were not used: 'Channel 4'" in right.err


def test_a_key_tells_what_the_dut_had_of_it(command) -> None:
    bench = ("--rig", SIM, "--dut", "wakes-by-device")
    said = command("key", *bench, "--for", "200ms", "--json")
    assert said.status == 0, said.err
    document = said.document
    assert document["schema"] == "resume-rig/key/1"
    assert document["commanded_ns"] == 200_000_000
    assert document["bus"] == "ready"
    assert (document["reports"], document["wakeups"]) == (1, 0)
    assert command("key", *bench).out == (
        "Pressed for 150.0 ms; the DUT had 1 report and 0 wakeups of it.\n"
    )


def test_a_contact_is_closed_for_a_time_and_opened(command) -> None:
    bench = ("--rig", SIM, "--dut", "wakes-by-device")
    said = command("contact", "close", *bench, "--for", "5s", "--json")
    assert said.status == 0, said.err
    document = said.document
    assert (document["schema"], document["move"]) == ("resume-rig/contact/1", "close")
    assert abs(document["held_ns"] - 5_000_000_000) < 50_000_000
    assert "The contact is closed for 5.000 s." in said.err
    assert command("contact", "open", *bench).out == "The contact is open.\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("key",), "could not press a key: the rig cannot move the KEYBOARD of the DUT"),
        (
            ("contact", "close", "--for", "1s"),
            "could not close the contact: the rig cannot move the CONTACT of the DUT",
        ),
    ],
)
def test_what_the_bench_has_not_is_one_sentence(command, words: tuple[str, ...], told: str) -> None:
    said = command(*words, "--rig", SIM)
    assert said.status == 2
    assert told in said.err
    assert said.err.count("\n") == 1


def test_a_key_for_too_long_is_refused_before_it_is_pressed(command) -> None:
    said = command("key", "--rig", SIM, "--dut", "wakes-by-device", "--for", "2s")
    assert said.status == 2
    assert "--for is 2.000 s; allowed are more than 0 s, up to 1.000 s" in said.err
