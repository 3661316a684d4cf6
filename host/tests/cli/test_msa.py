"""`msa`, used as a person uses it: a folder of stores, a design, and what cannot be studied."""

from pathlib import Path

import pytest

from resume_rig.cli.main import main


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two sessions of each of two units, and a design on two rigs."""
    folder = tmp_path_factory.mktemp("study")
    rows = ["path,unit,rig"]
    for number, unit in enumerate(("healthy-laptop", "slow-bios") * 2):
        rig = ["--rig", f"sim:clock=virtual,seed={number}", "--dut", unit, "--cycles", "5"]
        store = f"{number}.rrs"
        assert main(["run", *rig, "--out", str(folder / store), "--progress", "quiet"]) in (0, 1)
        rows.append(f"{store},{unit},rig {number // 2}")
    (folder / "study.csv").write_text("\n".join(rows) + "\n", "utf-8")
    return folder


def test_a_folder_of_stores_is_studied(command, study: Path) -> None:
    said = command("msa", str(study))

    assert said.status == 0
    assert "4 sessions of 2 units on 1 rig." in said.out
    assert "Note: One rig: what differs from rig to rig is not in the reproducibility." in said.out
    assert "Total resume time: mean" in said.out
    assert "ISO 5725-2: s_r = " in said.out
    assert "Gauge R&R: " in said.out
    assert "more times: --all and --json have them." in said.out


def test_a_design_names_units_and_rigs(command, study: Path) -> None:
    document = command("msa", "--design", str(study / "study.csv"), "--json").document

    assert document["schema"] == "resume-rig/msa/1"
    assert {each["rig"] for each in document["sessions"]} == {"rig 0", "rig 1"}
    first = document["measures"][0]
    assert first["name"] == "resume_ms"
    assert (first["units"], first["rigs"], first["sessions"]) == (2, 2, 4)
    sources = [each["source"] for each in first["components"]]
    assert sources == ["unit", "rig", "unit x rig", "repeatability"]
    assert first["components"][2]["contains_session"]
    assert first["components"][0]["sd_ms"] > 100
    assert first["repeatability"]["low_ms"] < first["repeatability"]["sd_ms"]
    assert any(note.startswith("One session a pair") for note in document["notes"])


@pytest.mark.parametrize(
    ("design", "told"),
    [
        ("path,unit\na,b\n", "it has no column rig"),
        ("path,unit,rig\n", "it has no row"),
        ("path,unit,rig\n0.rrs,a,\n", "line 2 has an empty field"),
        ("path,unit,rig\n0.rrs,a,b\n0.rrs,a,c\n", "line 3 names a file again"),
        ("path,unit,rig\nnone.rrs,a,b\n1.rrs,a,b\n", "No such file"),
        ("path,unit,rig\n0.rrs,a,b\n", "need two at least"),
        ("path,unit,rig\n\udcff", "it is no CSV in UTF-8"),
    ],
)
def test_a_design_that_cannot_be_used_is_said_in_one_sentence(
    command, study: Path, design: str, told: str
) -> None:
    path = study / "bad.csv"
    path.write_bytes(design.encode("utf-8", "surrogateescape"))

    said = command("msa", "--design", str(path))

    assert said.status == 2
    assert told in said.err
    assert "Traceback" not in said.err
    nothing = command("msa")
    assert (nothing.status, "name campaign stores, or --design FILE" in nothing.err) == (2, True)


def test_names_of_others_reach_no_terminal_as_they_are(command, study: Path) -> None:
    path = study / "hostile.csv"
    path.write_text("path,unit,rig\n0.rrs,\x1b[31mu,<b>r\n2.rrs,v,<b>r\n", "utf-8")

    said = command("msa", "--design", str(path))

    assert said.status == 0
    assert "\x1b" not in said.out
