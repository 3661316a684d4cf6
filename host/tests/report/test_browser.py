"""The reports in a real browser: nothing is complained of, and what can be done can be done."""

import re
import shutil
import struct
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from resume_rig.analysis.answer.campaign import answered_campaign
from resume_rig.analysis.answer.log import answered_log
from resume_rig.analysis.compare.trend import trend_of
from resume_rig.cli.main import main
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.fleet import SessionTimes, TrendBy, TrendSession
from resume_rig.model.result.verdict import Finding, FindingKind, Verdict
from resume_rig.report.html import campaign_report, log_report, trend_report

playwright = pytest.importorskip(
    "playwright.sync_api", reason="no Playwright: reports are not opened in a browser"
)

GENERATED = "2026-01-05 10:22:31 UTC"
MS = 1_000_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    names = ("chromium", "chromium-browser", "google-chrome")
    program = next(filter(None, map(shutil.which, names)), None)
    if program is None:
        pytest.skip("no Chromium on PATH: reports are not opened in a browser")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield opened
        opened.close()


class Opened:
    """A report in a window; what the browser complains of fails the test that opened it."""

    def __init__(self, browser: Any, folder: Path, **context: Any) -> None:
        self.complaints: list[str] = []
        self._folder = folder
        self._context = browser.new_context(viewport={"width": 1440, "height": 900}, **context)

    def show(self, source: str) -> Any:
        file = self._folder / "report.html"
        file.write_text(source, encoding="utf-8")
        page = self._context.new_page()
        page.on("console", lambda said: self.complaints.append(said.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", self._requested)
        page.goto(file.as_uri())
        return page

    def _requested(self, request: Any) -> None:
        if not request.url.startswith("file:") or "report.html" not in request.url:
            self.complaints.append(f"asked for {request.url}")

    def close(self) -> None:
        self._context.close()
        assert self.complaints == []


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Opened]:
    found = Opened(browser, tmp_path)
    yield found
    found.close()


@pytest.fixture
def report(samples: Any) -> str:
    """Return a campaign whose BIOS under-reports in cycle 5, and that has failures."""
    found = samples.long_campaign(120)
    evidence = {"hidden_ns": 231 * MS, "bound_ns": 50 * MS, "cycles": 60}
    finding = Finding(FindingKind.BIOS_UNDER_REPORTED, "231 ms are hidden.", evidence)
    cycles = [
        samples.cycle(5, findings=[finding]) if cycle.outside.number == 5 else cycle
        for cycle in found.cycles
    ]
    facts = samples.facts()
    object.__setattr__(facts, "reset_to_tsc", BoundedNs(25 * MS, 15 * MS))
    return campaign_report(
        answered_campaign(samples.correlation(cycles, found.verdict, found.why), facts), GENERATED
    )


def column(page: Any, at: int) -> list[str]:
    rows = page.locator("table.cycles tbody tr:not(.gap)")
    texts = rows.evaluate_all(
        "(rows, at) => rows.filter((row) => !row.hidden).map((row) => row.cells[at].textContent)",
        at,
    )
    return [str(text).strip() for text in texts]


def test_every_kind_of_page_opens_without_a_complaint(opened: Opened, samples: Any) -> None:
    facts = samples.facts()
    for source in (
        campaign_report(answered_campaign(samples.four_cycles(), facts), GENERATED),
        campaign_report(answered_campaign(samples.with_a_hang(), facts), GENERATED),
        campaign_report(answered_campaign(samples.correlation([]), facts), GENERATED),
        campaign_report(
            answered_campaign(samples.correlation([samples.never_woke(1)]), facts), GENERATED
        ),
        log_report(answered_log(samples.mixed_log()), GENERATED),
        log_report(answered_log(samples.log_judgement(samples.log_shape())), GENERATED),
    ):
        page = opened.show(source)
        assert page.locator("h1").is_visible()


@pytest.fixture(scope="module")
def campaigns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two campaigns of two builds."""
    folder = tmp_path_factory.mktemp("campaigns")
    for name, dut in (("base.rrs", "healthy-laptop"), ("slow.rrs", "slow-bios")):
        words = f"run --rig sim:clock=virtual,seed=7 --dut {dut} --cycles 8 --progress quiet --out"
        assert main([*words.split(), str(folder / name)]) in (0, 1, 4)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["compare", "fleet"])
@pytest.mark.parametrize("width", [1440, 640])
def test_the_pages_of_many_campaigns_open_without_a_complaint(
    opened: Opened, campaigns: Path, tmp_path: Path, verb: str, width: int
) -> None:
    html = tmp_path / f"{verb}.html"
    stores = [str(campaigns / name) for name in ("base.rrs", "slow.rrs")]
    words = stores if verb == "compare" else [str(campaigns), "--jobs", "1"]
    assert main([verb, *words, "--html", str(html)]) in (0, 1, 4)
    page = fits(opened, html.read_text("utf-8"), width)
    if width == 1440 and verb == "compare":
        box = page.locator(".screen").bounding_box()
        assert box["y"] + box["height"] <= 900  # answer, why and the shifts that matter


@pytest.mark.slow
@pytest.mark.parametrize("width", [1440, 640])
def test_the_page_of_a_lab_opens_without_a_complaint(opened: Opened, width: int) -> None:
    sessions = [
        TrendSession(
            load_id=number,
            path=f"/s/{build}-{unit}.rrs",
            report=None,
            unit=f"u{unit} <b>",
            point=build,
            begun_utc_ns=number * 10**15,
            verdict=Verdict.PASS,
            cycles=100,
            judged=100,
            failed=0,
            undecided=0,
            times={"resume_ms": SessionTimes(100, ms, ms + 30, ms + 90, ms - 2, ms + 2)},
        )
        for number, (build, unit) in enumerate(product(("1.0", "1.1", "1.2"), range(5)))
        for ms in (900.0 + 7 * unit + 80 * (build == "1.2"),)
    ]
    lab = trend_of(
        {("Notebook", "S3"): sessions},
        TrendBy.BIOS,
        ("resume_ms",),
        "sysfund-0004",
        lambda loads: {load: {"device Wi-Fi": 100.0} for load in loads},
    )
    page = fits(opened, trend_report(lab, GENERATED), width)
    assert "First worse build: 1.2" in page.locator("body").inner_text()


def fits(opened: Opened, source: str, width: int) -> Any:
    """Open a page in a window of a width; return it."""
    page = opened.show(source)
    page.set_viewport_size({"width": width, "height": 900})
    assert page.locator("h1").is_visible()
    assert page.locator("svg[role=img]").count() >= 1
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    return page


def test_the_first_screen_is_the_answer(opened: Opened, report: str) -> None:
    page = opened.show(report)
    for place in (".headline", "#phases", ".tiles", "#all", "#actions"):
        box = page.locator(place).first.bounding_box()
        assert box["y"] < 700, place
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 1440


@pytest.mark.slow
def test_a_table_is_sorted_both_ways_and_what_is_missing_stays_last(
    opened: Opened, report: str
) -> None:
    page = opened.show(report)
    head = page.locator("table.cycles thead tr:last-child th").nth(7)
    head.locator("button").click()
    rising = column(page, 7)
    assert head.get_attribute("aria-sort") == "ascending"
    head.locator("button").click()
    falling = column(page, 7)
    numbers = [[int(text) for text in texts if text != "-"] for texts in (rising, falling)]
    assert numbers[0] == sorted(numbers[0])
    assert numbers[1] == numbers[0][::-1]
    assert (rising[-1], falling[-1]) == ("-", "-")


@pytest.mark.slow
def test_rows_are_filtered(opened: Opened, report: str) -> None:
    page = opened.show(report)
    tools = page.locator(".tools").filter(has=page.get_by_role("button", name="Slowest 1 %"))
    tools.get_by_role("button", name=re.compile("^Failed")).click()
    assert set(column(page, 12)) == {"FAIL"}
    assert len(column(page, 0)) == 3
    assert "3 of 120 rows" in tools.inner_text()
    tools.get_by_role("button", name=re.compile("^Slowest")).click()
    assert len(column(page, 0)) == 2
    tools.get_by_role("button", name=re.compile("^Finding")).click()
    assert len(column(page, 0)) == 2
    tools.get_by_role("button", name=re.compile("^All")).click()
    tools.get_by_role("searchbox").fill("bios-under")
    assert column(page, 0) == ["5"]


@pytest.mark.slow
def test_a_click_on_a_mark_draws_its_cycle_and_a_pointer_shows_its_figures(
    opened: Opened, report: str
) -> None:
    page = opened.show(report)
    box = page.locator("figure[data-cycles] svg").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.7)
    tip = page.locator(".tip").inner_text()
    assert re.search(r"cycle \d+: PASS; OS reports \d+ ±2 ms; display on [\d.]+ ±[\d.]+ ms", tip)
    page.mouse.down()
    page.mouse.up()
    number = re.search(r"cycle (\d+)", tip)
    assert number is not None
    assert page.locator(".panel-other").is_visible()
    assert not page.locator(".panel-median").is_visible()
    assert page.locator("tr.chosen th").text_content().strip() == number[1]


@pytest.mark.slow
def test_the_script_draws_what_the_page_draws(opened: Opened, report: str) -> None:
    page = opened.show(report)
    words = page.locator("label[for=choose-median]").inner_text()
    number = re.search(r"\d+", words)
    assert number is not None
    read = "(g) => [...g.querySelectorAll('rect,text,circle,line.limit')].map((e) => "
    read += "[e.localName, e.getAttribute('class'), Math.round(e.getAttribute('x')), "
    read += "Math.round(e.getAttribute('width')), e.localName === 'text' ? e.textContent : ''])"
    ours = page.locator(".panel-median g.drawn").evaluate(read)
    page.get_by_label("number of the cycle to draw").fill(number[0])
    page.keyboard.press("Enter")
    theirs = page.locator(".panel-other g.drawn").evaluate(read)
    assert sorted(map(str, theirs)) == sorted(map(str, ours))


@pytest.mark.slow
@pytest.mark.parametrize("number", ["5", "60", "61"])
def test_every_phase_that_the_script_draws_hovers_with_its_uncertainty(
    opened: Opened, samples: Any, number: str
) -> None:
    found = samples.long_campaign(120)
    long, short = ({"hidden_ns": ms * MS, "bound_ns": 50 * MS, "cycles": 60} for ms in (231, -99))
    kinds = FindingKind.BIOS_UNDER_REPORTED, FindingKind.BIOS_OVER_REPORTED
    wrong = [
        samples.cycle(n, findings=[Finding(kind, "BIOS time contradicted.", evidence)])
        for n, kind, evidence in zip((5, 60), kinds, (long, short), strict=True)
    ]
    cycles = [*wrong, *(c for c in found.cycles if c.outside.number not in (5, 60))]
    facts = samples.facts()
    object.__setattr__(facts, "reset_to_tsc", BoundedNs(25 * MS, 15 * MS))
    whole = campaign_report(answered_campaign(samples.correlation(cycles), facts), GENERATED)
    chosen = next(c for c in cycles if c.outside.number == int(number))
    alone = campaign_report(answered_campaign(samples.correlation([chosen]), facts), GENERATED)
    read = "(g) => [...g.querySelectorAll('rect title')].map((e) => e.textContent)"
    page = opened.show(alone)
    ours = page.locator("g.drawn").first.evaluate(read)
    page = opened.show(whole)
    page.get_by_label("number of the cycle to draw").fill(number)
    page.keyboard.press("Enter")
    theirs = page.locator(".panel-other g.drawn").evaluate(read)
    assert len(ours) >= 9
    for one, other in zip(ours, theirs, strict=True):
        form = re.fullmatch(r"(.+): (\d+(?:\.\d+)?) ±(\d+(?:\.\d+)?) ms", one)
        assert form is not None, one
        again = re.fullmatch(re.escape(form[1]) + r": ([\d.]+) ±([\d.]+) ms", other)
        assert again is not None, other
        # The script has the ends in steps of 10 us, and says what that may cost.
        assert float(again[1]) == pytest.approx(float(form[2]), abs=0.011)
        assert -1e-9 <= float(again[2]) - float(form[3]) <= 0.021


@pytest.mark.slow
def test_the_last_number_of_a_long_campaign_is_whole(opened: Opened, samples: Any) -> None:
    source = campaign_report(
        answered_campaign(samples.long_campaign(1_000), samples.facts()), GENERATED
    )
    page = opened.show(source)
    ends = page.locator("figure.marks svg").first.evaluate(
        "(svg) => [...svg.querySelectorAll('text')].filter((e) => e.textContent === '1000')"
        ".map((e) => e.getBBox()).map((b) => svg.viewBox.baseVal.width - b.x - b.width)"
    )
    assert len(ends) == 2  # of cycles and of times
    assert min(ends) >= 0


@pytest.mark.slow
def test_a_cycle_of_a_bios_that_under_reports_is_chosen_from_the_table(
    opened: Opened, report: str
) -> None:
    page = opened.show(report)
    page.locator("th[data-n='5'] button").click()
    panel = page.locator(".panel-other")
    assert panel.locator("rect.hidden").count() == 1
    assert panel.locator(".hidden-label").text_content() == "hidden 231 ±48 ms"
    assert page.locator("#phases").is_visible()


@pytest.mark.slow
def test_everything_is_reached_with_the_keyboard(opened: Opened, report: str) -> None:
    page = opened.show(report)
    page.locator("#choose-median").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".panel-slowest").is_visible()
    page.locator("th[data-n='7'] button").focus()
    page.keyboard.press("Enter")
    assert "cycle 7" in page.locator("label[for=choose-other]").inner_text()


@pytest.mark.slow
def test_the_marks_are_walked_with_arrows_and_chosen_with_enter(
    opened: Opened, report: str
) -> None:
    page = opened.show(report)
    page.locator("a[href='#finding-bios-under-reported']").first.focus()
    marks = page.locator("figure[data-cycles] svg")
    for _ in range(20):
        page.keyboard.press("Tab")
        if marks.evaluate("e => e === document.activeElement"):
            break
    tip = page.locator(".tip[role=status]")
    assert tip.inner_text().startswith("cycle 1: ")
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    assert tip.inner_text().startswith("cycle 7: PASS; OS reports ")
    page.keyboard.press("Enter")
    assert "cycle 7" in page.locator("label[for=choose-other]").inner_text()
    page.keyboard.press("End")
    assert tip.inner_text().startswith("cycle 120: ")
    page.keyboard.press("ArrowRight")
    assert tip.inner_text().startswith("cycle 120: ")


@pytest.mark.slow
def test_a_cycle_past_the_usual_axis_is_drawn_on_its_own(opened: Opened, report: str) -> None:
    """The script draws the slowest as the page does, ticks too, and the key names its parts."""
    page = opened.show(report)
    number = re.search(r"\d+", page.locator("label[for=choose-slowest]").inner_text())
    assert number is not None
    read = "(svg) => [...svg.querySelectorAll('line,rect,text,circle')].map((e) => "
    read += "[e.localName, e.getAttribute('class'), Math.round(e.getAttribute('x')), "
    read += "Math.round(e.getAttribute('x1')), Math.round(e.getAttribute('width')), "
    read += "e.localName === 'text' ? e.textContent : ''])"
    ours = page.locator(".panel-slowest svg").evaluate(read)
    assert len({tuple(each) for each in ours if each[1] == "grid"}) >= 5
    page.get_by_label("number of the cycle to draw").fill(number[0])
    page.keyboard.press("Enter")
    theirs = page.locator(".panel-other svg").evaluate(read)
    assert sorted(map(str, theirs)) == sorted(map(str, ours))
    notes = page.locator(".panel-other figcaption").text_content()
    assert notes == page.locator(".panel-slowest figcaption").text_content()


@pytest.mark.slow
def test_the_key_names_what_is_drawn_and_no_more(opened: Opened, report: str) -> None:
    page = opened.show(report)
    hidden = page.locator(".key li[data-style=hidden]")
    assert not hidden.is_visible()
    assert page.locator(".key li[data-style=bios]").is_visible()
    page.locator("th[data-n='5'] button").click()
    assert hidden.is_visible()


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 800])
def test_a_narrow_window_has_readable_pictures_and_their_figures(
    opened: Opened, report: str, width: int
) -> None:
    page = opened.show(report)
    page.set_viewport_size({"width": width, "height": 844})
    sizes = page.evaluate(
        "[...document.querySelectorAll('.screen svg.figure')].filter((e) => e.clientWidth)"
        ".map((e) => 12 * e.clientWidth / e.viewBox.baseVal.width)"
    )
    assert min(sizes) >= 9  # px of a label
    assert "complete " in page.locator(".panel-median figcaption").inner_text()
    assert page.locator("header").bounding_box()["y"] >= 0
    assert page.locator("h1").bounding_box()["y"] >= 10


@pytest.mark.slow
def test_without_script_all_is_there(browser: Any, tmp_path: Path, report: str) -> None:
    opened = Opened(browser, tmp_path, java_script_enabled=False)
    page = opened.show(report)
    assert page.locator(".tools, button, input[type=number]").count() == 0
    page.locator("label[for=choose-slowest]").click()
    assert page.locator(".panel-slowest").is_visible()
    assert page.locator("table.cycles tbody tr:not(.gap)").count() == 120
    opened.close()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_report_has_the_colours_of_the_reader(
    browser: Any, tmp_path: Path, report: str, scheme: str
) -> None:
    opened = Opened(browser, tmp_path, color_scheme=scheme)
    page = opened.show(report)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == {"light": "rgb(244, 245, 247)", "dark": "rgb(14, 17, 19)"}[scheme]
    fill = page.locator(".panel-median rect.to-light").evaluate("e => getComputedStyle(e).fill")
    assert fill == "rgb(240, 228, 66)"
    opened.close()


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 768, 1920])
def test_nothing_but_tables_and_pictures_scrolls_sideways(
    opened: Opened, report: str, width: int
) -> None:
    page = opened.show(report)
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.slow
def test_text_is_as_contrasted_as_computed(opened: Opened, report: str) -> None:
    """No text of the first screen is drawn in a colour that the palette's test does not know."""
    page = opened.show(report)
    used = page.evaluate(
        "[...document.querySelectorAll('.screen :not(title, desc)')].filter((e) =>"
        " [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())).map((e) => { const s ="
        " getComputedStyle(e); return e.closest('svg') ? s.fill : s.color; })"
    )
    known = page.evaluate(
        "[...'ink soft paper limit hidden on-colour on-marginal on-bios on-fill'.split(' ')]"
        ".map((name) => { const e = document.body.appendChild(document.createElement('i'));"
        " e.style.color = `var(--${name})`; return getComputedStyle(e).color; })"
    )
    assert set(used) <= set(known)


def pages_of(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


@pytest.mark.slow
def test_the_first_printed_page_is_the_first_screen(opened: Opened, report: str) -> None:
    page = opened.show(report)
    pdf = page.pdf(prefer_css_page_size=True)
    boxes = re.findall(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)", pdf)
    assert all(float(w) < float(h) for w, h in boxes)  # portrait
    assert 2 <= pages_of(pdf) <= 10
    page.emulate_media(media="print")
    # A4 less its margins, at 96 dots to the inch.
    page.set_viewport_size({"width": 703, "height": 1016})
    screen = page.locator(".screen").bounding_box()
    assert screen["y"] + screen["height"] <= 1016
    rows = page.locator("table.cycles tbody tr")
    printed = rows.evaluate_all("rows => rows.filter((row) => row.offsetParent).length")
    assert printed == 50
    assert not page.locator(".tools").first.is_visible()
    # A head that is printed on each page again has no button: Chromium leaves those out.
    heads = page.locator("table.cycles thead button")
    assert set(heads.evaluate_all("b => b.map((e) => getComputedStyle(e).display)")) == {"contents"}
    assert not page.locator("figcaption.notes").first.is_visible()


@pytest.mark.slow
def test_a_picture_of_a_page_can_be_taken(opened: Opened, samples: Any) -> None:
    page = opened.show(log_report(answered_log(samples.mixed_log()), GENERATED))
    width, height = struct.unpack(">II", page.screenshot()[16:24])
    assert (width, height) == (1440, 900)
