"""`resume-rig doctor` against a DUT that answers over SSH, and one that does not."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Protocol


class Dut(Protocol):
    folder: Path
    address: str
    config: Path


def doctor(*words: str) -> "tuple[int, dict[str, Any]]":
    command = [sys.executable, "-m", "resume_rig", "doctor", "--json", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    return done.returncode, json.loads(done.stdout)


def test_every_item_is_told_and_what_is_to_set_makes_it_exit_3(dut: Dut) -> None:
    (dut.folder / "log.xml").write_text("")
    status, document = doctor("--dut", dut.address, "--ssh-config", str(dut.config))
    told = {entry["name"]: entry for entry in document["preparation"]}
    # The stand-in has no powercfg: no state is offered, and no setting can be read.
    assert (status, document["ok"]) == (3, False)
    assert told["sleep states"]["standing"] == "change"
    assert told["hybrid sleep"]["standing"] == "unknown"
    assert told["hybrid sleep"]["remedy"].startswith("powercfg ")
    assert {"name": "DUT", "ok": True, "text": f"{dut.address} answers"} in document["checks"]
    assert document["rig"] is None


def test_a_dut_that_does_not_answer_is_a_fault_and_named(dut: Dut) -> None:
    nobody = dut.address.rpartition(":")[0] + ":1"
    status, document = doctor("--dut", nobody, "--ssh-config", str(dut.config))
    (check,) = [check for check in document["checks"] if not check["ok"]]
    assert status == 3
    assert (check["name"], document["preparation"]) == ("DUT", [])
    assert nobody in check["text"]
