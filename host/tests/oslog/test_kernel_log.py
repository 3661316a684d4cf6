"""Kernel logs in the forms and wordings of dmesg and journalctl, made for the test."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from readings import figures

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import Component, LogReading, OsRecord, SleepKind
from resume_rig.oslog.reading import read_logs

Read = Callable[..., LogReading]

MODERN = (
    (100_000_000, "PM: suspend entry (deep)"),
    (100_500_000, "PM: suspend of devices complete after 166.009 msecs"),
    (101_000_000, "ACPI: PM: Low-level resume complete"),
    (101_100_000, "PM: Timekeeping suspended for 31.250 seconds"),
    (101_900_000, "Restarting tasks ... done."),
    (102_000_000, "PM: suspend exit"),
)


def stamped(lines: tuple[tuple[int, str], ...] = MODERN, front: str = "{stamp} ") -> str:
    return "".join(
        front.format(stamp=f"[{us // 10**6:5d}.{us % 10**6:06d}]", s=us // 10**6 % 60) + f"{text}\n"
        for us, text in lines
    )


def messages(*texts: str) -> str:
    return stamped(tuple((10**6 * (i + 1), text) for i, text in enumerate(texts)))


def components(record: OsRecord) -> dict[str, Component]:
    return {component.name: component for component in record.components}


@pytest.mark.parametrize(
    ("front", "has_stamp"),
    [
        pytest.param("{stamp} ", True, id="dmesg"),
        pytest.param("<6>{stamp} ", True, id="dmesg -r"),
        pytest.param("kern  :info  : {stamp} ", True, id="dmesg -x"),
        pytest.param("{stamp}[ T1234] ", True, id="printk caller"),
        pytest.param("{stamp} testbox kernel: ", True, id="short-monotonic"),
        pytest.param("Mai 01 10:00:{s:02d} testbox kernel: {stamp} ", True, id="kern.log"),
        pytest.param("Mai 01 10:00:{s:02d} testbox kernel: ", False, id="short, localised"),
        pytest.param("[Mi Mai  1 10:00:{s:02d} 2024] ", False, id="dmesg -T, localised"),
        pytest.param("[Mai 1 10:00] ", False, id="dmesg -e"),
        pytest.param("[  +0.000123] ", False, id="dmesg -d"),
        pytest.param("2024-05-01T10:00:{s:02d},000123+02:00 ", False, id="dmesg iso"),
        pytest.param("2024-05-01T10:00:{s:02d}+0200 testbox kernel: ", False, id="short-iso"),
    ],
)
def test_forms(read: Read, front: str, has_stamp: bool) -> None:
    (record,) = read(stamped(front=front)).records
    assert record.kind is SleepKind.S3 or not has_stamp
    assert components(record)["suspend devices"].duration_ms == 166.009
    told = {"asleep_ms": 31_250.0}
    if has_stamp:
        told |= {"kernel_suspend_ms": 500.0, "kernel_resume_ms": 1000.0}
    assert figures(record) == told
    assert (record.resume_ms, record.sleep_ms, record.wake_ms) == (None, None, None)


def test_without_a_kernel_clock_the_kind_is_known_all_the_same(read: Read) -> None:
    (record,) = read(stamped(front="Mai 01 10:00:{s:02d} testbox kernel: ")).records
    assert record.kind is SleepKind.S3


@pytest.mark.parametrize(
    ("front", "seconds"),
    [
        ("2024-05-01T10:00:{s:02d}+0200 testbox kernel: ", 0),
        ("2024-05-01T10:00:{s:02d}.250000+02:00 testbox kernel: ", 250_000_000),
    ],
    ids=["short-iso", "short-iso-precise"],
)
def test_the_journals_own_times(read: Read, front: str, seconds: int) -> None:
    (record,) = read(stamped(front=front)).records
    base_ns = 1_714_550_400 * 10**9  # 2024-05-01 08:00 UTC
    assert record.sleep_time_utc_ns == base_ns + 40 * 10**9 + seconds
    assert record.wake_time_utc_ns == base_ns + 42 * 10**9 + seconds


def journal_entries() -> list[dict[str, str]]:
    return [
        {
            "__REALTIME_TIMESTAMP": str(1_714_550_400_000_000 + us),
            "_SOURCE_MONOTONIC_TIMESTAMP": str(us),
            "_TRANSPORT": "kernel",
            "MESSAGE": text,
        }
        for us, text in MODERN
    ]


def test_journal_export_and_json_tell_the_same(read: Read) -> None:
    entries = journal_entries()
    entries.insert(3, {**entries[3], "_TRANSPORT": "journal", "MESSAGE": "PM: suspend exit"})
    export = "\n".join("".join(f"{k}={v}\n" for k, v in entry.items()) for entry in entries)
    from_export = read(export).records
    assert from_export == read("".join(json.dumps(entry) + "\n" for entry in entries)).records
    (record,) = from_export
    assert record.kind is SleepKind.S3
    assert record.wake_time_utc_ns == (1_714_550_400_000_000 + 102_000_000) * 1000
    assert figures(record)["kernel_resume_ms"] == 1000.0


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_what_powershell_makes_of_a_log(read: Read, encoding: str) -> None:
    plain = read(stamped()).records
    assert read(stamped().replace("\n", "\r\n").encode(encoding)).records == plain


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-8"])
def test_no_line_is_torn_where_blocks_meet(read: Read, encoding: str) -> None:
    odd = (100_400_000, "video \u0a0a\u0a00\u000a0"[:8])  # holds the bytes of line ends
    later = [
        (us + i * 10**7, text) for i in range(400) for us, text in (*MODERN[:1], odd, *MODERN[1:])
    ]
    text = "\ufeff" + stamped(tuple(later), front="{stamp} ")
    reading = read(text.encode(encoding))
    assert [record.kind for record in reading.records] == [SleepKind.S3] * 400
    assert reading.sources[0].integrity.problems == ()
    assert reading.sources[0].records == len(later)


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        pytest.param(
            (
                "PM: Syncing filesystems ... done.",
                "PM: Preparing system for mem sleep",
                "PM: Entering mem sleep",
                "ACPI: Preparing to enter system sleep state S3",
                "ACPI: Low-level resume complete",
                "PM: Finishing wakeup.",
            ),
            SleepKind.S3,
            id="3.x",
        ),
        pytest.param(
            (
                "PM: suspend entry (shallow)",
                "ACPI: PM: Preparing to enter system sleep state S1",
                "ACPI: PM: Waking up from system sleep state S1",
                "PM: suspend exit",
            ),
            SleepKind.S1,
            id="S1",
        ),
        pytest.param(
            ("PM: suspend entry (s2idle)", "Filesystems sync: 0.010 seconds", "PM: suspend exit"),
            SleepKind.S2IDLE,
            id="s2idle without debug messages",
        ),
        pytest.param(
            (
                "PM: Suspending system (freeze)",
                "PM: Triggering wakeup from IRQ 9",
                "PM: Finishing wakeup.",
            ),
            SleepKind.S2IDLE,
            id="4.x freeze",
        ),
        pytest.param(
            (
                "PM: hibernation: hibernation entry",
                "PM: hibernation: Need to copy 200 pages",
                "ACPI: PM: Waking up from system sleep state S4",
                "PM: hibernation: hibernation exit",
            ),
            SleepKind.S4,
            id="S4",
        ),
        pytest.param(
            (
                "PM: suspend entry (deep)",
                "PM: Some devices failed to suspend, or early wake event",
                "PM: suspend exit",
            ),
            SleepKind.ABORTED,
            id="a device refused",
        ),
        pytest.param(
            (
                "PM: suspend entry (deep)",
                "Freezing of tasks failed after 20.003 seconds (1 tasks",
                "PM: suspend exit",
            ),
            SleepKind.ABORTED,
            id="tasks did not freeze",
        ),
        pytest.param(
            (
                "PM: suspend entry (deep)",
                "PM: suspend of devices aborted after 12.500 msecs",
                "PM: resume of devices complete after 3.000 msecs",
                "PM: suspend exit",
            ),
            SleepKind.ABORTED,
            id="6.x aborted phase",
        ),
        pytest.param(
            (
                "PM: suspend entry (deep)",
                "PM: suspend debug: Waiting for 5 second(s).",
                "PM: noirq resume of devices complete after 3.000 msecs",
                "PM: suspend exit",
            ),
            SleepKind.ABORTED,
            id="pm_test",
        ),
        pytest.param(
            (
                "PM: suspend entry (deep)",
                "PM: Wakeup pending, aborting suspend",
                "ACPI: PM: Waking up from system sleep state S3",
                "PM: noirq resume of devices complete after 3.000 msecs",
                "PM: suspend exit",
            ),
            SleepKind.ABORTED,
            id="a wakeup before the sleep",
        ),
        pytest.param(
            (
                "PM: suspend entry (s2idle)",
                "PM: noirq suspend of devices complete after 3.000 msecs",
                "PM: Wakeup pending, aborting suspend",
                "PM: noirq resume of devices complete after 3.000 msecs",
                "PM: suspend exit",
            ),
            SleepKind.S2IDLE,
            id="a wakeup out of s2idle",
        ),
        pytest.param(
            ("PM: suspend entry (deep)", "Linux version 6.6.13 (x@y)"),
            SleepKind.DIED,
            id="a boot instead of a wake",
        ),
        pytest.param(
            ("PM: hibernation entry", "Linux version 6.6.13 (x@y)", "Linux version 6.6.13 (x@y)"),
            SleepKind.DIED,
            id="an image that was never resumed",
        ),
        pytest.param(("PM: suspend entry (deep)",), SleepKind.UNKNOWN, id="cut"),
    ],
)
def test_wordings(read: Read, texts: tuple[str, ...], kind: SleepKind) -> None:
    reading = read(messages(*texts))
    (record,) = reading.records
    assert record.kind is kind
    assert reading.sources[0].integrity.ok is (kind is not SleepKind.UNKNOWN)


def test_two_sleeps_are_two_records(read: Read) -> None:
    later = tuple((us + 500_000_000, text) for us, text in MODERN)
    first, second = read(stamped(MODERN + later)).records
    assert figures(first) == figures(second)
    assert [component.start_ms for component in second.components] == [
        component.start_ms for component in first.components
    ]


def test_devices_of_both_wordings_of_initcall_debug(read: Read) -> None:
    (record,) = read(
        messages(
            "PM: suspend entry (deep)",
            "calling  Fixed MDIO bus.0+ @ 4122, parent: platform",
            "call Fixed MDIO bus.0+ returned 0 after 250 usecs",
            "i915 0000:00:02.0: PM: calling pci_pm_suspend+0x0/0x1a0 @ 12, parent: pci0000:00",
            "i915 0000:00:02.0: PM: pci_pm_suspend+0x0/0x1a0 returned 0 after 99990 usecs",
            "PM: suspend of devices complete after 166.009 msecs",
            "ACPI: PM: Low-level resume complete",
            "usb 1-2: PM: usb_dev_resume+0x0/0x20 returned -71 after 1500 usecs",
            "usb 1-2: PM: failed to resume async: error -71",
            "PM: resume of devices complete after 20.000 msecs",
            "PM: suspend exit",
        )
    ).records
    found = components(record)
    told = [
        (found[name].duration_ms, found[name].phase, found[name].detail)
        for name in ("Fixed MDIO bus.0", "0000:00:02.0", "1-2")
    ]
    assert told == [
        (0.25, "suspend devices", "parent platform"),
        (99.99, "suspend devices", "i915, parent pci0000:00, pci_pm_suspend"),
        (1.5, "resume devices", "error -71"),
    ]
    assert figures(record)["failed_devices"] == 1


def test_why_a_sleep_was_given_up(read: Read) -> None:
    (record,) = read(
        messages(
            "PM: suspend entry (deep)",
            "usb 1-2: PM: failed to suspend async: error -16",
            "PM: Some devices failed to suspend, or early wake event detected",
            "PM: suspend exit",
        )
    ).records
    assert record.wake_source.text == "1-2 (usb) failed to suspend async, error -16"


def test_hibernation_image(read: Read) -> None:
    (record,) = read(
        messages(
            "PM: hibernation entry",
            "PM: Need to copy 123456 pages",
            "PM: Wrote 493824 kbytes in 2.55 seconds (193.65 MB/s)",
            "Linux version 6.6.13 (x@y)",
            "PM: Read 493824 kbytes in 1.25 seconds (395.05 MB/s)",
            "ACPI: Waking up from system sleep state S4",
            "PM: hibernation exit",
        )
    ).records
    assert record.kind is SleepKind.S4
    assert (record.hiber_pages, record.hiber_write_ms, record.hiber_read_ms) == (123456, 2550, 1250)


def test_identity_and_firmware_times_of_a_test(read: Read) -> None:
    header = (
        "# suspend-050124-101500 testbox mem 6.6.13\n"
        "# sysinfo | man:Example Corp. | plat:Model 7 | bios:1.2.3\n"
        "# fwsuspend 4000000 fwresume 412500000\n"
    )
    reading = read(header + stamped())
    (record,) = reading.records
    assert record.firmware_resume_ms == 413
    assert figures(record)["firmware_resume_ms"] == 412.5
    assert dict(reading.sources[0].identity) == {
        "kernel": "6.6.13",
        "system_manufacturer": "Example Corp.",
        "system_product": "Model 7",
        "bios_version": "1.2.3",
    }


@pytest.mark.parametrize("fwresume", [3_800_000, 6_568_027_066_368, 0])
def test_firmware_garbage_is_no_time(read: Read, fwresume: int) -> None:
    header = "# suspend-050124-101500 testbox mem 6.6.13\n"
    reading = read(f"{header}# fwsuspend 0 fwresume {fwresume}\n{stamped()}")
    assert reading.records[0].firmware_resume_ms is None
    assert len(reading.sources[0].integrity.problems) == (fwresume > 0)


def test_a_log_without_sleeps(read: Read) -> None:
    reading = read(messages("Linux version 6.6.13 (x@y)", "DMI: Model 7/0AB, BIOS 1.2 01/02/2024"))
    assert reading.records == ()
    assert dict(reading.sources[0].identity) == {
        "kernel": "6.6.13",
        "system_product": "Model 7/0AB",
        "bios_version": "1.2 01/02/2024",
    }


def test_another_programs_log_is_none_of_the_kernels(read: Read) -> None:
    with pytest.raises(RecordError, match="found other text"):
        read("[2024-05-01 10:00:00] INFO started\n[2024-05-01 10:00:01] INFO done\n")


def test_a_gzip_bomb_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(20 * stamped().encode() + (b"x" * 999 + b"\n") * 30_000, 9))
    with pytest.raises(RecordError, match="expands more than 200 times"):
        read_logs([path])


def test_torn_gzip_is_told(tmp_path: Path) -> None:
    path = tmp_path / "torn.gz"
    path.write_bytes(gzip.compress(stamped().encode())[:-20])
    reading = read_logs([path])
    assert not reading.sources[0].integrity.ok


def test_text_is_kept_where_asked(read: Read) -> None:
    (record,) = read(stamped(), keep_text=True).records
    assert record.text.splitlines()[0] == "PM: suspend entry (deep)"
    assert read(stamped()).records[0].text == ""
