"""Real logs, held against counts that this test makes itself from the XML."""

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest

from resume_rig.model.os_record import NO_SLEEPS, LogReading, OsRecord, SleepKind
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


def sleeps(reading: LogReading) -> list[OsRecord]:
    return [record for record in reading.records if record.kind not in NO_SLEEPS]


def test_cold_boots_have_the_firmwares_times(shared_data: Path) -> None:
    reading = read_logs([shared_data / "eventlog" / "win11-22000-laptop-s3.xml"])
    boots = [record for record in reading.records if record.kind is SleepKind.BOOT]
    told = [{figure.name: figure.value for figure in boot.figures} for boot in boots]
    # Three of its boots have Kernel-Boot 30; the OS began at half a second, as its RTC counts.
    assert [each["start_os_image_ms"] for each in told] == [3234, 3241, 3246]
    assert [each["exit_boot_services_exit_ms"] for each in told] == [5097, 4657, 4681]
    assert {each["boot_type"] for each in told} == {0}
    assert {boot.sleep_time_utc_ns % 1_000_000_000 for boot in boots} == {500_000_000}
    assert {boot.os_build for boot in boots} == {22000}


@pytest.mark.parametrize("name", sorted(LOGS))
def test_every_record_has_the_values_of_the_xml(shared_data: Path, name: str) -> None:
    path = shared_data / "eventlog" / name
    records, accounts, build, kinds, problems = LOGS[name]
    reading = read_logs([path])
    (source,) = reading.sources
    slept = sleeps(reading)
    assert [as_account(record) for record in slept] == independent_accounts(path)
    assert (source.records, len(slept), source.os_build) == (records, accounts, build)
    assert source.records == len(events_of(path))
    assert Counter(record.kind.value for record in slept) == kinds
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


@pytest.mark.parametrize("name", sorted(LOGS))
def test_a_real_log_reads_the_same_without_names(
    shared_data: Path, tmp_path: Path, name: str
) -> None:
    """Get-WinEvent gives values by their places; version and number tell the layout."""
    path = shared_data / "eventlog" / name
    items = []
    for event in ElementTree.parse(path).getroot().findall(f"{NAMESPACE}Event"):
        system = {child.tag.removeprefix(NAMESPACE): child for child in event[0]}
        values = {data.get("Name"): data.text for data in event.iter(f"{NAMESPACE}Data")}
        if "BootType" in values:
            values["LoadOptions"] = ""  # the log was published without it
        if "ProcessID" in values:
            clock = [*values.items()]
            values = dict([*clock[:3], ("ProcessName", ""), *clock[3:]])  # and without this
        items.append(
            {
                "Id": int(system["EventID"].text),
                "Version": version.text if (version := system.get("Version")) is not None else "",
                "ProviderName": system["Provider"].get("Name"),
                "MachineName": system["Computer"].text if "Computer" in system else "",
                "RecordId": int(system["EventRecordID"].text),
                "TimeCreated": system["TimeCreated"].get("SystemTime"),
                "Properties": [{"Value": value} for value in values.values()],
            }
        )
    copy = tmp_path / "export.json"
    copy.write_text(json.dumps(items), encoding="utf-8")
    reading, original = read_logs([copy]), read_logs([path])
    assert reading.records == original.records
    assert reading.sources[0].integrity == original.sources[0].integrity


def test_the_laptop_in_s3_tells_its_firmwares_times(shared_data: Path) -> None:
    records = sleeps(read_logs([shared_data / "eventlog" / "win11-22000-laptop-s3.xml"]))
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


def independent_notes(path: Path) -> list[dict[str, float]]:
    """Return what the power manager told of each account's sleep, by a walk of its own."""
    found, notes, into_sleep, shutdown, before = [], {}, {}, {}, {}
    woke = None
    for provider, event_id, values, *_ in events_of(path):
        number = {key: int(text) for key, text in values.items() if text.isdecimal()}
        mains = {"true": 1, "false": 0}.get(values.get("PowerStateAc"))
        match provider, event_id:
            case "Kernel-General", 12:
                notes, into_sleep, shutdown, before = {}, {}, {}, shutdown
            case "Kernel-Power", 109:
                shutdown = {
                    "shutdown_action": number["ShutdownActionType"],
                    "shutdown_event_code": number["ShutdownEventCode"],
                    "shutdown_reason": number["ShutdownReason"],
                }
            case "Kernel-Power", 172:
                notes["standby_connectivity"] = number["State"]
                notes["standby_connectivity_reason"] = number["Reason"]
            case "Kernel-Power", 42:
                notes, into_sleep = notes | into_sleep, {}
            case "Kernel-Power", 107:
                notes["wake_from_state"] = number["WakeFromState"]
                notes["wake_requester_ac"] = number["WakeRequesterTypeAc"]
                notes["wake_requester_dc"] = number["WakeRequesterTypeDc"]
            case "Kernel-Power", 566 if number["NextSessionType"] == 3:
                into_sleep = {"sleep_session_reason": number["Reason"], "on_ac_at_sleep": mains}
            case "Kernel-Power", 566 if number["PreviousSessionType"] == 3:
                woke = number["NextSessionId"]
                notes["sleep_session_us"] = number["PreviousSessionDurationInUs"]
                notes |= {"wake_session_reason": number["Reason"], "on_ac_at_wake": mains}
                spans = [number[f"PreviousEnergyCapacityAt{end}"] for end in ("Start", "End")]
                if all(spans):
                    notes["sleep_energy_drain_mwh"] = spans[0] - spans[1]
            case "Kernel-Power", 566 if woke == number["PreviousSessionId"]:
                if "sleep_session_us" in notes:
                    notes["screen_on_us"] = number["PreviousSessionDurationInUs"]
                    notes["screen_on_reason"] = number["Reason"]
            case "Power-Troubleshooter", 1:
                found.append(notes | (shutdown or before))
                notes, shutdown, before, woke = {}, {}, {}, None
    return found


NOTES = {
    *("shutdown_action", "shutdown_event_code", "shutdown_reason"),
    *("standby_connectivity", "standby_connectivity_reason"),
    *("sleep_session_reason", "on_ac_at_sleep", "requested_action", "requested_state"),
    *("sleep_session_us", "wake_session_reason", "on_ac_at_wake", "sleep_energy_drain_mwh"),
    *("screen_on_us", "screen_on_reason"),
    *("wake_from_state", "wake_requester_ac", "wake_requester_dc"),
}


@pytest.mark.parametrize("name", sorted(LOGS))
def test_every_record_has_what_the_power_manager_told(shared_data: Path, name: str) -> None:
    path = shared_data / "eventlog" / name
    told = [
        {figure.name: figure.value for figure in record.figures if figure.name in NOTES}
        for record in sleeps(read_logs([path]))
    ]
    assert told == independent_notes(path)


def test_the_screen_of_the_laptop_goes_on_within_a_second(shared_data: Path) -> None:
    records = sleeps(read_logs([shared_data / "eventlog" / "win11-22000-laptop-s3.xml"]))
    by_name = [{figure.name: figure.value for figure in record.figures} for record in records]
    screen_us = [figures["screen_on_us"] for figures in by_name if "screen_on_us" in figures]
    assert len(screen_us) == 68
    assert 260_000 < min(screen_us) < max(screen_us) < 1_000_000
    assert sum("sleep_session_us" in figures for figures in by_name) == 74
    assert sum("shutdown_action" in figures for figures in by_name) == 2


@pytest.mark.parametrize("name", sorted(LOGS))
def test_every_record_has_the_figures_of_its_cycle(shared_data: Path, name: str) -> None:
    path = shared_data / "eventlog" / name
    expected = independent_figures(path)
    for record, figures in zip(sleeps(read_logs([path])), expected, strict=True):
        told = {figure.name: figure.value for figure in record.figures}
        assert {key: told.get(key) for key in figures} == figures
        assert ("clock_steps" in told) == ("clock_steps" in figures)


def test_a_doze_was_asked_for_by_a_user_and_its_s4_by_the_clock(shared_data: Path) -> None:
    records = sleeps(read_logs([shared_data / "eventlog" / "win11-22000-laptop-s3.xml"]))
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
    records = sleeps(read_logs([shared_data / "eventlog" / "win11-22000-laptop-s3.xml"]))
    told = [{figure.name: figure.value for figure in record.figures} for record in records]
    excess = [figures.get("bios_init_minus_start_os_image_ms") for figures in told]
    assert [
        kind for r, e in zip(records, excess, strict=True) if e is not None for kind in [r.kind]
    ]
    assert {e for e in excess if e is not None} <= {1, 2, 3}
    assert sum(e is not None for e in excess) == 16  # every S4 of this log
