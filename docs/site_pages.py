"""The pages of the site that docs/ does not hold: made from the program, so that they are true.

mkdocs calls the functions whose names begin with `on_` (mkdocs.yml, `hooks`):

- `reference/help.md`: `--help` of every verb.
- `reference/robot-library.html`: the Robot Framework library, by libdoc.
- `findings/KIND.md`: a page for each finding, with a picture of a cycle that has it.
- `gallery/`: live reports of simulated campaigns, and a page that leads to them.
- the order of the tabs (`on_nav`).
- pages that lie outside docs/ (changelog, contributing, firmware, hardware), and what they link to.
"""

import argparse
import os
import posixpath
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from finding_pictures import Picture, pictures
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page
from robot.libdocpkg import LibraryDocumentation

from resume_rig.analysis.findings.kinds import ABOUT
from resume_rig.cli.program import build_parser
from resume_rig.model.result.verdict import FindingKind

ROOT: Final = Path(__file__).resolve().parent.parent
OUTSIDE: Final = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "firmware/README.md": "firmware.md",
    "hardware/README.md": "hardware.md",
}
"""Pages of the repository that are pages of the site, too, by their places."""

_LINK: Final = re.compile(r"(!?\[[^\]]*\])\(([^)#\s]+)(#[^)\s]*)?\)")
_ORDER: Final = ("Tutorials", "How to", "Gallery", "Findings", "Reference", "Explanation")
"""Sections, as the site's tabs have them."""
_SHIM: Final = 'src="https://unpkg.com/iframe-worker/shim"'
_FOREIGN: Final = re.compile(r"""<(?:script|img|iframe)[^>]*\ssrc="?(?:https?:)?//[^\s>]*""")
_HELP_COLUMNS: Final = "96"


@dataclass(frozen=True, slots=True)
class Show:
    """A report of the gallery.

    Attributes:
        name: of its file.
        title, words: what it shows.
        arguments: of the campaign that is played for it.
    """

    name: str
    title: str
    words: str
    arguments: tuple[str, ...]


SHOWS: Final = (
    Show("pass", "A laptop that passes", "Healthy, S3, 40 cycles.", ("--cycles", "40")),
    Show(
        "fail",
        "A laptop that is too slow",
        "Device initialization takes it over 2 s.",
        ("--dut", "slow-laptop", "--cycles", "40"),
    ),
    Show(
        "under-reports",
        "A BIOS that reports too little",
        "It passes by its own numbers; the signals show the time that is missing.",
        ("--dut", "bios-under-reports", "--cycles", "40"),
    ),
    Show(
        "hang",
        "A laptop that does not come back",
        "One resume of a long campaign hangs; the rig recovers the DUT and goes on.",
        ("--dut", "resume-hang", "--cycles", "600"),
    ),
    Show(
        "tsc",
        "A desktop whose TSC is not reset",
        "BiosInitDuration counts from the last boot.",
        ("--dut", "tsc-not-reset", "--cycles", "40"),
    ),
    Show(
        "doze",
        "A laptop that dozes to hibernate",
        "S3 becomes S4 while it sleeps.",
        ("--dut", "doze-to-s4", "--cycles", "12"),
    ),
    Show(
        "late-display",
        "A display that is late",
        "The OS is done; the user still waits for the picture.",
        ("--dut", "late-display", "--cycles", "40"),
    ),
    Show(
        "double-reset",
        "A desktop that is reset twice",
        "The user waits for both passes of the firmware, the OS reports one.",
        ("--dut", "double-reset", "--cycles", "12"),
    ),
)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is made."""
    for name, content in _made():
        files.append(File.generated(config, name, content=content))
    for name in _linked_files():
        files.append(
            File.generated(config, f"repository/{name}", content=(ROOT / name).read_bytes())
        )
    return files


def on_nav(nav: Navigation, **_: object) -> Navigation:
    """Put first what a user looks for; pages about the project itself come last, together."""
    sections = {item.title: item for item in nav.items if isinstance(item, Section)}
    loose = [item for item in nav.items if isinstance(item, Page)]
    first = [page for page in loose if page.is_homepage]
    rest = [page for page in loose if not page.is_homepage]
    missing = set(_ORDER) - set(sections)
    if missing:
        raise SystemExit(f"make docs: there is no section {sorted(missing)}")
    others = [section for title, section in sections.items() if title not in _ORDER]
    project = Section("Project", [*rest, *others])
    for item in project.children:
        item.parent = project
    nav.items = [*first, *(sections[title] for title in _ORDER), project]
    return nav


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Turn links that leave docs/ into links within the site, or into names."""
    here = _place_in_repository(page.file.src_uri)
    return _LINK.sub(lambda m: _relinked(m, here, page.file.src_uri), markdown)


def on_post_page(output: str, page: Page, **_: object) -> str:
    """Take the search's own script, where the theme names one of a network; refuse any other."""
    base = posixpath.relpath("file_worker.js", posixpath.dirname(page.file.dest_uri) or ".")
    output = output.replace(_SHIM, f'src="{base}"')
    if (foreign := _FOREIGN.search(output)) is not None:
        raise SystemExit(f"make docs: {page.file.src_uri} loads {foreign[0]} from a network")
    return output


def _made() -> Iterator[tuple[str, str | bytes]]:
    yield "reference/help.md", _help()
    yield "reference/robot-library-api.html", _libdoc()
    for path, place in OUTSIDE.items():
        yield place, (ROOT / path).read_text("utf-8")
    reports = dict(_reports())
    for name, report in reports.items():
        yield f"gallery/{name}.html", report
    yield "gallery/index.md", _gallery()
    for kind, picture in pictures():
        if picture.svg:
            yield f"findings/{kind.value}.svg", picture.svg
        yield f"findings/{kind.value}.md", _finding(kind, picture)
    yield "findings/index.md", _findings()


def _help() -> str:
    os.environ["COLUMNS"] = _HELP_COLUMNS
    parser = build_parser()
    parts = ["# `--help` of every verb\n", _fenced(parser.format_help())]
    for action in parser._actions:  # argparse has no public way to its verbs
        if isinstance(action, argparse._SubParsersAction):
            verbs: Mapping[str, argparse.ArgumentParser] = action.choices
            for name, verb in verbs.items():
                parts += [f"## {name}\n", _fenced(verb.format_help())]
    return "\n".join(parts)


def _fenced(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```\n"


def _libdoc() -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "library.html"
        LibraryDocumentation("resume_rig.robot.ResumeRig").save(str(path), "HTML")
        return path.read_text("utf-8")


def _reports() -> Iterator[tuple[str, str]]:
    with tempfile.TemporaryDirectory() as folder:
        for show in SHOWS:
            store = Path(folder) / f"{show.name}.rrs"
            words = ("--rig", "sim:clock=virtual,seed=7", "--out", str(store), *show.arguments)
            done = _resume_rig("run", *words)
            page = store.with_suffix(".html")
            if not page.exists():
                raise SystemExit(f"make docs: no report of {show.name}: {done.stderr.strip()}")
            yield show.name, page.read_text("utf-8")


def _resume_rig(*words: str) -> "subprocess.CompletedProcess[str]":
    command = (sys.executable, "-m", "resume_rig", *words)
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _gallery() -> str:
    rows = "\n".join(
        f"| [{show.title}]({show.name}.html) | {show.words} |"
        f" `resume-rig run --rig sim:clock=virtual,seed=7 {' '.join(show.arguments)}` |"
        for show in SHOWS
    )
    return (
        "# Gallery\n\nReports of simulated campaigns, made when this site was built. Each is one"
        " file that needs no network.\n\n"
        f"| report | what it shows | made by |\n|---|---|---|\n{rows}\n"
    )


def _finding(kind: FindingKind, picture: Picture) -> str:
    about = ABOUT[kind]
    shown = f"![A cycle with {kind.value}]({kind.value}.svg)"
    nothing = "There is nothing to draw: no line shows it."
    parts = [f"# {kind.value}\n", about.means, shown if picture.svg else nothing]
    parts += [f"> {picture.says}", f"## What to do\n\n{about.do}"]
    if about.threshold:
        parts.append(f"## When it is found\n\n{about.threshold[:1].upper()}{about.threshold[1:]}.")
    parts.append(
        f"## Whose it is\n\n{about.owner.value}. {about.source[:1].upper()}"
        f"{about.source[1:]}. More by:\n\n```\n{about.command}\n```"
    )
    parts.append(f"## The picture\n\n{picture.made}")
    parts.append(
        "[All findings](../reference/findings.md): when each is made, and how often rightly."
    )
    return "\n\n".join(parts) + "\n"


def _findings() -> str:
    rows = [
        f"| [{kind.value}]({kind.value}.md) | {_first_sentence(kind)} |" for kind in FindingKind
    ]
    return "# Findings, a page each\n\n| finding | meaning |\n|---|---|\n" + "\n".join(rows) + "\n"


def _first_sentence(kind: FindingKind) -> str:
    return ABOUT[kind].means.partition(". ")[0].rstrip(".") + "."


def _place_in_repository(src_uri: str) -> str:
    for path, place in OUTSIDE.items():
        if place == src_uri:
            return path
    return f"docs/{src_uri}"


def _relinked(match: "re.Match[str]", here: str, src_uri: str) -> str:
    words, target, anchor = match[1], match[2], match[3] or ""
    if "://" in target or target.startswith("mailto:"):
        return match[0]
    path = posixpath.normpath(posixpath.join(posixpath.dirname(here), target))
    start = posixpath.dirname(src_uri)
    if path in OUTSIDE:
        return f"{words}({posixpath.relpath(OUTSIDE[path], start or '.')}{anchor})"
    if path.startswith("docs/"):
        return f"{words}({posixpath.relpath(path.removeprefix('docs/'), start or '.')}{anchor})"
    if path in _linked_files():
        return f"{words}({posixpath.relpath(f'repository/{path}', start or '.')}{anchor})"
    if not (ROOT / path).exists():
        raise SystemExit(f"make docs: {here} links to {target}, which does not exist")
    return f"`{path}`" if words.startswith("[`") else f"{words[1:-1]} (`{path}`)"


def _linked_files() -> frozenset[str]:
    """Pictures and tables of the repository that pages link to; sources are named only."""
    return frozenset(_search_linked(sorted((ROOT / "docs").rglob("*.md"))))


def _search_linked(pages: Iterable[Path]) -> Iterator[str]:
    outside = [ROOT / path for path in OUTSIDE]
    for page in (*pages, *outside):
        for match in _LINK.finditer(page.read_text("utf-8")):
            path = Path(os.path.normpath(page.parent / match[2]))
            if path.is_file() and path.is_relative_to(ROOT) and path.suffix in _SHOWN:
                name = path.relative_to(ROOT).as_posix()
                if not name.startswith("docs/") and name not in OUTSIDE:
                    yield name


_SHOWN: Final = frozenset((".svg", ".png", ".csv", ".json", ".cddl", ".md"))
