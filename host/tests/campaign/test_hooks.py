"""Hooks: told by their environment, never waited for, and never able to harm a campaign."""

import os
import socket
import sys
import time
from pathlib import Path

import pytest

from resume_rig.campaign.dut.user_program import OUTPUT_BYTES_MOST, command_words
from resume_rig.campaign.run import hooks as module
from resume_rig.campaign.run.hooks import HookEvent, Hooks
from resume_rig.model.errors import UsageError

WRITE = """
import json, os, sys
facts = {k: v for k, v in os.environ.items() if k.startswith("RESUME_RIG_")}
with open(sys.argv[1], "a", encoding="utf-8") as file:
    file.write(json.dumps(facts) + "\\n")
"""


def python(code: str, *words: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code, *words)


def test_a_command_is_told_in_its_environment(tmp_path: Path) -> None:
    out = tmp_path / "out"
    hooks = Hooks({HookEvent.FAILURE: python(WRITE, str(out))}, {"store": "a.rrs"})
    hostile = "$(touch harm); `touch harm` \x1b[31m \ud800\0"
    hooks.fire(HookEvent.FAILURE, {"cycle": "7", "text": hostile})
    hooks.fire(HookEvent.END, {"verdict": "PASS"})
    hooks.close()
    (line,) = out.read_text("utf-8").splitlines()
    assert '"RESUME_RIG_EVENT": "failure"' in line
    assert '"RESUME_RIG_STORE": "a.rrs"' in line
    assert '"RESUME_RIG_CYCLE": "7"' in line
    assert "$(touch harm)" in line
    assert not Path("harm").exists()
    assert hooks.problems == []


def test_what_goes_wrong_is_said_and_raises_nothing() -> None:
    commands = {
        HookEvent.FAILURE: ("there-is-no-such-program",),
        HookEvent.RECOVERY: python("raise SystemExit(3)"),
    }
    hooks = Hooks(commands, {})
    hooks.fire(HookEvent.FAILURE, {})
    hooks.fire(HookEvent.RECOVERY, {})
    hooks.close()
    assert "could not be run" in hooks.problems[0]
    assert hooks.problems[1] == "the command on recovery ended with status 3"


def test_a_campaign_waits_for_no_command_until_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LAST_WAIT_S", 0.2)
    hooks = Hooks({HookEvent.FAILURE: python("import time; time.sleep(600)")}, {})
    began = time.monotonic()
    for _ in range(module.MOST_AT_ONCE + 1):
        hooks.fire(HookEvent.FAILURE, {})
    assert time.monotonic() - began < 60
    assert hooks.problems == ["the command on failure was not run: 8 earlier ones still run"]
    hooks.close()
    assert len(hooks.problems) == 1 + module.MOST_AT_ONCE
    assert "was ended" in hooks.problems[-1]


def test_commands_that_hang_hold_up_no_news(monkeypatch: pytest.MonkeyPatch) -> None:
    hours = [0.0]
    commands = {event: python("import time; time.sleep(600)") for event in HookEvent}
    hooks = Hooks(commands, {}, now_s=lambda: hours[0] * 3600)
    for _ in range(module.MOST_AT_ONCE):
        hooks.fire(HookEvent.FAILURE, {})
    hours[0] += 1
    hooks.fire(HookEvent.RECOVERY, {})
    ended = "the command on failure was ended: it ran for more than 10 minutes"
    assert hooks.problems == [ended] * module.MOST_AT_ONCE
    for _ in range(module.MOST_AT_ONCE):
        hooks.fire(HookEvent.FAILURE, {})
    hooks.problems.clear()
    hooks.fire(HookEvent.END, {})
    assert hooks.problems == []
    hours[0] += 1
    hooks.fire(HookEvent.FAILURE, {})
    assert len(hooks.problems) == module.MOST_AT_ONCE + 1
    monkeypatch.setattr(module, "LAST_WAIT_S", 0.0)
    hooks.close()


GRANDCHILD = (
    "import socket, sys, time\n"
    "caller = socket.create_connection(('127.0.0.1', int(sys.argv[1]))); time.sleep(600)\n"
)
CHILD = "import subprocess, sys; subprocess.run([sys.executable, '-c', *sys.argv[1:]])"


def test_what_a_command_started_ends_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LAST_WAIT_S", 0.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        hooks = Hooks({HookEvent.END: python(CHILD, GRANDCHILD, port)}, {})
        hooks.fire(HookEvent.END, {})
        with server.accept()[0] as caller:
            hooks.close()
            try:
                assert caller.recv(1) == b""
            except ConnectionResetError:  # how Windows tells of a caller that was ended
                assert os.name == "nt"
    assert len(hooks.problems) == 1


def test_words_are_split_as_a_shell_would_and_no_shell_sees_them() -> None:
    line = 'notify --text "two words" $HOME C:\\\\lab\\\\x.exe'
    line = line.replace("\\\\", "\\") if os.name == "nt" else line
    assert command_words(line) == ("notify", "--text", "two words", "$HOME", r"C:\lab\x.exe")


@pytest.mark.parametrize("text", ["", "   ", "'open"])
def test_a_command_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="could not use"):
        command_words(text)


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_what_a_command_writes_is_bounded_and_does_not_stop_it(
    stream: str, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    script = tmp_path / "wild.py"
    script.write_text(
        f"import sys\nfor _ in range(400):\n    sys.{stream}.write('wild ' * 20_000)\n"
        f"open({str(tmp_path / 'done')!r}, 'w').close()\n",
        encoding="utf-8",
    )
    commands = {HookEvent.END: (sys.executable, str(script))}
    hooks = Hooks(commands, {})
    hooks.fire(HookEvent.END, {})
    hooks.close()
    said = capfd.readouterr()
    assert hooks.problems == []
    assert (tmp_path / "done").exists()
    assert said.out == ""
    assert len(said.err) < OUTPUT_BYTES_MOST + 1_000
    assert said.err.startswith("wild wild ")
    assert "wrote more than 256 KiB; the rest is cut off" in said.err


def test_what_a_command_writes_is_whole_where_it_is_short(
    capfd: pytest.CaptureFixture[str],
) -> None:
    words = (sys.executable, "-c", "print('in order'); raise SystemExit(0)")
    hooks = Hooks({HookEvent.END: words}, {})
    hooks.fire(HookEvent.END, {})
    hooks.close()
    assert capfd.readouterr().err.splitlines() == ["in order"]
