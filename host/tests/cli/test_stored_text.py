"""Files from strangers open, run and connect nothing that they name: every reader, one by one.

docs/explanation/threat-model.md lists the readers. What they name here would leave a trace: a
program writes a marker, a socket listens, a file must stay as it is; and Python's own audit events
report each file that is opened, each program that is started and each host that is called.
"""

import json
import re
import socket
import sqlite3
import stat
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
from campaign.hostile_stores import changed
from command_line import Command

from resume_rig.acceptance.bench import open_bench, opened_rig
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.campaign.run.campaign import Surroundings
from resume_rig.cli.main import main
from resume_rig.gui.worker.campaign_session import run_campaign
from resume_rig.gui.worker.events import CampaignOver, RunCampaign
from resume_rig.gui.worker.process import Gate
from resume_rig.model.errors import UsageError
from resume_rig.model.rig_url import RigUrl
from resume_rig.rig.link.open import open_port
from resume_rig.timing.clocks import SystemClock

KEPT: Final = "[this file stays as it is\n"  # nor is it TOML: who reads it as a plan says so

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the payload is a shell script")


@dataclass
class Deeds:
    """What this process does while `watching`."""

    watching: bool = False
    opened: list[str] = field(default_factory=list)
    started: list[str] = field(default_factory=list)
    called: list[str] = field(default_factory=list)


DEEDS: Final = Deeds()
STARTS: Final = ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.system", "os.spawn")
CALLS: Final = ("socket.connect", "socket.getaddrinfo", "socket.sendto", "socket.gethostbyname")


def _audit(event: str, words: tuple[Any, ...]) -> None:
    if not DEEDS.watching:
        return
    if event in ("open", "sqlite3.connect", "os.listdir", "os.scandir"):
        DEEDS.opened.append(str(words[0]))
    elif event in STARTS:
        DEEDS.started.append(str(words))
    elif event in CALLS:
        DEEDS.called.append(str(words))


sys.addaudithook(_audit)  # one for all tests: none can be taken away again


@dataclass(frozen=True)
class Bait:
    """Things to name, none of which may be touched."""

    folder: Path
    listener: socket.socket

    @property
    def port(self) -> int:
        found: int = self.listener.getsockname()[1]
        return found

    @property
    def marker(self) -> Path:
        return self.folder / "ran"

    @property
    def payload(self) -> Path:
        return self.folder / "payload"

    @property
    def kept(self) -> Path:
        return self.folder / "kept.txt"

    def check(self) -> None:
        """Check that nobody took any of it."""
        assert not self.marker.exists(), "the program ran"
        assert self.kept.read_text("utf-8") == KEPT
        assert sorted(path.name for path in self.folder.iterdir()) == ["kept.txt", "payload"]
        with pytest.raises(BlockingIOError):
            self.listener.accept()


@pytest.fixture
def bait(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bait]:
    folder = tmp_path_factory.mktemp("bait")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        found = Bait(folder, listener)
        found.kept.write_text(KEPT, encoding="utf-8")
        found.payload.write_text(f"#!/bin/sh\ntouch '{found.marker}'\n", encoding="utf-8")
        found.payload.chmod(found.payload.stat().st_mode | stat.S_IXUSR)
        yield found
        found.check()


@pytest.fixture
def deeds(bait: Bait) -> Iterator[Deeds]:
    """What is done from now on; none of it may be with what the file names."""
    DEEDS.opened.clear()
    DEEDS.started.clear()
    DEEDS.called.clear()
    DEEDS.watching = True
    yield DEEDS
    DEEDS.watching = False
    assert [path for path in DEEDS.opened if path.startswith(str(bait.folder))] == []
    assert DEEDS.started == []
    assert DEEDS.called == []


URLS: Final[dict[str, Callable[[Bait], str]]] = {
    "a program": lambda bait: f"native:{bait.payload}",
    "a program with a seed": lambda bait: f"native:{bait.payload},seed=3",
    "a file to write": lambda bait: f"serial:spy:///dev/null?file={bait.kept}",
    "a file to append to": lambda bait: f"serial:spy://loop://?file={bait.kept}&all",
    "a host by pyserial": lambda bait: f"serial:socket://127.0.0.1:{bait.port}",
    "a telnet host by pyserial": lambda bait: f"serial:rfc2217://127.0.0.1:{bait.port}",
    "a host": lambda bait: f"socket:127.0.0.1:{bait.port}",
    "a host by its slashes": lambda bait: f"socket://127.0.0.1:{bait.port}",
    "a telnet host": lambda bait: f"rfc2217:127.0.0.1:{bait.port}",
    "a file to read": lambda bait: f"sim:clock=virtual,seed=3,faults={bait.kept}",
    "a file as a port": lambda bait: f"serial:{bait.kept}",
    "a folder up": lambda bait: f"serial:/dev/ttyS/../..{bait.kept}",
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "whole.rrs"
    assert (
        main(["run", "--rig", "sim:clock=virtual,seed=3", "--cycles", "3", "--out", str(path)]) == 0
    )
    return path


def forged(whole: Path, path: Path, url: str, text: str | None = None, left: int = 1) -> Path:
    """Write a store with cycles left, that names `url`, and `text` wherever it names anything."""
    path.write_bytes(whole.read_bytes())

    def change(connection: sqlite3.Connection) -> None:
        for name, value in connection.execute("SELECT name, value FROM identity").fetchall():
            found = json.loads(value)
            if name == "identity":
                found["rig_url"] = url
                if text is not None:
                    found |= {"host": text, "software": text}
                    found["dut"] |= dict.fromkeys(("name", "title", "product"), text)
                    found["rig"] |= {"dut_log": text, "edge_source": text, "firmware": text}
                    found["requirement"] |= dict.fromkeys(("id", "title", "source"), text)
            else:
                found["cycles"] += left
            row = (json.dumps(found), name)
            connection.execute("UPDATE identity SET value = ? WHERE name = ?", row)
        if text is not None:
            (log,) = connection.execute("SELECT log FROM session").fetchone()
            found = json.loads(log)
            found["source"]["path"] = text
            connection.execute(
                "UPDATE session SET host = ?, software = ?, log = ?",
                (text, text, json.dumps(found)),
            )

    changed(path, change)
    return path


@pytest.mark.parametrize("kind", URLS)
def test_a_resume_opens_no_url_of_a_store(
    kind: str, whole: Path, bait: Bait, deeds: Deeds, command: Command
) -> None:
    store = forged(whole, Path("sent.rrs"), URLS[kind](bait))
    before = store.read_bytes()

    said = command("run", "--resume", "sent.rrs")

    assert said.status == 2
    assert "could not go on with sent.rrs at the rig that the store names" in said.err
    assert "`resume-rig run --resume sent.rrs --rig URL`" in said.err
    assert "TOML" not in said.err
    assert len(said.err.splitlines()) <= 4
    assert store.read_bytes() == before


@pytest.mark.parametrize("kind", URLS)
def test_a_resume_in_the_window_opens_no_url_of_a_store(
    kind: str, whole: Path, bait: Bait, deeds: Deeds, folder: Path
) -> None:
    store = forged(whole, folder / "sent.rrs", URLS[kind](bait))
    told: list[object] = []
    order = RunCampaign(
        RigUrl(""), None, None, store, load_requirement("sysfund-0004"), Surroundings()
    )

    run_campaign(order, told.append, Gate())

    (over,) = [event for event in told if isinstance(event, CampaignOver)]
    assert over.failed
    assert "at the rig that the store names" in over.text
    assert "Resume a store on the rig above" in over.text


def test_a_rig_that_the_user_names_beside_a_hostile_store_is_opened(
    whole: Path, bait: Bait, command: Command, folder: Path
) -> None:
    forged(whole, folder / "sent.rrs", f"native:{bait.payload}")
    said = command("run", "--resume", "sent.rrs", "--rig", "sim:clock=virtual,seed=3")
    assert said.status == 0, said.err


def test_a_port_with_a_plain_name_is_tried(whole: Path, command: Command, folder: Path) -> None:
    forged(whole, folder / "sent.rrs", "serial:/dev/ttyNOTHERE7")
    said = command("run", "--resume", "sent.rrs")
    assert said.status == 3
    assert "could not open serial port /dev/ttyNOTHERE7: no such port" in said.err


PYSERIALS: Final = (
    *("a file to write", "a file to append to", "a host by pyserial", "a telnet host by pyserial"),
)
VERBS_AT_A_RIG: Final = (
    ("run", "--cycles", "1"),
    ("doctor",),
    ("watch",),
    ("press",),
    ("selftest",),
    ("relay", "--tcp", "127.0.0.1:0", "--no-token"),
    ("share",),
    ("firmware", "status"),
)


@pytest.mark.parametrize("kind", PYSERIALS)
@pytest.mark.parametrize("verb", VERBS_AT_A_RIG, ids=" ".join)
def test_serial_is_no_url_of_pyserial_in_any_verb(
    verb: tuple[str, ...], kind: str, bait: Bait, deeds: Deeds, command: Command
) -> None:
    said = command(*verb, "--rig", URLS[kind](bait))
    assert said.status == 2
    assert "is not the name of a serial port but a URL" in said.err


@pytest.mark.parametrize("kind", PYSERIALS)
def test_serial_is_no_url_of_pyserial_for_pytest_robot_labgrid_and_the_window(
    kind: str, bait: Bait, deeds: Deeds
) -> None:
    url = RigUrl(URLS[kind](bait))
    for opening in (
        lambda: open_bench(url),
        lambda: opened_rig(url, None).__enter__(),
        lambda: open_port(url, SystemClock()),
    ):
        with pytest.raises(UsageError, match="is not the name of a serial port but a URL"):
            opening()


@pytest.mark.parametrize("scheme", ["socket", "rfc2217"])
@pytest.mark.parametrize(
    "place",
    [
        *("127.0.0.1:{port}?logging=debug", "127.0.0.1:{port}/x", "127.0.0.1:{port}#x"),
        *("127.0.0.1?x:{port}", "127.0.0.1/x:{port}", "[127.0.0.1]:{port}"),
        *("127.0.0.1:{port}?timeout=1&logging=info", "127.0.0.1 :{port}", "127.0.0.1:{port}\n"),
    ],
)
def test_a_host_has_no_options(scheme: str, place: str, bait: Bait, deeds: Deeds) -> None:
    with pytest.raises(
        UsageError, match=r"names no host and port; allowed is HOST:PORT|has no user and no token"
    ):
        open_bench(RigUrl(f"{scheme}:{place.format(port=bait.port)}"))


READERS: Final[dict[str, tuple[str, ...]]] = {
    "info": ("store", "info", "sent.rrs"),
    "check": ("store", "check", "sent.rrs"),
    "faults": ("store", "faults", "sent.rrs"),
    "salvage": ("store", "salvage", "sent.rrs", "--out", "saved.rrs"),
    "correlate": ("correlate", "sent.rrs", "--all", "--budget"),
    "correlate --json": ("correlate", "sent.rrs", "--json"),
    "report": ("report", "sent.rrs", "--out", "r.html"),
    "compare": ("compare", "sent.rrs", "sent.rrs"),
    "fleet": ("fleet", "sent.rrs"),
    "msa": ("msa", "sent.rrs"),
    "junit": ("export", "sent.rrs", "--to", "junit", "--out", "j.xml"),
    "csv": ("export", "sent.rrs", "--to", "csv", "--out", "c.csv"),
    "vcd": ("export", "sent.rrs", "--to", "vcd", "--cycle", "1", "--out", "c.vcd"),
    "pwrtest": ("export", "sent.rrs", "--to", "pwrtest", "--out", "p.xml"),
    "evidence": ("export", "sent.rrs", "--evidence", "evidence"),
    "bundle": ("bundle", "sent.rrs", "--out", "b.zip"),
}
ADDRESS: Final = re.compile(r"""(?:href|src|action)\s*=\s*["']?([^"'\s>]+)""")
NAMES: Final[dict[str, Callable[[Bait], str]]] = {
    "a file": lambda bait: str(bait.kept),
    "a program": lambda bait: str(bait.payload),
    "a host": lambda bait: f"ssh:me@127.0.0.1:{bait.port}",
    "an address": lambda bait: f"http://127.0.0.1:{bait.port}/x.html",
    "a file's address": lambda bait: f"file://{bait.kept}",
    "a shell's": lambda bait: f"`{bait.payload}`;$({bait.payload})|{bait.payload}",
}


@pytest.mark.parametrize("name", NAMES)
def test_nothing_that_a_store_names_is_touched_by_who_reads_it(
    name: str, whole: Path, bait: Bait, deeds: Deeds, command: Command
) -> None:
    forged(whole, Path("sent.rrs"), URLS["a program"](bait), NAMES[name](bait), left=0)
    for verb, words in READERS.items():
        said = command(*words)
        assert said.status in (0, 1, 2, 4), (verb, said.err)
        assert "Traceback" not in said.err, verb
    for page in Path.cwd().rglob("*.html"):
        addresses = ADDRESS.findall(page.read_text("utf-8"))
        assert [each for each in addresses if re.match("[a-z]+:|//", each)] == [], page


def test_nothing_that_a_bundle_names_is_touched_by_its_check(
    whole: Path, bait: Bait, command: Command, folder: Path
) -> None:
    forged(whole, folder / "sent.rrs", URLS["a program"](bait), str(bait.payload), left=0)
    assert command("bundle", "sent.rrs", "--out", "b.zip").status in (0, 2)
    if not (folder / "b.zip").exists():
        forged(whole, folder / "sent.rrs", URLS["a program"](bait), left=0)
        assert command("bundle", "sent.rrs", "--out", "b.zip").status == 0
    with zipfile.ZipFile("b.zip", "a") as archive:
        archive.writestr(f"../{bait.folder.name}/ran", "x")
        archive.writestr(str(bait.marker), "x")
    said = command("verify", "b.zip", "--judge")
    assert said.status != 0
    bait.check()


ENTITY: Final = (
    '<?xml version="1.0"?><?xml-stylesheet href="http://127.0.0.1:{port}/s.xsl"?>'
    '<!DOCTYPE {root} [<!ENTITY kept SYSTEM "file://{kept}"><!ENTITY host SYSTEM '
    '"http://127.0.0.1:{port}/e"><!ENTITY % more SYSTEM "http://127.0.0.1:{port}/d"> %more;]>'
    '<{root} xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="{kept}" parse="text"/>'
    "&kept;&host;</{root}>"
)
HTML: Final = (
    '<!DOCTYPE html><html><head><base href="http://127.0.0.1:{port}/">'
    '<link rel="stylesheet" href="s.css"><script src="x.js"></script></head><body>'
    '<iframe src="file://{kept}"></iframe><h1>SLEEP STUDY</h1>'
    '<script>var LocalSprData = {{"Path": "{kept}", "ScenarioInstances": []}};</script></body>'
    "</html>"
)
LOGS: Final[dict[str, str]] = {
    "events.xml": ENTITY.replace("{root}", "Events"),
    "pwrtest.xml": ENTITY.replace("{root}", "PwrTestLog"),
    "suspend.xml": ENTITY.replace("{root}", "results"),
    "spr.xml": ENTITY.replace("{root}", "SystemPowerReport"),
    "spr.html": HTML,
    "kernel.log": (
        "[    1.0] PM: suspend entry (deep)\n[    2.0] firmware: loading {kept}\n"
        "[    3.0] call {payload} ssh:me@127.0.0.1:{port}\n[    4.0] PM: suspend exit\n"
    ),
    "asks.json": '{{"Path": "file://{kept}", "Log": "\\\\\\\\127.0.0.1\\\\{port}\\\\x"}}',
}


@pytest.mark.parametrize("name", LOGS)
def test_nothing_that_a_log_names_is_touched(
    name: str, bait: Bait, deeds: Deeds, command: Command, folder: Path
) -> None:
    text = LOGS[name].format(port=bait.port, kept=bait.kept, payload=bait.payload)
    (folder / name).write_text(text, encoding="utf-8")
    for words in (("log", name), ("log", name, "--json"), ("fleet", name), ("compare", name, name)):
        said = command(*words)
        assert said.status in (0, 1, 2, 4)
        assert "this file stays" not in said.out + said.err


def test_nothing_that_a_capture_names_is_touched(
    bait: Bait, deeds: Deeds, command: Command, folder: Path
) -> None:
    for number, named in enumerate((str(bait.kept), f"../{bait.folder.name}/kept.txt")):
        with zipfile.ZipFile(f"{number}.sr", "w") as archive:
            archive.writestr("version", "2")
            archive.writestr(
                "metadata",
                f"[device 1]\ncapturefile={named}\ntotal probes=1\nsamplerate=1 MHz\n"
                "probe1=SLP_S3#\nunitsize=1\n",
            )
    (folder / "named.vcd").write_text(
        f"$timescale 1 us $end $comment $include {bait.kept} $end\n"
        f"$var wire 1 ! {bait.kept} $end $enddefinitions $end\n#0\n0!\n#9\n1!\n",
        encoding="utf-8",
    )
    (folder / "named.csv").write_text(
        f"Time [s],=cmd|'{bait.payload}'!A0,{bait.kept}\n0,0,1\n1,1,0\n", encoding="utf-8"
    )
    for name in ("0.sr", "1.sr", "named.vcd", "named.csv"):
        said = command("correlate", name)
        assert said.status in (2, 4), said.out
        assert "this file stays" not in said.out + said.err


TOMLS: Final = {
    "plan": ("cycles = 1", "--plan"),
    "profile": ('base = "healthy-laptop"\ntitle = "x"', "--dut"),
    "requirement": ('id = "x"\nversion = 1\ntitle = "x"\nsource = "x"', "--requirement"),
}
KEYS: Final = (
    *("rig", "log", "dut_shell", "ssh", "ssh_config", "sleep_command", "power_cycle", "on_end"),
    *("report", "faults", "include", "lake", "metrics", "hook"),
)


@pytest.mark.parametrize("kind", TOMLS)
@pytest.mark.parametrize("key", KEYS)
def test_a_plan_a_profile_and_a_requirement_name_no_program_host_or_file(
    kind: str, key: str, bait: Bait, deeds: Deeds, command: Command
) -> None:
    text, option = TOMLS[kind]
    Path("x.toml").write_text(f'{text}\n{key} = "{bait.payload}"\n', encoding="utf-8")
    said = command("run", "--rig", "sim:clock=virtual", "--cycles", "1", option, "x.toml")
    assert said.status == 2
    assert key in said.err


def test_a_base_of_a_profile_is_a_shipped_one(
    bait: Bait, deeds: Deeds, command: Command, folder: Path
) -> None:
    (folder / "x.toml").write_text(f'base = "{bait.kept}"\ntitle = "x"\n', encoding="utf-8")
    said = command("run", "--rig", "sim:clock=virtual", "--cycles", "1", "--dut", "x.toml")
    assert said.status == 2
    assert "TOML" not in said.err


def test_a_fault_plan_opens_nothing_else(
    bait: Bait, deeds: Deeds, command: Command, folder: Path
) -> None:
    (folder / "f.toml").write_text(f'include = "{bait.kept}"\n', encoding="utf-8")
    said = command("run", "--rig", "sim:clock=virtual,faults=f.toml", "--cycles", "1")
    assert said.status == 2
    assert "include" in said.err
