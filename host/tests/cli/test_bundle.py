"""A bundle of evidence: made, signed, checked; and what a hostile one meets."""

import json
import os
import shutil
import stat
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import chdir
from datetime import date
from pathlib import Path

import pytest

from resume_rig.acceptance.bundle import (
    ANSWER,
    MANIFEST,
    REPORT,
    SIGNATURE,
    STORE,
)
from resume_rig.acceptance.bundle_check import verify_bundle
from resume_rig.cli.main import main
from resume_rig.model.errors import RecordError

needs_keygen = pytest.mark.skipif(
    shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen on the PATH"
)
TRACE = """
[[requirement]]
id = "SYS-PWR-017"
measure = "resume_ms"
[[requirement]]
id = "SYS-PWR-018"
measure = "bios_init_ms"
[[waiver]]
id = "SYS-PWR-017"
name = "R. Example"
reason = "slow prototype, fixed in EVT2"
until = 2027-01-31
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "slow.rrs"
    words = ["--dut", "slow-laptop", "--cycles", "3", "--progress", "quiet"]
    assert main(["run", "--rig", "sim:clock=virtual,seed=4", "--out", str(path), *words]) == 1
    return path


@pytest.fixture(scope="module")
def made(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("made")
    (place / "ids.toml").write_text(TRACE)
    (place / "System log.xml").write_text("<a/>")
    words = ("--out", "b.zip", "--trace", "ids.toml", "--log", "System log.xml")
    with chdir(place):
        assert main(["bundle", str(store), *words]) == 0
    return place


@pytest.fixture
def bundle(made: Path, folder: Path) -> Path:
    shutil.copytree(made, folder, dirs_exist_ok=True)
    return folder / "b.zip"


def changed(bundle: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """Return a bundle whose files somebody changed."""
    with zipfile.ZipFile(bundle) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    change(files)
    path = bundle.with_name("changed.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def test_a_bundle_holds_what_an_auditor_needs(command, bundle: Path, store: Path) -> None:
    with zipfile.ZipFile(bundle) as archive:
        names = set(archive.namelist())
        manifest = json.loads(archive.read(MANIFEST))
        answer = json.loads(archive.read(ANSWER))
    assert names == {STORE, REPORT, ANSWER, MANIFEST, "logs/001"}
    assert {"python", "sqlite", "numpy", "resume-rig"} <= set(manifest["software"])
    assert manifest["files"][-1]["origin"] == "System log.xml"
    assert answer["verdict"] == "FAIL"

    said = command("verify", str(bundle), "--judge", "--json")

    assert said.status == 0
    assert said.document["holds"] is True
    assert (said.document["verdict"], said.document["judged"]) == ("FAIL", "FAIL")
    assert said.document["signature"] == "unsigned"
    assert [r["id"] for r in said.document["requirements"]] == ["SYS-PWR-017", "SYS-PWR-018"]


@pytest.mark.parametrize(
    ("today", "words"),
    [
        (date(2027, 1, 31), "waived until 2027-01-31, by R. Example: slow prototype"),
        (date(2027, 2, 1), "waiver ended on 2027-01-31, by R. Example: slow prototype"),
    ],
    ids=["last day", "day after"],
)
def test_a_waiver_ends_and_changes_no_verdict(bundle: Path, today: date, words: str) -> None:
    found = verify_bundle(bundle, today)

    name, _, verdict, waiver = found.requirements[0]
    assert (name, verdict) == ("SYS-PWR-017", "FAIL")
    assert waiver.startswith(words)
    assert found.requirements[1][3] == ""


def test_a_bundle_leaves_nothing_beside_the_store(bundle: Path, store: Path) -> None:
    assert [each.name for each in store.parent.iterdir() if each.suffix != ".html"] == [store.name]


def test_traces_beside_the_store_go_in_when_told(command, store: Path, folder: Path) -> None:
    own = folder / "night.rrs"
    own.write_bytes(store.read_bytes())
    nothing = command("bundle", str(own), "--out", "b.zip", "--with-traces")
    assert (nothing.status, (folder / "b.zip").exists()) == (2, False)
    assert "there are no traces in" in nothing.err
    traces = folder / "night-traces"
    traces.mkdir()
    for cycle in (2, 1):
        (traces / f"cycle-{cycle:06d}.etl").write_bytes(bytes([cycle]) * 4096)

    left = command("bundle", str(own), "--out", "b.zip")
    assert f"2 traces in {traces} stay out" in left.err
    assert command("bundle", str(own), "--out", "b.zip", "--with-traces").status == 0

    with zipfile.ZipFile(folder / "b.zip") as archive:
        assert archive.read("logs/001") == bytes([1]) * 4096
        told = json.loads(archive.read("manifest.json"))["files"]
    assert [each["origin"] for each in told if "origin" in each] == [
        "cycle-000001.etl",
        "cycle-000002.etl",
    ]
    assert command("verify", "b.zip").status == 0
    for cycle in range(3, 500):
        (traces / f"cycle-{cycle:06d}.etl").touch()
    many = command("bundle", str(own), "--out", "c.zip", "--with-traces")
    assert many.status == 2
    assert "499 logs and traces; allowed are 495" in many.err


def test_the_same_evidence_gives_the_same_bytes(command, bundle: Path, store: Path) -> None:
    before = bundle.read_bytes()
    words = ("--out", "b.zip", "--trace", "ids.toml", "--log", "System log.xml")

    assert command("bundle", str(store), *words).status == 0

    assert bundle.read_bytes() == before


@needs_keygen
def test_a_signature_tells_who_made_it(command, bundle: Path, store: Path, folder: Path) -> None:
    for name in ("lab", "other"):
        make = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", name]
        subprocess.run(make, check=True)
    public = (folder / "lab.pub").read_text()
    (folder / "signers").write_text(f'lab@example.com namespaces="resume-rig-bundle" {public}')
    (folder / "strangers").write_text(f"other@example.com {(folder / 'other.pub').read_text()}")
    assert command("bundle", str(store), "--out", "s.zip", "--sign", "lab").status == 0

    trusted = command("verify", "s.zip", "--allowed-signers", "signers", "--json")
    assert trusted.status == 0
    assert trusted.document["signature"] == "trusted"
    assert trusted.document["signer"] == "lab@example.com"
    unvouched = command("verify", "s.zip", "--json")
    assert unvouched.status == 0
    assert unvouched.document["signature"] == "unvouched"
    assert unvouched.document["signer"].startswith("SHA256:")
    assert command("verify", "s.zip", "--allowed-signers", "strangers").status == 1
    # A bundle that nobody signed is none of a lab that signs.
    unsigned = command("verify", str(bundle), "--allowed-signers", "signers")
    assert unsigned.status == 1
    assert "not signed" in unsigned.out

    def soften(files: dict[str, bytes]) -> None:
        files[MANIFEST] = files[MANIFEST].replace(b'"verdict":"FAIL"', b'"verdict":"PASS"')

    forged = changed(folder / "s.zip", soften)
    assert command("verify", str(forged), "--allowed-signers", "signers").status == 1
    assert command("verify", str(forged)).status == 1  # the signature is of another text

    def strip(files: dict[str, bytes]) -> None:
        soften(files)
        del files[SIGNATURE]

    judged = command("verify", str(changed(folder / "s.zip", strip)), "--judge")
    assert judged.status == 1
    assert "its store is judged FAIL, and the manifest says PASS" in judged.out


def test_a_file_that_was_changed_added_or_taken_is_named(command, bundle: Path) -> None:
    def change(files: dict[str, bytes]) -> None:
        files[REPORT] = files[REPORT].replace(b"FAIL", b"PASS")
        files["logs/002"] = b"more"
        del files["logs/001"]

    said = command("verify", str(changed(bundle, change)), "--json")

    assert said.status == 1
    assert said.document["problems"] == [
        "logs/001 is missing",
        "report.html is not the file that the manifest names (SHA-256)",
        "logs/002 is not in the manifest",
    ]


def test_a_bundle_that_was_cut_or_bent_is_no_bundle_or_does_not_hold(
    command, bundle: Path, folder: Path
) -> None:
    whole = bundle.read_bytes()
    for length in (0, 10, len(whole) // 2, len(whole) - 5):
        (folder / "cut.zip").write_bytes(whole[:length])
        assert command("verify", "cut.zip").status == 2
    for place in range(40, len(whole), max(1, len(whole) // 40)):
        bent = bytearray(whole)
        bent[place] ^= 0x40
        (folder / "bent.zip").write_bytes(bent)
        said = command("verify", "bent.zip")
        assert said.status in (0, 1, 2), place
        assert "internal error" not in said.err
        if said.status == 0:  # a byte that no file is made of: a date, an attribute
            assert verify_bundle(folder / "bent.zip", date(2026, 1, 1)).holds


@pytest.mark.parametrize(
    "name",
    [
        "../outside",
        "/etc/cron.d/x",
        "logs/../../x",
        "logs\\001",
        "C:\\x",
        "logs/001\0.exe",
        "LOGS/001",
        "logs/1",
        "store.rrs/",
        "manifest.json ",
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(
    command, bundle: Path, folder: Path, name: str
) -> None:
    evil = folder / "evil.zip"
    shutil.copy(bundle, evil)
    with zipfile.ZipFile(evil, "a") as archive:
        entry = zipfile.ZipInfo("x")
        entry.filename = entry.orig_filename = name
        archive.writestr(entry, b"x")
    before = set(folder.parent.rglob("*"))

    said = command("verify", str(evil))

    assert said.status == 2
    assert "is no file that a bundle has" in said.err
    assert set(folder.parent.rglob("*")) == before


def test_a_link_is_refused(bundle: Path) -> None:
    with zipfile.ZipFile(bundle, "a") as archive:
        entry = zipfile.ZipInfo("logs/002")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")

    with pytest.raises(RecordError, match="is no file that a bundle has"):
        verify_bundle(bundle, date(2026, 1, 1))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_files_of_one_name_are_refused(bundle: Path) -> None:
    with zipfile.ZipFile(bundle, "a") as archive:
        archive.writestr(REPORT, "another")

    with pytest.raises(RecordError, match=r"it has report.html twice"):
        verify_bundle(bundle, date(2026, 1, 1))


def test_a_bomb_is_refused_before_it_is_unpacked(bundle: Path) -> None:
    with (
        zipfile.ZipFile(bundle, "a", zipfile.ZIP_DEFLATED) as archive,
        archive.open("logs/002", "w") as target,
    ):
        for _ in range(80):
            target.write(b"\0" * 1024**2)

    with pytest.raises(RecordError, match="times its size when it is unpacked"):
        verify_bundle(bundle, date(2026, 1, 1))


def test_so_many_files_are_refused(bundle: Path) -> None:
    with zipfile.ZipFile(bundle, "a") as archive:
        for number in range(100, 600):
            archive.writestr(f"logs/{number}", "")

    with pytest.raises(RecordError, match="files; allowed are 500"):
        verify_bundle(bundle, date(2026, 1, 1))


@pytest.mark.parametrize(
    "manifest",
    [
        b"",
        b"[]",
        b'{"schema":"resume-rig/bundle/2"}',
        b'{"schema":"resume-rig/bundle/1"}',
        b"[" * 100_000,
        b"\xff",
    ],
    ids=["empty", "list", "newer", "no keys", "deep", "no text"],
)
def test_a_manifest_of_another_form_is_one_sentence(command, bundle: Path, manifest: bytes) -> None:
    said = command("verify", str(changed(bundle, lambda files: files.update({MANIFEST: manifest}))))

    assert said.status == 2
    assert said.err.startswith("resume-rig: could not read the bundle ")
    assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x = 1", "'x' is not allowed"),
        ("[[requirement]]\nid = 'A'", "exactly id, measure are needed"),
        ("[[requirement]]\nid = ''\nmeasure = 'resume_ms'", "id is not a text"),
        ("[[requirement]]\nid = 'A'\nmeasure = 'speed'", "'A' is answered by 'speed', which"),
        (TRACE.replace("2027-01-31", "'soon'"), "is until 'soon'; a date is needed"),
        (TRACE + "[[waiver]]\nid='X'\nname='a'\nreason='b'\nuntil='2027-01-01'", "of 'X' is of no"),
        ("= =", "it is not TOML"),
    ],
    ids=["key", "measure", "empty", "limit", "date", "whose", "toml"],
)
def test_a_trace_file_is_checked(
    command, store: Path, folder: Path, text: str, sentence: str
) -> None:
    (folder / "ids.toml").write_text(text)

    said = command("bundle", str(store), "--out", "b.zip", "--trace", "ids.toml")

    assert said.status == 2
    assert sentence in said.err
    assert not (folder / "b.zip").exists()


def test_bad_usage_of_bundles_is_one_sentence(command, store: Path, folder: Path) -> None:
    assert "there is no such file" in command("verify", "nowhere.zip").err
    (folder / "text.zip").write_text("no archive")
    assert "it is damaged, or no bundle" in command("verify", "text.zip").err
    missing = command("bundle", str(store), "--out", "b.zip", "--log", "none.evtx")
    assert "could not put none.evtx into the bundle: there is no such file" in missing.err
    assert (missing.status, (folder / "b.zip").exists()) == (2, False)
    assert (
        "could not sign with nokey"
        in command("bundle", str(store), "--out", "b.zip", "--sign", "nokey").err
    )
    assert command("bundle", "text.zip", "--out", "b.zip").status == 2


def test_many_small_bombs_are_one(bundle: Path) -> None:
    with zipfile.ZipFile(bundle, "a", zipfile.ZIP_DEFLATED) as archive:
        for number in range(2, 5):
            archive.writestr(f"logs/{number:03d}", bytes(63 * 1024**2))

    with pytest.raises(RecordError, match="times its size when it is unpacked"):
        verify_bundle(bundle, date(2026, 1, 1))


def test_a_way_of_packing_that_takes_gigabytes_is_refused(bundle: Path) -> None:
    with zipfile.ZipFile(bundle, "a", zipfile.ZIP_LZMA) as archive:
        archive.writestr("logs/002", "a log")

    with pytest.raises(RecordError, match="allowed are stored and deflated"):
        verify_bundle(bundle, date(2026, 1, 1))


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of a process alone is in /proc")
def test_a_directory_of_files_without_end_is_not_read(folder: Path) -> None:
    entry = struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, *[0] * 7, 1, *[0] * 6) + b"x"
    entries = entry * 2_000_000  # 94 MB, and 1.3 GB as objects
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 500, 500, len(entries), 0, 0)
    (folder / "wide.zip").write_bytes(entries + end)
    code = (
        "from resume_rig.cli.main import main\nmain(['verify', 'wide.zip'])\n"
        "peak = next(line for line in open('/proc/self/status') if line.startswith('VmHWM'))\n"
        "print(peak.split()[1])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "its directory is larger than that of any bundle" in done.stderr
    assert int(done.stdout) < 150_000  # KB; 45 MB of it are the program


def manifest_with(bundle: Path, **values: object) -> Path:
    """Change a manifest's keys; a value may be a number that JSON has not."""

    def change(files: dict[str, bytes]) -> None:
        files[MANIFEST] = json.dumps({**json.loads(files[MANIFEST]), **values}).encode()

    return changed(bundle, change)


def test_a_manifest_of_requirements_without_end_is_refused(command, bundle: Path) -> None:
    ids = [{"id": "A", "measure": "resume_ms", "verdict": "PASS"}] * 30_000
    names = [{"id": "A", "name": "n", "reason": "r", "until": "2026-01-01"}] * 30_000

    said = command("verify", str(manifest_with(bundle, requirements=ids, waivers=names)))

    assert said.status == 2
    assert "more than 500 files, requirements or waivers" in said.err


def test_numbers_and_texts_of_a_manifest_are_hostile(command, bundle: Path) -> None:
    for size in (float("inf"), float("nan"), "9" * 5000):
        files = [{"name": "store.rrs", "bytes": size, "sha256": ""}]
        said = command("verify", str(manifest_with(bundle, files=files)))
        assert (said.status, "not of the form that one has" in said.err) == (2, True)

    said = command("verify", str(manifest_with(bundle, begun="\x1b[2JPASS\n" * 99)))
    assert "\x1b" not in said.out
    assert len(max(said.out.splitlines(), key=len)) < 400


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such pipes")
def test_pipes_and_devices_are_no_files_of_a_bundle(command, store: Path, folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    for given in (
        ("verify", "pipe"),
        ("bundle", str(store), "--out", "b.zip", "--log", "/dev/zero"),
        ("bundle", str(store), "--out", "b.zip", "--log", "pipe"),
        ("bundle", str(store), "--out", "b.zip", "--trace", "pipe"),
        ("bundle", str(store), "--out", "pipe"),
    ):
        said = command(*given)
        assert said.status == 2, given
        assert "a device" in said.err, given
        assert not (folder / "b.zip").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a link needs a right there")
def test_nothing_is_written_through_a_link_of_another_user(
    command, store: Path, folder: Path
) -> None:
    (folder / "theirs").write_text("mine")
    for name in (".b.zip.part", "b.zip.part"):
        (folder / name).symlink_to(folder / "theirs")

    assert command("bundle", str(store), "--out", "b.zip").status == 0

    assert (folder / "theirs").read_text() == "mine"
    assert verify_bundle(folder / "b.zip", date(2026, 1, 1)).holds
