"""The reference of the library, from what Robot Framework's own Libdoc knows of it.

Run it to write the page: python host/tests/robot/library_page.py
"""

import re
from pathlib import Path
from typing import Final

from robot.libdocpkg import LibraryDocumentation

PAGE: Final = Path(__file__).resolve().parents[3] / "docs" / "reference" / "robot-library.md"


def page() -> str:
    """Return the page in Markdown."""
    library = LibraryDocumentation("resume_rig.robot.ResumeRig")
    parts = [
        "# The Robot Framework library `resume_rig.robot.ResumeRig`\n",
        f"Version {library.version}, the same as the package's; `needs=` refuses another one.",
        "This page is written by `host/tests/robot/library_page.py`; for HTML, "
        "`python -m robot.libdoc resume_rig.robot.ResumeRig library.html`.\n",
        f"{_markdown(library.doc)}\n",
        "## Keywords\n",
        ", ".join(f"[{k.name}](#{_anchor(k.name)})" for k in library.keywords) + "\n",
    ]
    for each in library.keywords:
        arguments = ", ".join(f"`{argument}`" for argument in each.args)
        parts.append(f"### {each.name}\n")
        if arguments:
            parts.append(f"Arguments: {arguments}\n")
        parts.append(f"{_markdown(each.doc)}\n")
    parts += ["## Words\n", "| type | allowed |", "|---|---|"]
    for each in sorted(library.type_docs, key=lambda known: known.name):
        if each.members:
            parts.append(f"| {each.name} | {', '.join(f'`{m.value}`' for m in each.members)} |")
    return "\n".join(parts).rstrip() + "\n"


def _anchor(name: str) -> str:
    return name.lower().replace(" ", "-")


def _markdown(text: str) -> str:
    """Return documentation in Robot Framework's markup as Markdown: headings, tables, code."""
    lines: list[str] = []
    kind = ""
    for line in text.splitlines():
        before, kind = kind, _kind_of(line)
        if kind != before and "" not in (before, kind):
            lines.append("")
        if kind == "example" and before != "example":
            lines += ["```robotframework"]
        if before == "example" and kind != "example":
            lines.insert(len(lines) - (lines[-1] == ""), "```")
        lines.append(_line(line, kind, first=before != "table"))
    if kind == "example":
        lines.append("```")
    return "\n".join(lines)


def _kind_of(line: str) -> str:
    if line.startswith("| ") and line.rstrip().endswith("|"):
        return "table"
    if line.startswith("|"):
        return "example"
    return "text" if line.strip() else ""


def _line(line: str, kind: str, *, first: bool) -> str:
    if kind == "example":
        return line.removeprefix("|").removeprefix(" ")
    if heading := re.fullmatch(r"= (.+) =", line):
        return f"## {heading[1]}"
    line = re.sub(r"``(.+?)``", r"`\1`", line)
    line = re.sub(r"(?<![\w*])\*(\w[^*]*)\*", r"**\1**", line)
    if kind == "table":
        line = re.sub(r"=(\w+)=", r"\1", line.replace("**", ""))
        rule = "|" + "---|" * (line.count("|") - 1)
        return f"{line}\n{rule}" if first else line
    return line


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
