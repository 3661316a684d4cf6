"""The typed commands against the CDDL and the golden vectors: the same set, the same bytes."""

import json
import re
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import cbor2
import pytest

from resume_rig.rig import commands
from resume_rig.rig.commands.actions import (
    BootloaderRequest,
    CalibrationWriteRequest,
    ContactRequest,
    LidRequest,
    LoopbackStartRequest,
    PermitRequest,
    PressRequest,
)
from resume_rig.rig.commands.capture import (
    EdgesRequest,
    LightArmRequest,
    LightRequest,
    PowerRequest,
    SamplesRequest,
)
from resume_rig.rig.smp.packet import Group, Operation
from resume_rig.rig.smp.request import Fields, Request

WIRE = Path(__file__).resolve().parents[3] / "fixtures" / "wire"
VECTORS = json.loads((WIRE / "vectors.json").read_text("utf-8"))
CDDL = (WIRE / "rig.cddl").read_text("utf-8")
EXCHANGES = {entry["name"]: entry for entry in VECTORS["exchanges"]}


def commands_of_the_rig() -> dict[str, type[Request]]:
    """Return each typed command under what the CDDL calls its request."""
    modules = [
        import_module(f"{commands.__name__}.{found.name}")
        for found in iter_modules(commands.__path__)
    ]
    return {
        re.sub(r"(?<=[a-z])(?=[A-Z])", "-", found.__name__).lower(): found
        for module in modules
        for found in vars(module).values()
        if isinstance(found, type) and issubclass(found, Request) and hasattr(found, "command")
        if found.group == Group.RIG
    }


COMMANDS = commands_of_the_rig()


def test_the_commands_are_those_of_the_cddl() -> None:
    assert set(re.findall(r"^([\w-]+-request) = ", CDDL, re.M)) == set(COMMANDS)
    sections = {
        (int(number), name, operation)
        for number, name, rest in re.findall(r"^; --- (\d+) (\w+)(.*?) -+$", CDDL, re.M)
        for operation in re.findall(r"\((read|write)\)", rest)
    }
    typed = {(c.command, c.name, c.operation.name.lower()) for c in COMMANDS.values()}
    assert typed == sections


def test_the_commands_are_those_of_the_vectors() -> None:
    shown = {
        (entry["request"]["message"], entry["command"], entry["op"])
        for entry in EXCHANGES.values()
        if entry["request"]["message"]
    }
    typed = {(name, c.command, c.operation.name.lower()) for name, c in COMMANDS.items()}
    assert typed == shown


SENT: list[tuple[str, Request]] = [
    ("edges-page", EdgesRequest(2, 2)),
    ("light-page", LightRequest(1, 1)),
    ("power-page", PowerRequest(1, 1)),
    ("samples", SamplesRequest(0)),
    ("samples-page", SamplesRequest(1, 2)),
    ("press-of-this-boot", PressRequest(0, 200_000_000, 4, 305419896)),
    ("lid-of-this-boot", LidRequest(True, 9, 305419896)),
    ("contact-close-of-this-boot", ContactRequest(True, 9, 17)),
    ("light-arm", LightArmRequest(2_500_000)),
    ("arm-onset", LightArmRequest(2_000_000_000, 100_000_000, 200_000_000)),
    ("arm-onset-settle-too-short", LightArmRequest(2_000_000_000, settle_ns=199_000_000)),
    ("loopback", LoopbackStartRequest(0, 3, 5, 3, 1_000_000, 11)),
    ("bootloader", BootloaderRequest(13, 2**63 - 1)),
    ("permit", PermitRequest(13, 2**63 - 1)),
    ("calibration-clock", CalibrationWriteRequest(11, -1_000_000)),
    ("calibration-loop", CalibrationWriteRequest(11, loopback=True)),
    ("calibration-anew", CalibrationWriteRequest(11, 5, loopback=True, clear=True)),
    *(
        (name, COMMANDS[entry["request"]["message"]]())
        for name, entry in EXCHANGES.items()
        if entry["request"]["hex"] == "a0" and entry["request"]["message"]
    ),
]


@pytest.mark.parametrize(("name", "request_"), SENT, ids=[name for name, _ in SENT])
def test_a_request_has_the_bytes_of_its_vector(name: str, request_: Request) -> None:
    entry = EXCHANGES[name]
    assert (request_.command, request_.operation) == (
        entry["command"],
        Operation[entry["op"].upper()],
    )
    assert request_.encode().hex() == entry["request"]["hex"]


def test_every_command_is_among_the_requests_with_a_vector() -> None:
    assert {type(request) for _, request in SENT} == set(COMMANDS.values())


OPTIONAL: list[tuple[Request, dict[str, Any]]] = [
    (
        PressRequest(1, 2, 3, 4, at_ns=0, force_off=True, nonce=0),
        {"act": 1, "dur": 2, "tok": 3, "boot": 4, "at": 0, "force": True, "nonce": 0},
    ),
    (LidRequest(False, 0, 0, 7), {"closed": False, "tok": 0, "boot": 0, "at": 7}),
    (CalibrationWriteRequest(0, 0), {"cal": 0, "boot": 0}),
    (LightArmRequest(0, 0, 0), {"dur": 0, "base": 0, "settle": 0}),
]


@pytest.mark.parametrize(("request_", "fields"), OPTIONAL, ids=["press", "lid", "clock", "light"])
def test_zero_is_sent_and_only_what_is_left_out_is_not(
    request_: Request, fields: dict[str, Any]
) -> None:
    assert request_.encode() == cbor2.dumps(fields)


BOARD = COMMANDS["info-request"]().decode(
    Fields(cbor2.loads(bytes.fromhex(EXCHANGES["info"]["reply"]["hex"])), "info")
)


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(entry, id=name)
        for name, entry in EXCHANGES.items()
        if entry.get("reply", {}).get("message") not in {None, "error-reply", "info-reply"}
        and entry["board"] == "bench"
    ],
)
def test_every_golden_reply_of_the_bench_is_understood(entry: dict[str, Any]) -> None:
    sent = cbor2.loads(bytes.fromhex(entry["request"]["hex"]))
    command = COMMANDS[entry["request"]["message"]]
    request = command(sent["from"], 128) if "from" in sent else object.__new__(command)
    reply = Fields(cbor2.loads(bytes.fromhex(entry["reply"]["hex"])), command.name)
    request.decode(reply, BOARD)
