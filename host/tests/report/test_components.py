"""Components, hibernation files and advice on a terminal, in JSON and on the page."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from resume_rig.analysis.answer.log import answered_log
from resume_rig.analysis.verdict.measures import FIGURE_WORDS
from resume_rig.model.os_record import Component, ComponentKind, Figure, SleepKind, WakeSource
from resume_rig.report.html import log_report
from resume_rig.report.log.document import log_document
from resume_rig.report.log.terminal import log_table
from resume_rig.report.parts.components import figure_rows, is_code, time_text
from resume_rig.report.parts.document import COMPONENTS_LIMIT, SLOWEST_LIMIT
from resume_rig.report.text.terminal_style import TerminalStyle


def judgement_of(samples: Any, *components: Component, **changes: Any) -> Any:
    record = replace(samples.os_record(), components=components, **changes)
    return samples.log_judgement(samples.log_shape(records=(record,)))


def text_of(judgement: Any, *, show_all: bool = False, **style: Any) -> str:
    return "".join(log_table(answered_log(judgement), TerminalStyle(**style), show_all=show_all))


def document_of(judgement: Any) -> Any:
    return json.loads("".join(log_document(answered_log(judgement))))


def devices(count: int) -> list[Component]:
    return [
        Component(ComponentKind.DEVICE, f"Device {n}", "resume devices", float(n))
        for n in range(1, count + 1)
    ]


def hibernated(samples: Any) -> Any:
    values = {"hiber_pages": 38_075, "hiber_write_ms": 17_282, "hiber_read_ms": 10_964}
    return judgement_of(samples, kind=SleepKind.S4, **values)


def test_a_log_without_components_says_nothing_of_them(samples: Any) -> None:
    assert "Slowest" not in text_of(samples.mixed_log())
    assert 'id="slowest"' not in log_report(answered_log(samples.mixed_log()), "now")
    document = document_of(samples.mixed_log())
    assert (document["slowest"], document["advice"]) == ([], [])
    assert document["cycles"][0]["components"] == []


def test_the_terminal_shows_five_of_a_kind_and_all_on_request(samples: Any) -> None:
    judgement = judgement_of(samples, *devices(8))
    text = text_of(judgement)
    assert re.findall(r"Device (\d)  ", text) == ["8", "7", "6", "5", "4"]
    assert "3 more; --all shows them all" in text
    assert len(re.findall(r"Device \d  ", text_of(judgement, show_all=True))) == 8


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
@pytest.mark.parametrize("unicode", [True, False], ids=["Unicode", "ASCII"])
def test_lines_fit_the_terminal(samples: Any, width: int, unicode: bool) -> None:
    long = Component(
        *(ComponentKind.DRIVER, "n" * 200, "p" * 100, 12_345.0),
        start_ms=1.0,
        own_ms=2.0,
        detail="d" * 200,
        held_ms=3.0,
        group="g" * 100,
    )
    values = {"hiber_pages": 38_075, "hiber_write_ms": 17_282, "hiber_read_ms": 10_964}
    judgement = judgement_of(samples, long, kind=SleepKind.FAST_STARTUP, **values)
    text = text_of(judgement, width=width, unicode=unicode)
    assert max(map(len, text.splitlines())) <= max(width, 75)
    assert unicode or text.isascii()


def test_hostile_names_stay_on_their_line_everywhere(samples: Any, hostile: str) -> None:
    component = Component(
        ComponentKind.APPLICATION, hostile, hostile, 5_000.0, detail=hostile, group=hostile
    )
    unended = Component(ComponentKind.SERVICE, hostile, "unresponsive " + hostile, None)
    judgement = judgement_of(samples, component, unended, figures=(Figure(hostile, 1.0),))
    source = replace(judgement.reading.sources[0], identity=((hostile, hostile),))
    judgement = replace(judgement, reading=replace(judgement.reading, sources=(source,)))
    for unicode in (True, False):
        text = text_of(judgement, unicode=unicode)
        text.encode("utf-8" if unicode else "ascii")
        assert all(c == "\n" or c.isprintable() for c in text)
        assert len(text) < 8_000
    page = log_report(answered_log(judgement), "now")
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert len(page) < 120_000
    written = "".join(log_document(answered_log(judgement)))
    assert written.isascii()
    json.loads(written)


def test_the_document_keeps_the_longest_and_counts_the_rest(samples: Any) -> None:
    unended = Component(ComponentKind.SERVICE, "S", "start services", None)
    judgement = judgement_of(samples, *devices(COMPONENTS_LIMIT + 40), unended)
    document = document_of(judgement)
    cycle = document["cycles"][0]
    assert len(cycle["components"]) == COMPONENTS_LIMIT
    assert cycle["components_left_out"] == 41
    assert cycle["components"][-1]["name"] == "S"
    assert cycle["components"][0]["name"] == "Device 42"
    assert len(document["slowest"]) == SLOWEST_LIMIT
    assert document["slowest_left_out"] == 41


def test_the_document_tells_each_component_and_figure(samples: Any) -> None:
    component = Component(
        *(ComponentKind.SERVICE, "PlugPlay", "start services", 621.0, 8_532.0),
        detail="DcomLaunch svchost (536)",
        group="PlugPlay",
    )
    judgement = judgement_of(samples, component, figures=(Figure("transition_ms", 1_242.0),))
    document = document_of(judgement)
    cycle = document["cycles"][0]
    assert cycle["components"] == [
        {
            "kind": "service",
            "name": "PlugPlay",
            "phase": "start services",
            "duration_ms": 621.0,
            "start_ms": 8532.0,
            "own_ms": None,
            "held_ms": None,
            "group": "PlugPlay",
            "detail": "DcomLaunch svchost (536)",
        }
    ]
    assert cycle["figures"] == {"transition_ms": 1242.0}
    (slowest,) = document["slowest"]
    assert (slowest["worst_ms"], slowest["median_ms"], slowest["share"]) == (621.0, 621.0, 0.5)
    assert (slowest["moment"], slowest["count"], slowest["not_ended"]) == ("sleep", 1, 0)


def test_a_number_that_json_has_not_is_null(samples: Any) -> None:
    component = Component(ComponentKind.PHASE, "A", "", float("inf"))
    document = document_of(judgement_of(samples, component, figures=(Figure("x", float("nan")),)))
    assert document["cycles"][0]["components"][0]["duration_ms"] is None
    assert document["cycles"][0]["figures"] == {"x": None}


def test_hibernation_files_have_their_rates_everywhere(samples: Any) -> None:
    judgement = hibernated(samples)
    assert re.search(r"790  S4 +38075 +17282 +2\.2 +9\.0 +10964 +3\.5 +14\.2\n", text_of(judgement))
    cycle = document_of(judgement)["cycles"][0]
    assert (cycle["hiber_pages_per_ms"], cycle["hiber_read_mb_per_s"]) == (3.473, 14.224)
    assert (cycle["hiber_write_pages_per_ms"], cycle["hiber_write_mb_per_s"]) == (2.203, 9.024)
    page = log_report(answered_log(judgement), "now")
    assert "<td>3.5</td><td>14.2</td>" in page
    assert "Hibernation files" in page


def test_without_a_file_there_is_no_table_of_them(samples: Any) -> None:
    judgement = samples.log_judgement(samples.log_shape(records=(samples.os_record(),)))
    assert "Hibernation" not in text_of(judgement)
    assert "Hibernation" not in log_report(answered_log(judgement), "now")
    assert document_of(judgement)["cycles"][0]["hiber_read_mb_per_s"] is None


@pytest.mark.parametrize("kind", [SleepKind.BOOT, SleepKind.SHUTDOWN])
def test_a_boot_is_no_resume_and_has_no_row_of_one(samples: Any, kind: SleepKind) -> None:
    changes = {"bios_init_ms": None, "driver_init_ms": None, "kind": kind}
    figures = (Figure("transition_ms", 30_973.0),)
    judgement = judgement_of(samples, **changes, figures=figures)
    text = text_of(judgement)
    assert f"{kind}: 1 record, not covered by this requirement; it took 30973 ms." in text
    assert "not judged" not in text
    assert "it took 30973 ms" in log_report(answered_log(judgement), "now")


def test_a_format_without_a_public_sample_says_so(samples: Any) -> None:
    judgement = samples.mixed_log()
    source = replace(judgement.reading.sources[0], kind="xperf-boot", from_description=True)
    judgement = replace(judgement, reading=replace(judgement.reading, sources=(source,)))
    assert "no public sample of xperf-boot exists" in text_of(judgement, width=300)
    assert "xperf-boot, read by its description" in log_report(answered_log(judgement), "now")
    assert document_of(judgement)["sources"][0]["from_description"] is True


def test_what_a_source_says_of_the_dut_is_shown(samples: Any) -> None:
    judgement = samples.mixed_log()
    identity = (("system_product", "Notebook 14"), ("bios_version", "1.07"))
    source = replace(judgement.reading.sources[0], identity=identity)
    judgement = replace(judgement, reading=replace(judgement.reading, sources=(source,)))
    assert document_of(judgement)["sources"][0]["identity"] == dict(identity)
    assert "<dt>bios version</dt><dd><bdi>1.07</bdi></dd>" in log_report(
        answered_log(judgement), "now"
    )


def test_further_figures_are_summed_up_over_records(samples: Any) -> None:
    records = tuple(
        replace(samples.os_record(n), figures=(Figure("exit_latency_us", value),))
        for n, value in enumerate((400.0, 100.5, 1e9))
    )
    judgement = samples.log_judgement(samples.log_shape(records=records))
    assert "exit latency, ms" not in text_of(judgement)
    assert re.search(
        r"exit latency, ms +3 +0\.101 +0\.4 +1000000\n", text_of(judgement, show_all=True)
    )
    assert "<td>0.101</td><td>0.4</td><td>1000000</td>" in log_report(
        answered_log(judgement), "now"
    )


@pytest.mark.parametrize(
    ("name", "values", "shown"),
    [
        (
            "clock_jump_us",
            (4_722_289,),
            ("OS clock set at wake, ms", "4722.289"),
        ),
        (
            "clock_jump_us",
            (1, 2, 4e10),
            ("OS clock set at wake, ms", "0.002"),
        ),
        ("sleep_session_us", (35_149_331_203,), ("sleep session, s", "35149.331")),
        (
            "firmware_suspend_start_ms",
            (900_927,),
            ("time awake since the OS started, s", "900.927"),
        ),
        ("sleep_energy_drain_mwh", (-23_095, 624, 624), ("energy used asleep, mWh", "624")),
        ("of_a_new_log_percent", (97.5,), ("of a new log, %", "97.5")),
        ("of_a_new_log_ns", (97_500,), ("of a new log, ms", "0.098")),
        ("clock_steps", (3,), ("settings of the OS clock while awake", "3")),
    ],
)
def test_a_figure_has_a_name_in_words_and_its_unit(
    samples: Any, name: str, values: tuple[float, ...], shown: tuple[str, str]
) -> None:
    record = samples.os_record(0)
    records = [replace(record, figures=(Figure(name, value),)) for value in values]
    (row,) = figure_rows(records)
    assert (row.name, row.median) == shown


def test_no_name_of_a_figure_loses_its_unit_on_a_terminal(samples: Any) -> None:
    figures = tuple(Figure(name, 1e12) for name in FIGURE_WORDS if not is_code(name))
    records = (replace(samples.os_record(0), figures=figures),)
    judgement = samples.log_judgement(samples.log_shape(records=records))
    text = text_of(judgement, show_all=True)
    rows = figure_rows(records)
    assert len(rows) > 25
    assert [row.name for row in rows if row.name not in text] == []


@pytest.mark.parametrize(
    ("value_ms", "text"),
    [(0, "0"), (0.25, "0.2"), (99.96, "100.0"), (621.0, "621"), (847.93, "848")],
)
def test_times_have_as_many_digits_as_they_need(value_ms: float, text: str) -> None:
    assert time_text(value_ms) == text


def test_times_of_a_file_without_its_pages_are_shown(samples: Any) -> None:
    judgement = judgement_of(
        samples, kind=SleepKind.S4, hiber_pages=None, hiber_write_ms=17_282, hiber_read_ms=10_964
    )
    assert re.search(r"790  S4 +- +17282 +- +- +10964 +- +-\n", text_of(judgement))
    assert "<td>10964</td>" in log_report(answered_log(judgement), "now")


def test_who_set_the_timer_stands_beside_the_row_escaped(samples: Any) -> None:
    source = WakeSource(6, "timer", "", "\\\\<b>backup.exe\x1b[2J: nightly")
    judgement = judgement_of(samples, wake_source=source)
    text = text_of(judgement, width=200)
    assert "timer of \\\\<b>backup.exe" in text
    assert "\x1b" not in text
    assert "<b>backup" not in log_report(answered_log(judgement), "now")
    told = document_of(judgement)["cycles"][0]["wake_source"]["timer_owner"]
    assert told.startswith("\\\\<b>backup.exe")


def test_the_user_phase_is_shown_and_is_no_part_of_the_total(samples: Any) -> None:
    judgement = judgement_of(samples, wake_ms=1116, driver_init_ms=1068, bios_init_ms=149)
    assert document_of(judgement)["cycles"][0]["user_init_ms"] == 48
    assert document_of(judgement)["cycles"][0]["resume_ms"] == 1217
    assert "USER initialization, the wake beyond Driver Init" in text_of(judgement)
    assert "median 48, maximum 48 ms over 1" in text_of(judgement, width=200)


def test_boots_beside_a_requirement_on_sleeps_have_length_and_firmware(samples: Any) -> None:
    figures = (Figure("transition_ms", 12_345.0), Figure("start_os_image_ms", 3241.0))
    judgement = judgement_of(samples, kind=SleepKind.BOOT, figures=figures)
    assert "it took 12345 ms; the firmware took 3241 ms (median)" in text_of(judgement, width=200)
