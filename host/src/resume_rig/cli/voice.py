"""What is said beside an answer: sentences for people, or JSON lines for a machine."""

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from resume_rig.cli.console import say

if TYPE_CHECKING:
    from resume_rig.report.json_text import Json

Voice = Callable[[str], None]


def is_for_machine(args: argparse.Namespace) -> bool:
    """Return whether a machine reads standard error: `--progress json`."""
    return getattr(args, "progress", None) == "json"


def voice_of(args: argparse.Namespace) -> Voice:
    """Return what says a sentence, on a line of its own, as the reader takes it."""
    return say_as_json if is_for_machine(args) else say


def say_as_json(text: str) -> None:
    """Say a sentence of the program as a JSON line."""
    from resume_rig.report.json_text import text_json

    say_event({"event": "said", "text": text_json(text.removeprefix("resume-rig: "))})


def say_event(event: "Mapping[str, Json]") -> None:
    """Say what happened as a JSON line."""
    from resume_rig.report.json_text import json_text

    say(json_text(event))


def say_end(args: argparse.Namespace, status: int) -> None:
    """Tell a machine that nothing comes any more; people see it."""
    if is_for_machine(args):
        say_event({"event": "ended", "status": status})
