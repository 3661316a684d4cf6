"""What of a URL that stood in a file may be opened."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import resume_rig
from resume_rig.model.errors import UsageError
from resume_rig.model.rig_url import RigUrl, StoredRigUrl, command_to_go_on, url_to_go_on
from resume_rig.rig.link.open import open_rig

STORE = Path("night run.rrs")

HARMLESS = (
    *("serial:COM3", "serial:COM117", "serial:\\\\.\\COM12", "serial:/dev/ttyACM0"),
    *("serial:/dev/ttyUSB3", "serial:/dev/cu.usbmodem14201", "serial:/dev/tty.usbserial-A9"),
    "serial:/dev/serial/by-id/usb-Raspberry_Pi_Pico_E6614C311B-if00",
    "serial:/dev/serial/by-path/pci-0000:00:14.0-usb-0:2:1.0",
    *("sim:", "sim:clock=virtual,seed=7", "sim:dut=loopback,light=none,power=ina226,"),
)
HARMFUL = (
    *("native:payload", "native:./payload,seed=1", "native:/bin/sh", "NATIVE:payload"),
    *("serial:spy:///dev/null?file=kept.txt", "serial:spy://COM3?file=x", "serial:loop://"),
    *("serial:socket://127.0.0.1:1", "serial:rfc2217://h:1", "serial:alt://COM3?class=x"),
    *("serial:hwgrep://.*", "serial:cp2110://1", "serial:spy:/dev/ttyACM0?file=x"),
    *("serial:/dev/../home/me/x", "serial:/dev/serial/by-id/../../sda", "serial:/dev/tty..x"),
    *("serial:/dev/sda", "serial:/dev/tty", "serial:/dev/tty1", "serial:/dev/pts/4"),
    *("serial:/tmp/pipe", "serial:pipe", "serial:~/x", "serial:", "serial:COM", "serial:COM3:"),
    *("serial:/dev/ttyACM0?file=x", "serial:/dev/ttyACM0\n", "serial:/dev/ttyACM0 ", "serial://h"),
    *("serial:\\\\host\\pipe\\x", "serial:C:\\x", "serial:\\\\.\\PhysicalDrive0"),
    *("socket:127.0.0.1:80", "socket:h:1", "rfc2217:h:1", "rfc2217:h:1?logging=debug"),
    *("sim:faults=x.toml", "sim:clock=virtual,seed=7,faults=/etc/passwd", "sim:seed=1,Faults=x"),
    *(
        "sim:seed=x",
        "sim:seed=1\n",
        "sim:trace=x",
        "sim",
        "Sim:",
        " sim:",
        "",
        "x",
        ":",
        "http://h/",
    ),
)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_can_do_no_harm_goes_on_by_itself(text: str) -> None:
    assert url_to_go_on(None, StoredRigUrl(text), STORE) == text


@pytest.mark.parametrize("text", HARMFUL)
def test_anything_else_is_named_by_the_user(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        url_to_go_on(RigUrl(""), StoredRigUrl(text), STORE)
    sentence = str(refused.value)
    assert "could not go on with night run.rrs at the rig that the store names, " in sentence
    assert "'night run.rrs' --rig URL`" in sentence or '"night run.rrs" --rig URL`' in sentence
    assert "\n" not in sentence


@pytest.mark.parametrize("text", HARMFUL)
def test_what_the_user_names_is_taken_whatever_the_store_names(text: str) -> None:
    for typed in ("socket:127.0.0.1:4000", "native:mine", "serial:pipe"):
        assert url_to_go_on(RigUrl(typed), StoredRigUrl(text), STORE) == typed
    sim = url_to_go_on(RigUrl("sim:clock=virtual"), StoredRigUrl(text), STORE)
    assert re.fullmatch("sim:clock=virtual(,seed=[0-9]+)?", sim)


PIECES = st.lists(
    st.sampled_from(
        [
            *("serial:", "sim:", "native:", "socket:", "spy", "COM3", "/dev/", "ttyACM0", "tty"),
            *("serial/by-id/", "..", "://", "?file=x", "faults=x", "seed=1", ",", "x", "/", "#"),
            *("\n", "\0", " "),
        ]
    ),
    max_size=6,
).map("".join)


@given(text=PIECES | st.text(max_size=40))
def test_nothing_that_names_a_file_a_host_or_a_program_passes(text: str) -> None:
    try:
        passed = url_to_go_on(None, StoredRigUrl(text), STORE)
    except UsageError:
        return
    assert passed == text
    assert text.isprintable()
    assert not any(each in text for each in ("//", "?", "#", "..", "faults", " ", "%"))
    scheme, _, rest = text.partition(":")
    port = ("COM", "\\\\.\\COM", "/dev/tty", "/dev/cu", "/dev/serial/by-")
    assert scheme == "sim" or (scheme == "serial" and rest.startswith(port))


def test_a_stored_url_is_none_that_can_be_opened() -> None:
    stored: Any = StoredRigUrl("sim:clock=virtual")
    assert not isinstance(stored, str)
    with pytest.raises(AttributeError):
        open_rig(stored)


def test_the_command_that_goes_on_names_the_rig_where_the_store_may_not() -> None:
    path = Path("a.rrs")
    assert command_to_go_on(path, StoredRigUrl("sim:seed=3")) == "resume-rig run --resume a.rrs"
    for url in ("socket:lab-3:7000", "native:build/zephyr.exe,seed=1", "sim:faults=f.toml"):
        assert command_to_go_on(path, StoredRigUrl(url)).endswith(f"--resume a.rrs --rig {url}")


def test_text_becomes_a_url_only_where_a_user_named_it() -> None:
    """mypy keeps other text out: what is opened is a RigUrl, and only these modules make one."""
    package = Path(resume_rig.__file__).parent
    makers = set()
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id="RigUrl" | "cast" as name), args=[first, *_]) if (
                    name == "RigUrl" or ast.unparse(first).strip("'\"") == "RigUrl"
                ):
                    makers.add(path.relative_to(package).as_posix())
    assert makers == {
        "model/rig_url.py",
        "rig/link/open.py",  # a seed that was drawn, behind the user's own URL
        "gui/widgets/log_setting.py",  # a field, what it offers, and its last words
        "robot/bench_keywords.py",  # an argument of a suite
        "labgrid_rig/resources.py",  # a lab's own configuration, or its coordinator
    }
