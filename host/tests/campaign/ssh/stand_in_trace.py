"""Stands in for `wpr`, `xperf`, `where.exe` and `powershell` on a DUT that is traced.

Every call is noted in `told`, scripts in clear. What a recorder does wrong stands in files beside
it: `no-start` (exit status 1), `no-stop` (no answer), `goes-away` (no connection from the stop on),
`no-xperf`, `huge` (a file beyond the bound), `foreign` (a trace without a sleep). While it records
there is a file `recording`.
"""

import base64
import re
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent


def note(text: str) -> None:
    with (HERE / "told").open("a") as told:
        told.write(text + "\n")


def wrong(name: str) -> bool:
    return (HERE / name).exists()


def record(words: list[str]) -> int:
    recording = HERE / "recording"
    if words[0] == "-cancel" or words == ["-stop", "-stop", "resume-rig"]:
        was = recording.exists()
        recording.unlink(missing_ok=True)
        return 0 if was else 0x55
    if words[0] in {"-start", "-on"}:
        can = not (wrong("no-start") or recording.exists())
        recording.touch() if can else None
        return 0 if can else 1
    if words[0] == "-i":
        text = '<results timeFormat="usec"><suspend><scenario duration="1" biosinit="240000"/>'
        (HERE / "summary").write_text(text + "</suspend></results>")
        return 0
    return stop(recording)


def stop(recording: Path) -> int:
    if wrong("goes-away"):
        (HERE / "lost").touch()
        return 1
    while wrong("no-stop"):
        time.sleep(0.05)
    if not recording.exists():
        return 2
    recording.unlink()
    source = HERE / ("foreign" if wrong("foreign") else "sample.etl")
    (HERE / "trace").write_bytes(source.read_bytes())
    return 0


def run_script(script: str) -> int:
    if "Unregister-ScheduledTask" in script:
        for name in ("trace", "summary", "guard"):
            (HERE / name).unlink(missing_ok=True)
    elif "Register-ScheduledTask" in script:
        (HERE / "guard").touch()
    elif "OpenRead" in script:
        found = re.search(r"Length -gt (\d+)", script)
        assert found is not None
        if wrong("huge"):
            return 5
        name = "summary" if ".xml" in script else "trace"
        sys.stdout.buffer.write((HERE / name).read_bytes())
    return 0


def main(program: str, words: list[str]) -> int:
    if program == "powershell":
        script = base64.b64decode(words[-1]).decode("utf-16-le")
        note(script)
        return run_script(script)
    note(" ".join([program, *words]))
    if program == "where.exe":
        return 1 if words == ["xperf"] and wrong("no-xperf") else 0
    return record(words)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], sys.argv[2:]))
