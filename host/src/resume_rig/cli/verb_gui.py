"""`resume-rig gui`: the desktop application."""

import argparse
from pathlib import Path

from resume_rig.acceptance.whole_file import check_place_of
from resume_rig.cli.terminal.arguments import add_verb
from resume_rig.gui.request import (
    VIEW_NAMES,
    BenchWish,
    GuiRequest,
    Target,
    ThemeName,
    parse_scale,
    parse_size,
)
from resume_rig.model.errors import UsageError


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "gui",
        "open the desktop application",
        "  resume-rig gui\n"
        "  resume-rig gui --rig serial:/dev/ttyACM0 --dut my-laptop.toml\n"
        "  resume-rig gui --rig sim:clock=virtual,seed=7 --plan stress-1000 --run "
        "--screenshot campaign.png",
    )
    parser.add_argument(
        "files", nargs="*", metavar="STORE|LOG", type=Path, help="stores or logs to open"
    )
    parser.add_argument("--view", choices=VIEW_NAMES, help="the page to show first")
    parser.add_argument("--cycle", metavar="N", type=int, help="the cycle to show")
    parser.add_argument("--rig", metavar="URL", default="", help="connect to this rig at once")
    parser.add_argument("--dut", metavar="PROFILE", help="as for run")
    parser.add_argument("--plan", metavar="PLAN", help="put this plan into the plan editor")
    parser.add_argument(
        "--run", action="store_true", help="start the campaign at once (needs --rig)"
    )
    parser.add_argument("--out", metavar="FILE", type=Path, help="store of the campaign")
    parser.add_argument("--press", action="store_true", help="press the button once (needs --rig)")
    parser.add_argument(
        "--screenshot",
        metavar="FILE",
        type=Path,
        help="write the window to this PNG when it shows what was asked for, and end; needs no "
        "display",
    )
    parser.add_argument("--size", metavar="WxH", help="of the window, e.g. 1440x900")
    parser.add_argument("--scale", metavar="FACTOR", help="pixels of a point, 0.5 to 4")
    parser.add_argument("--theme", choices=tuple(ThemeName), help="colours (default: as before)")
    parser.add_argument(
        "--settings", metavar="FILE", type=Path, help="keep the window's state in this file"
    )
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Open the window; its status is not that of a verdict."""
    from resume_rig.gui.app.start import run

    return run(_request(args))


def _request(args: argparse.Namespace) -> GuiRequest:
    if args.json:
        raise UsageError("gui shows a window and has no --json; run, log and correlate have")
    if (args.run or args.press) and not args.rig:
        raise UsageError("--run and --press need --rig URL")
    if args.cycle is not None and not args.files:
        raise UsageError(f"--cycle {args.cycle} needs the store that it is of")
    for path in args.files:
        if not path.exists():
            raise UsageError(f"could not open {path}: there is no such file")
    if args.plan is not None:
        from resume_rig.campaign.plan.plan_file import load_plan

        load_plan(args.plan)  # a plan that is wrong is refused before --run runs another one
    if args.screenshot is not None:
        check_place_of(args.screenshot)
    return GuiRequest(
        target=Target(tuple(args.files), args.cycle),
        bench=BenchWish(args.rig, args.dut, args.plan, args.out, args.run, args.press),
        view=args.view,
        size=None if args.size is None else parse_size(args.size),
        theme=None if args.theme is None else ThemeName(args.theme),
        scale=None if args.scale is None else parse_scale(args.scale),
        screenshot=args.screenshot,
        settings=args.settings,
    )
