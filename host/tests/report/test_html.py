import base64
import hashlib
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from resume_rig.analysis.answer.campaign import answered_campaign
from resume_rig.analysis.answer.log import answered_log
from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge
from resume_rig.model.result.judgement import RecordedCycle
from resume_rig.model.result.verdict import Finding, FindingKind
from resume_rig.report.html import campaign_report, log_report

GENERATED = "2026-01-05 10:22:31 UTC"
VOID = {"meta", "br", "img", "link", "input", "hr"}

# Histograms of the resume and of light, both over the cycles, and the cycles to begin with.
DRAWN = 4


class Page(HTMLParser):
    """Tags with their attributes, the text, and whether every tag was closed in its order."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "script"} & set(self.open):
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def count(self, tag: str) -> int:
        return sum(1 for name, _ in self.tags if name == tag)

    def drawings(self) -> int:
        return sum(1 for tag, a in self.tags if tag == "svg" and a.get("role") == "img")


@pytest.fixture(params=["four", "slow", "hang", "long", "empty", "log", "no log"])
def source(request: pytest.FixtureRequest, samples: Any) -> str:
    pages = {
        "four": lambda: campaign_report(
            answered_campaign(samples.four_cycles(), samples.facts()), GENERATED
        ),
        "slow": lambda: campaign_report(
            answered_campaign(samples.slow_cycles(), samples.facts()), GENERATED
        ),
        "hang": lambda: campaign_report(
            answered_campaign(samples.with_a_hang(), samples.facts()), GENERATED
        ),
        "long": lambda: campaign_report(
            answered_campaign(samples.long_campaign(), samples.facts()), GENERATED
        ),
        "empty": lambda: campaign_report(
            answered_campaign(samples.correlation([]), samples.facts()), GENERATED
        ),
        "log": lambda: log_report(answered_log(samples.mixed_log()), GENERATED),
        "no log": lambda: log_report(
            answered_log(samples.log_judgement(samples.log_shape())), GENERATED
        ),
    }
    return pages[request.param]()


def test_a_page_is_well_formed_and_its_ids_are_unique(source: str) -> None:
    page = Page(source)
    assert page.open == []
    ids = Counter(a["id"] for _, a in page.tags if "id" in a)
    assert [name for name, count in ids.items() if count > 1] == []


def inline(source: str, tag: str) -> str:
    """Return the one inline text of a kind, as the browser hashes it."""
    (found,) = re.findall(rf"<{tag}>(.*?)</{tag}>", source, re.DOTALL)
    return found


def hash_of(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_a_page_loads_nothing_and_runs_its_one_script_alone(source: str) -> None:
    page = Page(source)
    policies = [a["content"] for t, a in page.tags if t == "meta" and a.get("http-equiv")]
    style, script = inline(source, "style"), inline(source, "script")
    assert policies == [
        f"default-src 'none'; style-src {hash_of(style)}; img-src data:; base-uri 'none'; "
        f"form-action 'none'; script-src {hash_of(script)}"
    ]
    assert len(script.encode()) <= 15_000
    assert "innerHTML" not in script
    assert not {tag for tag, _ in page.tags} & {"link", "iframe", "img", "object", "form"}
    assert not {name for _, a in page.tags for name in a if name.startswith("on")}
    assert not {name for _, a in page.tags for name in a} & {"src", "srcset", "style"}
    links = {a["href"] or "" for _, a in page.tags if "href" in a}
    ids = {a["id"] for _, a in page.tags if "id" in a}
    assert {link.removeprefix("#") for link in links} <= ids
    assert "http://" not in source
    assert "https://" not in source
    assert not re.search(r"@import|url\((?!#)", source)


def test_every_reference_inside_a_drawing_has_its_target(source: str) -> None:
    page = Page(source)
    ids = {a.get("id") for _, a in page.tags}
    labelled = [n for _, a in page.tags for n in (a.get("aria-labelledby") or "").split()]
    assert {*re.findall(r"url\(#([\w-]+)\)", source), *labelled} <= ids


def test_drawings_and_tables_can_be_read_without_seeing_them(source: str) -> None:
    page = Page(source)
    for tag, attributes in page.tags:
        if tag == "svg":
            assert attributes.get("role") == "img" or attributes.get("aria-hidden") == "true"
        if tag == "th":
            assert attributes.get("scope") in {"col", "row", "colgroup"}
    assert page.count("desc") == page.drawings()


def test_every_class_that_is_used_in_a_drawing_has_a_style(source: str) -> None:
    names = {
        "to-slp-s3",
        "to-pwr-ok",
        "to-pltrst",
        "to-light",
        "bios",
        "image",
        "drivers",
        "within",
    }
    css = source.partition("</style>")[0]
    assert all(f".{name} {{ fill:" in css for name in names)


def test_a_campaign_tells_verdict_requirement_identity_and_limits(samples: Any) -> None:
    text = Page(
        campaign_report(answered_campaign(samples.four_cycles(), samples.facts()), GENERATED)
    ).text
    for part in (
        "PASS 3 of 3 resumes within 2000 ms; the worst 1268 ms.",
        "The worst, 1268 ms (cycle 4), is 732 ±2 ms from the limit.",
        "Resume from S3 in 2 seconds or less",
        "System resume performance, a white paper",
        "Example Computers Notebook 14 G3",
        "resume-rig board, USB serial 0123456789AB",
        "ignore first yes",
        "light timeout s not set",
        "BIOS N14 Ver. 01.07.02, 2025-03-11 · S3 by button · 4 cycles",
        "BIOS took 262 ms; at most 250 ms is advised.",
        "bios_init_ms = 262",
        "OS clock minus host clock: -1.412 s ±0.500 s, drift +12.2 ppm.",
        "OS time after a wake is good to ±0.5 s",
        GENERATED,
        "out/night.rrs",
    ):
        assert part in text


def test_a_row_has_intervals_with_uncertainties_inside_numbers_and_a_verdict(samples: Any) -> None:
    text = Page(
        campaign_report(answered_campaign(samples.four_cycles(), samples.facts()), GENERATED)
    ).text
    assert (
        "2 52.31 ±0.02 231.77 ±0.02 333.67 ±0.02 1420.60 ±0.53 205 1043 1248"
        " - 1607 ±15 -186 ±15 0.4 ±1.9 PASS"
    ) in text
    assert "1 (ignored)" in text


def test_findings_faults_and_the_lonely_are_told(samples: Any) -> None:
    facts = replace(samples.facts(), faults=("The board rebooted once.",))
    correlation = replace(samples.with_a_hang(), unmatched_records=(samples.unmatched(77),))
    text = Page(campaign_report(answered_campaign(correlation, facts), GENERATED)).text
    assert "Never woke ( never-woke ) in 1 of 5 cycles: 3" in text
    assert "⚠ 1 cycle without a record" in text
    assert "cycles without an OS record: 3-4" in text
    assert "record 867 (S3): resume 1248 ms" in text
    assert "The board rebooted once." in text


def test_no_cycle_claims_nothing(samples: Any) -> None:
    page = Page(
        campaign_report(answered_campaign(samples.correlation([]), samples.facts()), GENERATED)
    )
    assert page.drawings() == 0
    assert "there is nothing to draw" in page.text
    assert "agree" not in page.text


def test_a_long_campaign_lists_chosen_cycles_and_says_which(samples: Any) -> None:
    page = Page(
        campaign_report(answered_campaign(samples.long_campaign(1_500), samples.facts()), GENERATED)
    )
    assert (
        "1000 of 1500 cycles are listed: every cycle that failed, the slowest 1 %, cycles without"
        " a time, the first and the last; 500 are left out here (500 PASS)."
    ) in page.text
    flags = [a.get("data-f") or "" for t, a in page.tags if t == "tr"]
    assert sum("f" in each for each in flags) == 3
    assert sum("s" in each for each in flags) == 15  # 1 % of those with a time
    assert sum("p" in each for each in flags) == 50


@pytest.mark.slow
def test_a_campaign_of_10_000_cycles_has_them_all_and_stays_small(samples: Any) -> None:
    source = campaign_report(
        answered_campaign(samples.long_campaign(10_000), samples.facts()), GENERATED
    )
    assert len(source.encode()) < 1_500_000
    (rows,) = re.findall(r'data-cycles="([^"]*)"', source)
    assert [int(row[1:].split(",")[0], 36) for row in rows.split(";")] == list(range(1, 10_001))
    for name in ("all-cycles", "light-cycles", "light-histogram", "histogram"):
        assert f'id="{name}-title"' in source


def test_a_short_campaign_lists_every_cycle(samples: Any) -> None:
    cycles = [samples.cycle(n) for n in range(1, 201)]
    page = Page(
        campaign_report(answered_campaign(samples.correlation(cycles), samples.facts()), GENERATED)
    )
    assert page.drawings() == DRAWN + 2  # the median and the slowest
    assert sum(1 for t, a in page.tags if t == "th" and "data-n" in a) == 200
    assert "left out here" not in page.text


def test_equal_findings_are_one_line_with_the_range_of_their_figures(samples: Any) -> None:
    cycles = [
        samples.cycle(
            n,
            findings=[
                Finding(
                    FindingKind.BIOS_OVER_ADVISED,
                    f"BIOS took {260 + n} ms; at most 250 ms is advised.",
                    {"bios_init_ms": 260 + n, "advised_ms": 250},
                )
            ],
        )
        for n in range(1, 61)
    ]
    text = Page(
        campaign_report(answered_campaign(samples.correlation(cycles), samples.facts()), GENERATED)
    ).text
    assert text.count("at most 250 ms is advised") == 1
    assert "BIOS took 261 to 320 ms; at most 250 ms is advised." in text
    assert "bios_init_ms = 261 to 320 , advised_ms = 250" in text


def test_findings_are_ranked_by_what_they_put_in_doubt(samples: Any) -> None:
    kinds = [FindingKind.BIOS_OVER_ADVISED, FindingKind.RECORD_DOUBLED, FindingKind.TSC_NOT_RESET]
    findings = [Finding(kind, f"It is {kind}.") for kind in kinds]
    correlation = samples.correlation([samples.cycle(findings=findings), samples.never_woke(2)])
    source = campaign_report(answered_campaign(correlation, samples.facts()), GENERATED)
    shown = re.findall(r'<section class="finding" id="finding-([\w-]+)"', source)
    assert shown == ["never-woke", "tsc-not-reset", "record-doubled", "bios-over-advised"]


def test_a_log_has_its_table_kinds_apart_and_sources(samples: Any) -> None:
    page = Page(log_report(answered_log(samples.mixed_log()), GENERATED))
    for part in (
        "Transition # BIOS Init Driver Init Total",
        "0 (ignored) 149 1095 1244 ignored S3 790 2023-11-14 22:13:20",
        "Minimum total 1197 ms, transition 5; maximum total 1227 ms, transition 3.",
        "2 transitions, 2 measured: 9031 to 9359 ms, average 9195 ms.",
        "doze to hibernate, not measured",
        "incomplete; 3 chunks of 79 have a wrong checksum",
        "Failure rate, at most 64 %",
        "S3 4 4 1197 1216 1244 judged",
        "S4 2 2 9031 9195 9359 not covered by this requirement",
        "⚠ Log not complete: System.evtx",
    ):
        assert part in page.text
    assert page.drawings() == 3  # the timeline, and a histogram of each kind that has times


def test_hostile_text_is_only_text(samples: Any, hostile: str) -> None:
    finding = Finding(FindingKind.UNEXPLAINED, hostile, {hostile: hostile})
    correlation = samples.correlation([samples.cycle(findings=[finding])], why=hostile)
    facts = replace(
        samples.facts(dut=hostile, other=hostile), faults=(hostile,), store_path=hostile
    )
    shape = samples.log_shape(
        records=(samples.os_record(wake_text=hostile),),
        problems=(hostile,),
        path=hostile,
        why=hostile,
    )
    innocent = Page(
        campaign_report(answered_campaign(samples.four_cycles(), samples.facts()), GENERATED)
    )
    for source in (
        campaign_report(answered_campaign(correlation, facts), GENERATED),
        log_report(answered_log(samples.log_judgement(shape)), GENERATED),
    ):
        source.encode("utf-8")
        page = Page(source)
        assert {tag for tag, _ in page.tags} <= {*(tag for tag, _ in innocent.tags), "pattern"}
        assert all(c in "\n" or c.isprintable() for c in source)
        assert not set(source) & set("\u202e\u2066\u2069\u2028")
        assert len(source) < 90_000


def test_text_that_looks_like_a_template_is_not_one(samples: Any) -> None:
    correlation = replace(samples.four_cycles(), doubts=("{{ 7 * 7 }} {% raw %}",))
    text = Page(campaign_report(answered_campaign(correlation, samples.facts()), GENERATED)).text
    assert "{{ 7 * 7 }} {% raw %}" in text


def test_every_wire_of_a_wave_has_a_colour(samples: Any) -> None:
    cycle = samples.with_a_hang().cycles[2].outside.number
    levels = dict.fromkeys(Channel, 1)
    edges = tuple(Edge(n, n * 50_000_000, channel, 0) for n, channel in enumerate(Channel))
    recorded = RecordedCycle(cycle, edges, levels, (), 0, True, None, 0, 0)
    campaign = answered_campaign(samples.with_a_hang(), samples.facts())
    source = campaign_report(campaign, GENERATED, [recorded])

    drawn = set(re.findall(r'class="wave (lane-[^"]*)"', source))
    assert len(drawn) == len(Channel)
    assert {name for name in drawn if f"svg .{name} {{ stroke:" not in source} == set()


def test_a_verdict_without_failures_is_no_list_of_none(samples: Any) -> None:
    page = Page(campaign_report(answered_campaign(samples.four_cycles(), samples.facts()), ""))
    assert "Failures No cycle is listed. PASS: 3 of 3 resumes within 2000 ms" in page.text
    assert "none found" not in page.text.casefold()
    assert "Nothing." not in page.text


def test_failures_stand_first_in_the_table_of_cycles(samples: Any) -> None:
    cycles = [samples.cycle(1), samples.cycle(2), samples.never_woke(3), samples.cycle(4)]
    campaign = answered_campaign(samples.correlation(cycles), samples.facts())
    source = campaign_report(campaign, "")
    assert re.findall(r'data-n="(\d+)"', source) == ["3", "1", "2", "4"]
