"""A campaign in a process of its own that is killed at a cycle: what a power cut does to a host."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

from resume_rig.model.errors import RigError, UsageError

_START: Final = "import sys; from resume_rig.cli.main import main; sys.exit(main(sys.argv[1:]))"


def run_and_kill(url: str, dut: str | None, store: Path, *, cycles: int, kill_after: int) -> None:
    """Run `cycles` cycles into a new store, and kill the process when `kill_after` are over.

    Args:
        url: of the rig; no other process may have it.
        dut: its profile, as `run --dut` takes it.
        store: path of the store.
        cycles: of the plan.
        kill_after: below `cycles`, so that there is something left to do.

    Raises:
        UsageError: nothing would be left to do.
        RigError: the campaign ended by itself before it could be killed.
    """
    if not 1 <= kill_after < cycles:
        raise UsageError(
            f"could not kill a campaign of {cycles} cycles after {kill_after}; allowed are 1 to "
            f"{cycles - 1}"
        )
    words = ["run", "--rig", url, "--cycles", str(cycles), "--out", str(store)]
    words += ["--progress", "json", *([] if dut is None else ["--dut", dut])]
    with subprocess.Popen(
        [sys.executable, "-c", _START, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as process:
        try:
            done, newest = 0, ""
            for line in process.stderr or ():
                newest = line.strip() or newest
                done += _is_cycle(line)
                if done >= kill_after:
                    return
        finally:
            process.kill()
    raise RigError(f"the campaign ended after {done} cycles, before it could be killed: {newest}")


def _is_cycle(line: str) -> bool:
    try:
        document = json.loads(line)
    except ValueError:
        return False
    return isinstance(document, dict) and document.get("event") == "cycle"
