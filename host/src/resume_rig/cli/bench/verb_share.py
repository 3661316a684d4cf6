"""`resume-rig share`: gives a board's serial port to other machines, as RFC 2217."""

import argparse
import threading
from pathlib import Path
from shlex import quote

from resume_rig.cli.terminal.arguments import add_verb, host_and_port
from resume_rig.cli.terminal.console import DONE, answer_document, print_note
from resume_rig.guard.token import FILE_VARIABLE, TOKEN_VARIABLE, new_token, token_in
from resume_rig.model.errors import UsageError

_POLL_S = 0.2


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "share",
        "share a board's serial port over the network as RFC 2217, until Ctrl-C",
        "  resume-rig share --rig serial:/dev/ttyACM0 --tcp 127.0.0.1:7000    then, elsewhere:\n"
        "  RESUME_RIG_TOKEN=... resume-rig run --rig rfc2217:127.0.0.1:7000",
    )
    parser.add_argument("--rig", metavar="URL", required=True, help="serial:PORT")
    parser.add_argument(
        "--tcp",
        metavar="HOST:PORT",
        default="127.0.0.1:0",
        help="where to listen (default 127.0.0.1 and any free port); nothing is encrypted: leave "
        "it there and come through SSH, or name an address that only your lab reaches",
    )
    login = parser.add_mutually_exclusive_group()
    login.add_argument(
        "--token",
        metavar="FILE",
        type=Path,
        help="file with a token of 16 characters or more in its first line, which every client has "
        "to know (RESUME_RIG_TOKEN_FILE or RESUME_RIG_TOKEN in its environment); a fresh one is "
        "made and shown where none is named",
    )
    login.add_argument(
        "--no-token",
        action="store_true",
        help="let every RFC 2217 client that reaches the address press the button",
    )
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Share until interrupted."""
    import serial

    from resume_rig.acceptance.bench import claim_here
    from resume_rig.rig.link.share import share_port
    from resume_rig.rig.smp.serial_transport import open_plain, path_of, usb_serial_of

    scheme, _, path = args.rig.partition(":")
    if scheme != "serial" or not path:
        raise UsageError(f"{args.rig!r} names no port that can be shared; allowed is serial:PORT")
    host, port = host_and_port("--tcp", args.tcp)
    usb_serial = usb_serial_of(path)
    fresh = None if args.no_token or args.token is not None else new_token()
    token = fresh if args.token is None else token_in(args.token)

    def open_port() -> serial.Serial:
        # A board that enumerates anew may get another name.
        return open_plain(path_of(usb_serial, path), _POLL_S)

    with claim_here(args.rig):
        open_port().close()
        try:
            share_port(
                open_port,
                host,
                port,
                lambda name: _announce(args, usb_serial, name, fresh),
                threading.Event(),
                token=token,
            )
        except KeyboardInterrupt:
            print_note("resume-rig: the port is shared no longer.")
    return DONE


def _announce(
    args: argparse.Namespace, usb_serial: str | None, name: str, fresh: str | None
) -> None:
    """Report where the port is, as soon as it is there, and its token where nobody knows it yet."""
    if args.json:
        document = {
            "schema": "resume-rig/share/1",
            "rig": f"rfc2217:{name}",
            "port": args.rig.removeprefix("serial:"),
            "usb_serial": usb_serial,
            "token": fresh,
        }
        answer_document(document)
        return
    print_note(f"{args.rig} is shared at rfc2217:{name}; Ctrl-C ends it. Try:")
    before = "" if args.token is None else f"{FILE_VARIABLE}={quote(str(args.token))} "
    if fresh is not None:
        before = f"{TOKEN_VARIABLE}={fresh} "
    print_note(f"  {before}resume-rig run --rig rfc2217:{name}")
