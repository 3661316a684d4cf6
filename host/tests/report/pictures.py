"""Makes the pictures of the reports in docs/pictures anew, on the simulated bench.

    python host/tests/report/pictures.py [FOLDER]

Needs Chromium on PATH and Playwright. Seeds and the virtual clock make the reports the same each
time; what is written beside the title is the time of this run.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
PICTURES = ROOT / "docs" / "pictures"
LOG = ROOT / "fixtures" / "logs" / "every-kind.xml"
SIZE = {"width": 1440, "height": 900}
RUNS = {
    "under.rrs": ("7", "bios-under-reports", "60"),
    "base.rrs": ("7", "healthy-laptop", "60"),
    "slow.rrs": ("11", "slow-bios", "60"),
    "hangs.rrs": ("5", "resume-hang", "60"),
}


DEAD = """
base = "healthy-laptop"
title = "Laptop that never wakes"
[behaviour]
hang_share = 1.0
[recovery]
wait_ms = 4000
off_ms = 1000
boot_ms = 5000
"""


def asked(folder: Path, *words: str, dies: bool = False) -> None:
    """Ask the command line; a verdict is no error, and a DUT that dies none where it is to."""
    done = subprocess.run(
        [sys.executable, "-m", "resume_rig", *words],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode not in (0, 1, 4, *((3,) if dies else ())):
        sys.exit(f"could not make a picture: {' '.join(words)}: {done.stderr.strip()}")


def reports(folder: Path) -> dict[str, Path]:
    """Write the reports that are pictured; return them by the name of their picture."""
    for store, (seed, dut, cycles) in RUNS.items():
        rig = f"sim:clock=virtual,seed={seed}"
        words = ("--rig", rig, "--dut", dut, "--cycles", cycles, "--out", store)
        asked(folder, "run", *words, "--report", f"{store}.html")
    (folder / "dead.toml").write_text(DEAD, encoding="utf-8")
    words = ("--rig", "sim:clock=virtual,seed=3", "--dut", "dead.toml", "--cycles", "8")
    asked(folder, "run", *words, "--out", "dead.rrs", "--report", "dead.html", dies=True)
    asked(folder, "log", str(LOG), "--report", "log.html")
    asked(folder, "compare", "base.rrs", "slow.rrs", "--html", "compare.html")
    asked(folder, "fleet", ".", "--jobs", "1", "--by", "state", "--html", "fleet.html")
    names = {"report-under-reports": "under.rrs.html", "report-log": "log.html"}
    names |= {"report-compare": "compare.html", "report-fleet": "fleet.html"}
    return {name: folder / file for name, file in names.items()}


def take(browser: Any, file: Path, picture: Path, scheme: str) -> None:
    """Take the picture of a report's first screen."""
    page = browser.new_page(viewport=SIZE, color_scheme=scheme)
    page.goto(file.as_uri())
    page.screenshot(path=str(picture))
    page.close()


def main() -> None:
    """Write the pictures."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        sys.exit("could not make the pictures of the reports: no Chromium is on PATH")
    target = Path(sys.argv[1]) if sys.argv[1:] else PICTURES
    with tempfile.TemporaryDirectory() as made, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for name, file in reports(Path(made)).items():
            if name == "report-under-reports":
                for scheme in ("light", "dark"):
                    take(browser, file, target / f"{name}-{scheme}.png", scheme)
            else:
                take(browser, file, target / f"{name}.png", "light")
        browser.close()


if __name__ == "__main__":
    main()
