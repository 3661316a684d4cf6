"""Real logs, held against counts that this test makes itself from the XML."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest

from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.oslog.reading import read_logs

NAMESPACE = "{http://schemas.microsoft.com/win/2004/08/events/event}"
DURATIONS = {
    "SleepDuration": "sleep_ms",
    "WakeDuration": "wake_ms",
    "DriverInitDuration": "driver_init_ms",
    "BiosInitDuration": "bios_init_ms",
    "HiberWriteDuration": "hiber_write_ms",
    "HiberReadDuration": "hiber_read_ms",
}
NEVER_ZERO = {"BiosInitDuration", "HiberWriteDuration", "HiberReadDuration"}
KINDS = {"2/2": "S1", "4/4": "S3", "4/5": "hybrid", "5/5": "S4", "6/5": "fast-startup"}
LOGS = {
    "win10-15063-desktop-s1.xml": (243, 2, 15063, {"S1": 2}, ()),
    "win10-17763-laptop-faststartup.xml": (
        *(111, 12, None),
        {"fast-startup": 11, "S4": 1},
        (
            "11 times of the firmware (Kernel-Power 130 or 131, Kernel-Boot 30) are longer than 10"
            " minutes or negative and count as not reported.",
        ),
    ),
    "win11-22000-laptop-s3.xml": (
        *(1176, 90, 22000),
        {"hybrid": 54, "S4": 16, "doze": 16, "aborted": 4},
        ("6 records have a WakeTime before their SleepTime; both are kept as they stand.",),
    ),
}


def events_of(path: Path) -> list[tuple[str, int, dict[str, str], str, str]]:
    """Return provider, event id, values, record id and time of every event."""
    found = []
    for event in ElementTree.parse(path).getroot().findall(f"{NAMESPACE}Event"):
        system = event.find(f"{NAMESPACE}System")
        texts = {child.tag.removeprefix(NAMESPACE): child for child in system}
        values = {data.get("Name"): data.text or "" for data in event.iter(f"{NAMESPACE}Data")}
        provider = texts["Provider"].get("Name").removeprefix("Microsoft-Windows-")
        found.append(
            (
                *(provider, int(texts["EventID"].text), values),
                *(texts["EventRecordID"].text, texts["TimeCreated"].get("SystemTime")),
            )
        )
    return found


def independent_accounts(path: Path) -> list[dict[str, object]]:
    accounts, full_resume = [], None
    for provider, event_id, values, record_id, written in events_of(path):
        if (provider, event_id) == ("Kernel-Power", 131):
            full_resume = int(values["FullResume"])
        if (provider, event_id) != ("Power-Troubleshooter", 1):
            continue
        idle = all(values[name] == "0" for name in DURATIONS)
        kind = KINDS.get(f"{values['TargetState']}/{values['EffectiveState']}", "unknown")
        if idle:
            kind = "doze" if values["WakeSourceType"] == "3" else "aborted"
        account = {
            "record_id": int(record_id),
            "kind": kind,
            "written": written,
            "sleep": values["SleepTime"],
            "wake": values["WakeTime"],
            "firmware_resume_ms": full_resume,
            "source": (int(values["WakeSourceType"]), values["WakeSourceText"]),
            "hiber_pages": int(values["HiberPagesWritten"]) or None,
        }
        for name, attribute in DURATIONS.items():
            value = int(values[name])
            absent = idle or (value == 0 and name in NEVER_ZERO)
            account[attribute] = None if absent else value
        accounts.append(account)
        full_resume = None
    return accounts


def stamp(time_ns: int | None) -> str:
    """Write a time as the log does, with seven digits."""
    whole_s, rest_ns = divmod(time_ns, 1_000_000_000)
    return f"{datetime.fromtimestamp(whole_s, UTC):%Y-%m-%dT%H:%M:%S}.{rest_ns // 100:07d}Z"


def as_account(record: OsRecord) -> dict[str, object]:
    return {
        "record_id": record.record_id,
        "kind": record.kind.value,
        "written": stamp(record.written_utc_ns),
        "sleep": stamp(record.sleep_time_utc_ns),
        "wake": stamp(record.wake_time_utc_ns),
        "firmware_resume_ms": record.firmware_resume_ms,
        "source": (record.wake_source.type, record.wake_source.text),
        "hiber_pages": record.hiber_pages,
        **{attribute: getattr(record, attribute) for attribute in DURATIONS.values()},
    }


@pytest.mark.parametrize("name", sorted(LOGS))
def test_every_record_has_the_values_of_the_xml(shared_data: Path, name: str) -> None:
    path = shared_data / "eventlog" / name
    records, accounts, build, kinds, problems = LOGS[name]
    reading = read_logs([path])
    (source,) = reading.sources
    assert [as_account(record) for record in reading.records] == independent_accounts(path)
    assert (source.records, len(reading.records), source.os_build) == (records, accounts, build)
    assert source.records == len(events_of(path))
    assert Counter(record.kind.value for record in reading.records) == kinds
    assert source.integrity.ok
    assert source.integrity.problems == problems


@pytest.mark.parametrize("name", sorted(LOGS))
@pytest.mark.parametrize("form", ["newest first", "utf-16", "fragments"])
def test_a_real_log_reads_the_same_in_every_form(
    shared_data: Path, tmp_path: Path, name: str, form: str
) -> None:
    path = shared_data / "eventlog" / name
    text = path.read_text(encoding="utf-8")
    events = text.splitlines()[1:-1]
    content = {
        "newest first": "<Events>" + "\r\n".join(reversed(events)) + "</Events>",
        "utf-16": text,
        "fragments": "".join(events),
    }[form]
    copy = tmp_path / "copy.bin"
    copy.write_bytes(content.encode("utf-16" if form == "utf-16" else "utf-8"))
    reading, original = read_logs([copy], keep_text=True), read_logs([path], keep_text=True)
    assert reading.records == original.records
    assert reading.sources[0].os_build == original.sources[0].os_build


def test_the_laptop_in_s3_tells_its_firmwares_times(shared_data: Path) -> None:
    records = read_logs([shared_data / "eventlog" / "win11-22000-laptop-s3.xml"]).records
    with_both = [r for r in records if r.bios_init_ms and r.firmware_resume_ms]
    excess_ms = [r.bios_init_ms - r.firmware_resume_ms for r in with_both]
    assert len(with_both) == 54
    assert max(excess_ms) - min(excess_ms) <= 10
    names = Counter(record.wake_source.name for record in records)
    assert names == {"power button": 39, "device": 19, "S4 doze to hibernate": 16, "unknown": 16}


def test_binary_and_xml_of_one_log_agree(shared_data: Path) -> None:
    folder = shared_data / "eventlog"
    binary = read_logs([folder / "win10-15063-desktop-s1.evtx"])
    xml = read_logs([folder / "win10-15063-desktop-s1.xml"])
    assert (binary.sources[0].records, xml.sources[0].records) == (1881, 243)
    assert binary.sources[0].os_build == xml.sources[0].os_build == 15063
    for one, other in zip(binary.records, xml.records, strict=True):
        accounts = [as_account(one), as_account(other)]
        stamps = [account.pop("written") for account in accounts]
        assert accounts[0] == accounts[1]
        assert one.figures == other.figures
        assert stamps[0][:26] == stamps[1][:26]  # the XML was cut to 1 us


@pytest.mark.parametrize(
    ("name", "records", "build"),
    [("win7sp1-no-sleep.evtx", 1601, 7601), ("win11-22000-no-sleep.evtx", 651, 22000)],
)
def test_a_log_without_a_sleep_has_no_records(
    shared_data: Path, name: str, records: int, build: int
) -> None:
    reading = read_logs([shared_data / "eventlog" / name])
    (source,) = reading.sources
    assert reading.records == ()
    assert (source.records, source.os_build, source.integrity.ok) == (records, build, True)


def micros(text: str) -> int:
    """Return a time of the XML in whole microseconds since 1970."""
    moment = datetime.fromisoformat(text[:26] + "+00:00") - datetime(1970, 1, 1, tzinfo=UTC)
    return (moment.days * 86_400 + moment.seconds) * 1_000_000 + moment.microseconds


def independent_figures(path: Path) -> list[dict[str, float]]:
    """Return the figures that each account's own cycle tells, by a walk of its own.

    No cycle of the real logs is interrupted, so what stands between two accounts belongs to the
    later one; cold boots and shutdowns begin anew.
    """
    found, figures, steps = [], {}, []
    for provider, event_id, values, *_ in events_of(path):
        match provider, event_id:
            case "Kernel-General", 12 | 13:
                figures, steps = {}, steps if event_id == 13 else []
            case "Kernel-Power", 42:
                figures.setdefault("sleep_reason", int(values["Reason"]))
            case "Kernel-General", 1 if values["Reason"] == "2":
                figures["clock_jump_us"] = micros(values["NewTime"]) - micros(values["OldTime"])
            case "Kernel-General", 1:
                steps.append(micros(values["NewTime"]) - micros(values["OldTime"]))
            case "Kernel-Power", 130:
                spent = int(values["SuspendEnd"]) - int(values["SuspendStart"])
                figures["firmware_suspend_ms"] = spent
            case "Kernel-Power", 131:
                figures["firmware_average_resume_ms"] = int(values["AverageResume"])
            case "Kernel-Boot", 27 if figures and values["BootType"] != "0":
                figures["boot_type"] = int(values["BootType"])
            case "Kernel-Boot", 30 if figures:
                figures["start_os_image_ms"] = int(values["StartOSImageStart"])
            case "Power-Troubleshooter", 1:
                bios = int(values["BiosInitDuration"])
                if bios and "start_os_image_ms" in figures:
                    excess = bios - figures["start_os_image_ms"]
                    figures["bios_init_minus_start_os_image_ms"] = excess
                moved = [step for step in steps if step]
                if moved:
                    figures |= {"clock_steps": len(moved), "clock_stepped_us": sum(moved)}
                found.append(figures)
                figures, steps = {}, []
    return found


@pytest.mark.parametrize("name", sorted(LOGS))
def test_every_record_has_the_figures_of_its_cycle(shared_data: Path, name: str) -> None:
    path = shared_data / "eventlog" / name
    expected = independent_figures(path)
    for record, figures in zip(read_logs([path]).records, expected, strict=True):
        told = {figure.name: figure.value for figure in record.figures}
        assert {key: told.get(key) for key in figures} == figures
        assert ("clock_steps" in told) == ("clock_steps" in figures)


def test_a_doze_was_asked_for_by_a_user_and_its_s4_by_the_clock(shared_data: Path) -> None:
    records = read_logs([shared_data / "eventlog" / "win11-22000-laptop-s3.xml"]).records
    reasons = {
        kind: {
            figure.value
            for record in records
            for figure in record.figures
            if record.kind is kind and figure.name == "sleep_reason"
        }
        for kind in (SleepKind.DOZE, SleepKind.S4)
    }
    assert reasons == {SleepKind.DOZE: {0}, SleepKind.S4: {6}}


def test_bios_init_is_the_firmwares_own_time_to_the_os(shared_data: Path) -> None:
    records = read_logs([shared_data / "eventlog" / "win11-22000-laptop-s3.xml"]).records
    told = [{figure.name: figure.value for figure in record.figures} for record in records]
    excess = [figures.get("bios_init_minus_start_os_image_ms") for figures in told]
    assert [
        kind for r, e in zip(records, excess, strict=True) if e is not None for kind in [r.kind]
    ]
    assert {e for e in excess if e is not None} <= {1, 2, 3}
    assert sum(e is not None for e in excess) == 16  # every S4 of this log
