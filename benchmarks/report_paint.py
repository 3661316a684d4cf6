"""How large a report is and how soon a headless Chromium paints it, by number of cycles.

    python benchmarks/report_paint.py [CYCLES ...]

Aim: 10,000 cycles in 1.5 MB at most and painted within 1 s. The cycles are those of the tests'
long campaign. Needs Chromium on PATH and Playwright.
"""

import importlib.util
import shutil
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import sync_playwright

from resume_rig.analysis.answer.campaign import answered_campaign
from resume_rig.report.html import campaign_report

SAMPLES = Path(__file__).parents[1] / "host/tests/report/conftest.py"
REPEATS = 5
_PAINTED = """new Promise((found) => new PerformanceObserver((list) => list.getEntries()
    .filter((each) => each.name === "first-contentful-paint").forEach((each) =>
    found(each.startTime))).observe({ type: "paint", buffered: true }))"""


def samples() -> Any:
    """Return the builders of the report's tests."""
    spec = importlib.util.spec_from_file_location("report_samples", SAMPLES)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def first_paint_ms(browser: Any, file: Path) -> tuple[float, float]:
    """Return first contentful paint, and until the script has run, since the navigation."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(file.as_uri(), wait_until="load")
    painted = page.evaluate(_PAINTED)
    loaded = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    page.close()
    return float(painted), float(loaded)


def main() -> None:
    """Write a line for each number of cycles."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        sys.exit("no Chromium on PATH: nothing can be painted")
    made = samples()
    with sync_playwright() as started, tempfile.TemporaryDirectory() as folder:
        browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        print(f"{'cycles':>8} {'written s':>10} {'MB':>6} {'painted ms':>11} {'ready ms':>9}")
        for count in map(int, sys.argv[1:] or ("60", "1000", "10000", "100000")):
            begun = time.perf_counter()
            source = campaign_report(
                answered_campaign(made.long_campaign(count), made.facts()), "now"
            )
            took_s = time.perf_counter() - begun
            file = Path(folder, "report.html")
            file.write_text(source, encoding="utf-8")
            paints = [first_paint_ms(browser, file) for _ in range(REPEATS)]
            painted, ready = (median(each) for each in zip(*paints, strict=True))
            size = len(source.encode()) / 1e6
            print(f"{count:8} {took_s:10.1f} {size:6.2f} {painted:11.0f} {ready:9.0f}")
        browser.close()


if __name__ == "__main__":
    main()
