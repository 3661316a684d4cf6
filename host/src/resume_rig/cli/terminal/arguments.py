"""Arguments that several verbs share, the types of their values, and the rig that they open."""

import argparse
import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import TRANSITIONS, SleepKind, transition_of_word
from resume_rig.model.result.verdict import USUAL_REQUIREMENT
from resume_rig.model.units import duration_of

if TYPE_CHECKING:
    from resume_rig.model.dut import DutProfile
    from resume_rig.model.result.verdict import Requirement
    from resume_rig.rig.link.open import OpenRig

_PORT_MOST: Final = 65_535


def duration_ns(text: str) -> int:
    """Read `150ms`, `5s`, `2.5s` or a bare number of seconds, as nanoseconds."""
    found = duration_of(text, bare="s")
    if found is None and text.startswith("-") and duration_of(text[1:], bare="s") is not None:
        raise argparse.ArgumentTypeError(f"{text!r} is below 0; allowed are 0 s and more")
    if found is None:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a duration; allowed are a number and ns, us, ms, s, min or h, "
            "for example 150ms or 5s"
        )
    return found


def _texts(summary: str, example: str) -> dict[str, Any]:
    return {
        "help": summary,
        "description": f"{summary[0].upper()}{summary[1:]}.",
        "epilog": f"example:\n{example}",
        "formatter_class": argparse.RawDescriptionHelpFormatter,
    }


def add_verb(
    verbs: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    summary: str,
    example: str,
) -> argparse.ArgumentParser:
    """Add a verb with the arguments that every verb has."""
    parser = verbs.add_parser(name, **_texts(summary, example))
    parser.add_argument(
        "--json", action="store_true", help="one JSON document on standard output, nothing else"
    )
    parser.add_argument("--debug", action="store_true", help="show tracebacks of errors")
    parser.set_defaults(program=parser.prog)
    return parser


def add_group(
    verbs: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    summary: str,
    example: str,
) -> "argparse._SubParsersAction[argparse.ArgumentParser]":
    """Add a verb that has verbs of its own, and return what they are added to."""
    parser = verbs.add_parser(name, **_texts(summary, example))
    return parser.add_subparsers(title="verbs", metavar="VERB", required=True)


def add_rig_arguments(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """Add --rig and --dut."""
    parser.add_argument(
        "--rig",
        metavar="URL",
        type=named,
        required=required,
        help="serial:PORT, socket:HOST:PORT, rfc2217:HOST:PORT, native:IMAGE or sim: with options "
        "such as sim:clock=virtual,seed=7",
    )
    parser.add_argument(
        "--dut",
        metavar="PROFILE",
        type=named,
        help="name of a shipped DUT profile (resume-rig sim --list shows them) or path of a TOML "
        "file (default on a simulated bench: healthy-laptop)",
    )


def add_requirement_arguments(parser: argparse.ArgumentParser, *, kinds: bool = True) -> None:
    """Add --requirement, --requirements, --limit-ms, --guard-band and, where `kinds`, --kind."""
    parser.add_argument(
        "--requirement",
        metavar="ID",
        default=USUAL_REQUIREMENT,
        help="name of a shipped requirement profile or path of a TOML file (default "
        f"{USUAL_REQUIREMENT})",
    )
    parser.add_argument(
        "--requirements",
        metavar="FOLDER",
        type=Path,
        default=_folder_of_environment(),
        help="folder of requirement profiles of your own, named without .toml (default: the "
        "environment's RESUME_RIG_REQUIREMENTS)",
    )
    parser.add_argument(
        "--limit-ms",
        metavar="MS",
        type=whole_number,
        help="use this resume limit instead of the profile's",
    )
    parser.add_argument(
        "--guard-band",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="PASS or FAIL only where the whole 95%% uncertainty lies on one side of the limit, "
        "else MARGINAL (JCGM 106 guarded acceptance and rejection), or compare values as they are "
        "(default: the profile's rule)",
    )
    if not kinds:
        return
    parser.add_argument(
        "--kind",
        metavar="KIND",
        action="append",
        type=kind_of_sleep,
        help="judge this kind of sleep instead of the profile's (may be repeated): "
        + ", ".join(TRANSITIONS),
    )


def _folder_of_environment() -> Path | None:
    folder = os.environ.get("RESUME_RIG_REQUIREMENTS")
    return Path(folder) if folder else None


def requirement_of(args: argparse.Namespace) -> "Requirement":
    """Return the requirement that the arguments name."""
    from resume_rig.analysis.verdict.requirement import load_requirement

    if args.requirements is not None and not args.requirements.is_dir():
        raise UsageError(
            f"could not look for requirement profiles in {args.requirements}: there is no such "
            "folder; --requirements, or RESUME_RIG_REQUIREMENTS in the environment, names one"
        )
    return load_requirement(
        args.requirement,
        limit_ms=args.limit_ms,
        kinds=_kinds_of(args.kind),
        folder=args.requirements,
        guard_band=args.guard_band,
    )


def _kinds_of(kinds: SleepKind | list[SleepKind] | None) -> tuple[SleepKind, ...] | None:
    """Return the kinds of --kind, which is one kind or many by the verb; None for the profile's."""
    if not kinds:
        return None
    return (kinds,) if isinstance(kinds, SleepKind) else tuple(kinds)


def whole_number(text: str) -> int:
    """Read a whole number; its range is checked where it is used."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text[:80]!r} is not a whole number, such as 12"
        ) from None


def named(text: str) -> str:
    """Refuse an empty name: it is a variable that was not set, and not a choice of the default."""
    if not text.strip():
        raise argparse.ArgumentTypeError(
            "it is empty; is the variable that it comes from not set? Leave the option out for "
            "its default"
        )
    return text


def named_path(text: str) -> Path:
    """Read the name of a file or folder; an empty one would name the folder that this runs in."""
    return Path(named(text))


def host_and_port(option: str, text: str) -> tuple[str, int]:
    """Return the parts of HOST:PORT; without a host it is this machine's loopback.

    Raises:
        UsageError: it is of another form, or there is no such port.
    """
    host, colon, port = text.rpartition(":")
    if not colon or not (port.isascii() and port.isdigit() and int(port) <= _PORT_MOST):
        raise UsageError(f"{option} {text!r:.80} is not HOST:PORT, for example 127.0.0.1:7000")
    return (host or "127.0.0.1").removeprefix("[").removesuffix("]"), int(port)


def existing_paths(names: list[str], *, expanded: bool = os.name != "nt") -> list[Path]:
    """Return the names as paths; their reader reports those that cannot be read.

    Args:
        names: as the command line has them.
        expanded: whether a shell has put names for patterns; those of Windows leave it to programs.

    Raises:
        UsageError: one is empty, which would name the folder that this runs in.
    """
    if not all(name.strip() for name in names):
        raise UsageError(
            "one of the names of files is empty; is the variable that it comes from not set?"
        )
    if expanded:
        return [Path(name) for name in names]
    return [Path(path) for name in names for path in _matches(name)]


def _matches(pattern: str) -> list[str]:
    """Return the files that `*` and `?` stand for; a name that matches none stays."""
    if not set(pattern) & set("*?"):
        return [pattern]
    path = Path(pattern.replace("[", "[[]"))
    found = Path(path.anchor).glob(str(path.relative_to(path.anchor)))
    return sorted(map(str, found)) or [pattern]


def kind_of_sleep(text: str) -> SleepKind:
    """Read the name of a kind of sleep."""
    kind = transition_of_word(text)
    if kind is None:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a kind of sleep; allowed are {', '.join(TRANSITIONS)}"
        )
    return kind


def percent(text: str) -> float:
    """Read a share in %, 0.01 to 50."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.01 <= value <= 50:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no share; allowed are numbers of % from 0.01 to 50"
        )
    return value


def dut_of(args: argparse.Namespace) -> "DutProfile | None":
    """Return the DUT profile that the arguments name; a simulated bench has a usual one."""
    from resume_rig.rig.dut_profile import profile_for

    return profile_for(args.rig, args.dut)


def rig_of(args: argparse.Namespace) -> "AbstractContextManager[OpenRig]":
    """Return the rig that the arguments name, open while the context lasts."""
    from resume_rig.acceptance.bench import opened_rig

    return opened_rig(args.rig, dut_of(args))
