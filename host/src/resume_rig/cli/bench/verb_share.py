"""`resume-rig share`: gives a board's serial port to other machines, as RFC 2217."""

import argparse
import threading

from resume_rig.cli.terminal.arguments import add_verb, host_and_port
from resume_rig.cli.terminal.console import DONE, answer_document, print_note
from resume_rig.model.errors import UsageError

_POLL_S = 0.2


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "share",
        "share a board's serial port over the network as RFC 2217, until Ctrl-C",
        "  resume-rig share --rig serial:/dev/ttyACM0 --tcp 127.0.0.1:7000    then, elsewhere:\n"
        "  resume-rig run --rig rfc2217:127.0.0.1:7000",
    )
    parser.add_argument("--rig", metavar="URL", required=True, help="serial:PORT")
    parser.add_argument(
        "--tcp",
        metavar="HOST:PORT",
        default="127.0.0.1:0",
        help="where to listen (default 127.0.0.1 and any free port); there is no login: leave it "
        "there and come through SSH, or name an address that only your lab reaches",
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
                lambda name: _announce(args, usb_serial, name),
                threading.Event(),
            )
        except KeyboardInterrupt:
            print_note("resume-rig: the port is shared no longer.")
    return DONE


def _announce(args: argparse.Namespace, usb_serial: str | None, name: str) -> None:
    """Report where the port is, as soon as it is there."""
    if args.json:
        document = {
            "schema": "resume-rig/share/1",
            "rig": f"rfc2217:{name}",
            "port": args.rig.removeprefix("serial:"),
            "usb_serial": usb_serial,
        }
        answer_document(document)
    else:
        print_note(f"{args.rig} is shared at rfc2217:{name}; Ctrl-C ends it. Try:")
        print_note(f"  resume-rig run --rig rfc2217:{name}")
