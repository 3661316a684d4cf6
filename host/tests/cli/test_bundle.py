"""A bundle of evidence: made, signed, checked; and what a hostile one meets."""

import hashlib
import json
import os
import shutil
import stat
import struct
import subprocess
import sys
import zipfile
import zlib
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
from resume_rig.acceptance.bundle_check import Standing, verify_bundle
from resume_rig.cli.main import main

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
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(entry_of(name), content)
    return path


def entry_of(name: str) -> zipfile.ZipInfo:
    """Return an entry as a bundle has it, made by another program's module."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (stat.S_IFREG | 0o644) << 16
    return entry


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

    assert said.status == 4
    assert said.document["outcome"] == "whole"
    assert (said.document["files"], said.document["matched"]) == (4, 4)
    assert {"verdict", "identity", "requirement", "requirements", ANSWER, REPORT} <= set(
        said.document["compared"]
    )
    assert said.document["not_compared"] == []
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
    assert command("verify", "b.zip").status == 4
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
    assert unvouched.status == 4
    assert unvouched.document["signature"] == "unvouched"
    assert unvouched.document["signer"].startswith("SHA256:")
    stranger = command("verify", "s.zip", "--allowed-signers", "strangers")
    assert stranger.status == 4
    assert "nobody vouches for it" in stranger.out.splitlines()[1]
    # A bundle that nobody signed is none of a lab that signs.
    unsigned = command("verify", str(bundle), "--allowed-signers", "signers")
    assert unsigned.status == 4
    assert unsigned.out.splitlines()[:2] == [
        "SIMULATED: no PC was measured",
        "Bundle intact, 4 of 4 checksums match; nobody vouches for it.",
    ]
    assert "Signature: not signed" in unsigned.out
    first = command("verify", "s.zip", "--allowed-signers", "signers").out.splitlines()[1]
    assert first == ("Trusted: bundle intact, 3 of 3 checksums match; signed by lab@example.com.")

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
    assert "verdict is not what its store gives: 'FAIL', and the bundle says 'PASS'" in judged.out


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


def contents(bundle: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(bundle) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_bundle_that_was_cut_or_bent_is_not_whole(command, bundle: Path, folder: Path) -> None:
    whole = bundle.read_bytes()
    for length in (0, 10, len(whole) // 2, len(whole) - 5):
        (folder / "cut.zip").write_bytes(whole[:length])
        assert command("verify", "cut.zip").status == 1
    unused = 0
    for place in range(0, len(whole), max(1, len(whole) // 200)):
        bent = bytearray(whole)
        bent[place] ^= 0x40
        (folder / "bent.zip").write_bytes(bent)
        said = command("verify", "bent.zip")
        assert (said.status, said.err) in ((1, ""), (4, "")), place
        if said.status == 4:  # a bit that Deflate leaves unused: every reader still gets the same
            assert contents(folder / "bent.zip") == contents(bundle), place
            unused += 1
        else:
            assert "Bundle NOT intact" in said.out
    assert unused <= 2


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
        entry = entry_of("x")
        entry.filename = entry.orig_filename = name
        archive.writestr(entry, b"x")
    before = set(folder.parent.rglob("*"))

    said = command("verify", str(evil))

    assert said.status == 1
    assert "is no file that a bundle has" in said.out or "is no name of a file" in said.out
    assert set(folder.parent.rglob("*")) == before


def problem_of(bundle: Path) -> str:
    """Return what is wrong with a bundle that is not whole."""
    found = verify_bundle(bundle, date(2026, 1, 1))
    assert found.outcome is Standing.NOT_WHOLE
    return found.problems[0]


def test_a_link_is_refused(bundle: Path) -> None:
    with zipfile.ZipFile(bundle, "a") as archive:
        entry = entry_of("logs/002")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")

    assert "the row of logs/002 in its directory has another form" in problem_of(bundle)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_files_of_one_name_are_refused(bundle: Path) -> None:
    with zipfile.ZipFile(bundle, "a") as archive:
        archive.writestr(entry_of(REPORT), "another")

    assert problem_of(bundle) == "it has report.html twice"


def test_a_bomb_is_refused_before_it_is_unpacked(bundle: Path) -> None:
    with (
        zipfile.ZipFile(bundle, "a", zipfile.ZIP_DEFLATED) as archive,
        archive.open(entry_of("logs/002"), "w") as target,
    ):
        for _ in range(80):
            target.write(b"\0" * 1024**2)

    assert "times its size when it is unpacked" in problem_of(bundle)


def test_so_many_files_are_refused(bundle: Path) -> None:
    with zipfile.ZipFile(bundle, "a") as archive:
        for number in range(100, 600):
            archive.writestr(entry_of(f"logs/{number}"), "")

    assert "allowed are 500 files" in problem_of(bundle)


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

    assert (said.status, said.err) == (1, "")
    assert said.out.startswith("Bundle NOT intact.\n  its ")
    assert said.out.count("\n") == 2


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
    assert "it does not end as an archive does" in command("verify", "text.zip").out
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
            archive.writestr(entry_of(f"logs/{number:03d}"), bytes(63 * 1024**2))

    assert "times its size when it is unpacked" in problem_of(bundle)


def test_a_way_of_packing_that_takes_gigabytes_is_refused(bundle: Path) -> None:
    with zipfile.ZipFile(bundle, "a", zipfile.ZIP_LZMA) as archive:
        archive.writestr("logs/002", "a log")

    assert "the row of logs/002 in its directory has another form" in problem_of(bundle)


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

    assert "allowed are 500 files" in done.stdout
    assert int(done.stdout.splitlines()[-1]) < 150_000  # KB; 45 MB of it are the program


def manifest_with(bundle: Path, **values: object) -> Path:
    """Change a manifest's keys; a value may be a number that JSON has not."""

    def change(files: dict[str, bytes]) -> None:
        told = {**json.loads(files[MANIFEST]), **values}
        files[MANIFEST] = json.dumps(told, separators=(",", ":")).encode() + b"\n"

    return changed(bundle, change)


def test_a_manifest_of_requirements_without_end_is_refused(command, bundle: Path) -> None:
    ids = [{"id": "A", "measure": "resume_ms", "verdict": "PASS"}] * 30_000
    names = [{"id": "A", "name": "n", "reason": "r", "until": "2026-01-01"}] * 30_000

    said = command("verify", str(manifest_with(bundle, requirements=ids, waivers=names)))

    assert said.status == 1
    assert "more than 500 files, requirements or waivers" in said.out


def test_numbers_and_texts_of_a_manifest_are_hostile(command, bundle: Path) -> None:
    for size in (float("inf"), float("nan"), "9" * 5000):
        files = [{"name": "store.rrs", "bytes": size, "sha256": ""}]
        said = command("verify", str(manifest_with(bundle, files=files)))
        assert (said.status, "its manifest.json is not" in said.out) == (1, True)

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
    assert verify_bundle(folder / "b.zip", date(2026, 1, 1)).outcome is Standing.WHOLE


# ---------------------------------------------------------------------- what readers disagree on


def local(name: bytes, data: bytes, *, flags: int = 0, crc: int | None = None) -> bytes:
    """Return a file as it lies in an archive: its header, and its packed bytes."""
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(data) + packer.flush()
    crc = zlib.crc32(data) if crc is None else crc
    head = struct.pack(
        "<4s5H3L2H",
        *(b"PK\3\4", 20, flags, 8, 0, 0x21, crc, len(packed), len(data), len(name), 0),
    )
    return head + name + packed


def bent(bundle: Path, change: Callable[[bytearray, int], bytes | None]) -> Path:
    """Return a bundle whose bytes somebody changed; `change` also gets its directory's place."""
    whole = bytearray(bundle.read_bytes())
    directory = struct.unpack_from("<L", whole, len(whole) - 6)[0]
    path = bundle.with_name("bent.zip")
    path.write_bytes(change(whole, directory) or whole)
    return path


def with_directory_at(whole: bytes, directory: int, *, more: int) -> bytes:
    """Move the directory's place in the end record, as where bytes were put before it."""
    return whole[:-6] + struct.pack("<LH", directory + more, 0)


EVIL = local(b"report.html", b"<h1>PASS</h1>")
END = 22


def put_first(whole: bytearray, directory: int) -> bytes:
    return EVIL + bytes(whole)  # Python finds the files all the same, a stream another report


def put_first_and_corrected(whole: bytearray, directory: int) -> bytes:
    moved, place = bytearray(EVIL + whole), directory + len(EVIL)
    at = place
    while moved[at : at + 4] == b"PK\1\2":
        (offset,) = struct.unpack_from("<L", moved, at + 42)
        struct.pack_into("<L", moved, at + 42, offset + len(EVIL))
        at += 46 + struct.unpack_from("<H", moved, at + 28)[0]
    return with_directory_at(bytes(moved), directory, more=len(EVIL))


def put_between(whole: bytearray, directory: int) -> bytes:
    moved = bytes(whole[:directory]) + EVIL + bytes(whole[directory:])
    return with_directory_at(moved, directory, more=len(EVIL))


def put_behind(whole: bytearray, directory: int) -> bytes:
    return bytes(whole) + EVIL


def put_into_comment(whole: bytearray, directory: int) -> bytes:
    return bytes(whole[:-2]) + struct.pack("<H", len(EVIL)) + EVIL


def second_end(whole: bytearray, directory: int) -> bytes:
    return bytes(whole) + bytes(whole[-END:])


def before_end(whole: bytearray, directory: int) -> bytes:
    return bytes(whole[:-END]) + b"hidden" + bytes(whole[-END:])


def other_local_name(whole: bytearray, directory: int) -> None:
    whole[30:39] = b"other.rrs"


def other_local_crc(whole: bytearray, directory: int) -> None:
    struct.pack_into("<L", whole, 14, 1)


def other_local_sizes(whole: bytearray, directory: int) -> None:
    struct.pack_into("<L", whole, 22, 1)


def flags_on_both_sides(whole: bytearray, directory: int) -> None:
    struct.pack_into("<H", whole, 6, 8)
    struct.pack_into("<H", whole, directory + 8, 8)


def utf8_flag(whole: bytearray, directory: int) -> None:
    struct.pack_into("<H", whole, directory + 8, 0x800)


def encrypted_flag(whole: bytearray, directory: int) -> None:
    struct.pack_into("<H", whole, directory + 8, 1)


def zip64_sizes(whole: bytearray, directory: int) -> None:
    struct.pack_into("<LL", whole, directory + 20, 0xFFFFFFFF, 0xFFFFFFFF)


def zip64_end(whole: bytearray, directory: int) -> bytes:
    end64 = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 1, 1, 46, directory)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, len(whole) - END, 1)
    return bytes(whole[:-END]) + end64 + locator + bytes(whole[-END:])


def fewer_in_the_end_record(whole: bytearray, directory: int) -> None:
    struct.pack_into("<HH", whole, len(whole) - 14, 1, 1)


def another_disk(whole: bytearray, directory: int) -> None:
    struct.pack_into("<H", whole, directory + 34, 1)


def shared_bytes(whole: bytearray, directory: int) -> None:
    first = directory + 46 + struct.unpack_from("<H", whole, directory + 28)[0]
    struct.pack_into("<L", whole, first + 42, 0)


@pytest.mark.parametrize(
    "change",
    [
        *(put_first, put_first_and_corrected, put_between, put_behind, put_into_comment),
        *(second_end, before_end, other_local_name, other_local_crc, other_local_sizes),
        *(flags_on_both_sides, utf8_flag, encrypted_flag, zip64_sizes, zip64_end),
        *(fewer_in_the_end_record, another_disk, shared_bytes),
    ],
)
def test_an_archive_that_two_readers_read_differently_is_not_whole(
    command, bundle: Path, change: Callable[[bytearray, int], bytes | None]
) -> None:
    path = bent(bundle, change)
    assert path.read_bytes() != bundle.read_bytes()

    said = command("verify", str(path), "--json")

    assert said.status == 1
    assert said.document["outcome"] == "not-whole"
    assert len(said.document["problems"]) == 1


def rebuilt(bundle: Path, name: str, packed: bytes) -> Path:
    """Return a bundle in which a file's packed bytes are others, all headers right for them."""
    rows, body = [], b""
    with zipfile.ZipFile(bundle) as archive:
        for info in archive.infolist():
            data = archive.read(info)
            part = local(info.filename.encode(), data)
            if info.filename == name:
                part = (
                    part[:18] + struct.pack("<L", len(packed)) + part[22 : 30 + len(name)] + packed
                )
            rows.append((info.filename.encode(), part, len(body)))
            body += part
    directory = b"".join(
        struct.pack("<4sH", b"PK\1\2", 3 << 8 | 20)
        + part[4:28]
        + struct.pack("<4H2L", 0, 0, 0, 0, (stat.S_IFREG | 0o644) << 16, at)
        + row
        for row, part, at in rows
    )
    count = len(rows)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(directory), len(body), 0)
    path = bundle.with_name("rebuilt.zip")
    path.write_bytes(body + directory + end)
    return path


def test_bytes_behind_the_end_of_a_packed_file_are_found(command, bundle: Path) -> None:
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(b"<a/>") + packer.flush()
    assert command("verify", str(rebuilt(bundle, "logs/001", packed))).status == 4

    for other in (packed + b"hidden", packed + packed, packed[:-1], b"", b"\xff" + packed):
        said = command("verify", str(rebuilt(bundle, "logs/001", other)))
        assert said.status == 1, other
        assert "logs/001 is damaged" in said.out


JAVA = """
import java.io.*; import java.security.*; import java.util.*; import java.util.zip.*;
public class Files {
    static void show(String how, String name, InputStream in) throws Exception {
        byte[] sum = MessageDigest.getInstance("SHA-256").digest(in.readAllBytes());
        System.out.println(how + " " + name + " " + HexFormat.of().formatHex(sum));
    }
    public static void main(String[] words) throws Exception {
        try (ZipFile file = new ZipFile(words[0])) {
            for (ZipEntry each : Collections.list(file.entries()))
                show("file", each.getName(), file.getInputStream(each));
        }
        try (ZipInputStream in = new ZipInputStream(new FileInputStream(words[0]))) {
            for (ZipEntry each; (each = in.getNextEntry()) != null;)
                show("stream", each.getName(), in);
        }
    }
}
"""


@pytest.mark.skipif(
    shutil.which("java") is None or shutil.which("javac") is None, reason="there is no Java"
)
def test_java_and_python_find_the_same_files(bundle: Path, folder: Path) -> None:
    (folder / "Files.java").write_text(JAVA)

    done = subprocess.run(
        ["java", "Files.java", str(bundle)], check=True, capture_output=True, text=True
    )

    with zipfile.ZipFile(bundle) as archive:
        sums = {n: hashlib.sha256(archive.read(n)).hexdigest() for n in archive.namelist()}
    lines = [line.split() for line in done.stdout.splitlines()]
    assert {name: sha for how, name, sha in lines if how == "file"} == sums
    assert {name: sha for how, name, sha in lines if how == "stream"} == sums
    assert len(lines) == 2 * len(sums)


# ------------------------------------------------------------------- what follows from the store


def resealed(files: dict[str, bytes]) -> None:
    """Make the manifest's checksums those of the files, as a forger would."""
    manifest = json.loads(files[MANIFEST])
    for file in manifest["files"]:
        content = files[file["name"]]
        file |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    files[MANIFEST] = json.dumps(manifest, separators=(",", ":")).encode() + b"\n"


def softened(key: str, value: object) -> Callable[[dict[str, bytes]], None]:
    def change(files: dict[str, bytes]) -> None:
        manifest = json.loads(files[MANIFEST])
        manifest[key] = value(manifest[key]) if callable(value) else value
        files[MANIFEST] = json.dumps(manifest, separators=(",", ":")).encode() + b"\n"

    return change


def of_file(name: str, old: bytes, new: bytes) -> Callable[[dict[str, bytes]], None]:
    def change(files: dict[str, bytes]) -> None:
        assert old in files[name]
        files[name] = files[name].replace(old, new)

    return change


def first(**values: object) -> Callable[[list[dict[str, object]]], object]:
    return lambda rows: [{**rows[0], **values}, *rows[1:]]


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (softened("verdict", "MARGINAL"), "verdict"),
        (softened("why", "all is well"), "why"),
        (softened("begun", "2020-01-01T00:00:00.000000000Z"), "begun"),
        (softened("identity", lambda told: {**told, "dut": "another unit"}), "identity"),
        (softened("identity", lambda told: {**told, "serial": "1"}), "identity"),
        (softened("requirement", lambda told: {**told, "version": 9}), "requirement"),
        (softened("requirements", first(verdict="PASS")), "requirements"),
        (softened("requirements", first(limit="<= 9 s")), "requirements"),
        (of_file(REPORT, b"FAIL", b"PASS"), REPORT),
        (of_file(ANSWER, b'"FAIL"', b'"PASS"'), ANSWER),
    ],
)
def test_whatever_follows_from_the_store_is_compared(
    command, bundle: Path, change: Callable[[dict[str, bytes]], None], part: str
) -> None:
    def forge(files: dict[str, bytes]) -> None:
        change(files)
        resealed(files)

    path = changed(bundle, forge)
    assert command("verify", str(path)).status == 4  # whole, and made up

    said = command("verify", str(path), "--judge", "--json")

    assert said.status == 1
    assert [each.split()[0] for each in said.document["problems"]] == [part]


def test_a_report_of_another_version_is_not_called_the_same(command, bundle: Path) -> None:
    def forge(files: dict[str, bytes]) -> None:
        softened("software", lambda told: {**told, "resume-rig": "0.0.1"})(files)
        files[REPORT] = files[REPORT].replace(b"FAIL", b"PASS")
        resealed(files)

    said = command("verify", str(changed(bundle, forge)), "--judge", "--json")

    assert said.status == 4
    assert said.document["not_compared"] == [f"{REPORT}: the bundle was made with resume-rig 0.0.1"]
    assert ANSWER in said.document["compared"]


def test_a_manifest_that_two_readers_read_differently_is_not_whole(command, bundle: Path) -> None:
    for text in (b'{"verdict":"PASS","schema"', b'{ "schema"', b'{"more":1,"schema"'):
        path = changed(bundle, of_file(MANIFEST, b'{"schema"', text))
        assert command("verify", str(path)).status == 1


def test_a_store_elsewhere_gives_the_same_bundle(command, store: Path, folder: Path) -> None:
    (folder / "other").mkdir()
    copy = folder / "other" / "name.rrs"
    shutil.copy(store, copy)

    assert command("bundle", str(store), "--out", "a.zip").status == 0
    assert command("bundle", str(copy), "--out", "b.zip").status == 0

    assert (folder / "a.zip").read_bytes() == (folder / "b.zip").read_bytes()
    assert str(folder).encode() not in zipfile.ZipFile(folder / "b.zip").read(REPORT)
