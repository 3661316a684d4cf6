"""The checklist for a Windows DUT before its resumes are measured, in any language.

Sources: the on/off transition paper (persistent network connections, group policies, 15 minutes of
idle after a driver was installed), the S3 resume paper, the notes on writing of records in
docs/reference/event-log.md.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from resume_rig.analysis.findings.advice import EMBEDDED, ON_OFF
from resume_rig.model.preparation import Found, Item, Reply, Standing

_GUID: Final = re.compile(r"\b([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b", re.IGNORECASE)
_INDEX: Final = re.compile(r":\s*0x([0-9a-f]{8})\s*$", re.IGNORECASE)
_VALUE: Final = re.compile(r"^\s+(?P<name>\S.*?)\s+REG_(?P<type>[A-Z_]+)\s*(?P<data>.*)$")
_STATE: Final = re.compile(r"\((S[0-4])\b")
_COUNT: Final = re.compile(r"numberOfLogRecords:\s*(\d{1,19})")
_SIZE: Final = re.compile(r"fileSize:\s*(\d{1,19})")
_MAX_SIZE: Final = re.compile(r"<maxSize>\s*(\d{1,19})\s*</maxSize>")


@dataclass(frozen=True, slots=True)
class PowerSetting:
    """The values of one setting in the active power plan."""

    mains: int
    battery: int


def power_settings(reply: Reply) -> Mapping[str, PowerSetting]:
    """Return the settings that `powercfg /qh` prints, by GUID in lower case.

    Labels are localised; a setting's GUID comes first, its mains and battery values come last.
    """
    values: dict[str, list[int]] = {}
    guid = ""
    for line in reply.text.splitlines():
        if found := _GUID.search(line):
            guid = found[1].lower()
            values[guid] = []
        elif guid and (index := _INDEX.search(line)):
            values[guid].append(int(index[1], 16))
    return {
        guid: PowerSetting(mains=found[-2], battery=found[-1])
        for guid, found in values.items()
        if len(found) >= 2
    }


def registry_values(reply: Reply) -> Mapping[str, str]:
    """Return the values that `reg query` prints, by name in lower case; numbers in decimal."""
    found: dict[str, str] = {}
    for line in reply.text.splitlines():
        match = _VALUE.match(line)
        if match:
            data = match["data"].strip()
            is_number = match["type"] in {"DWORD", "QWORD"} and data.lower().startswith("0x")
            found[match["name"].lower()] = str(_hexadecimal(data)) if is_number else data
    return found


def registry_keys(reply: Reply) -> list[str]:
    """Return the keys that `reg query` prints."""
    return [line.strip() for line in reply.text.splitlines() if line.startswith("HKEY_")]


def sleep_states(reply: Reply) -> frozenset[str]:
    """Return the states that `powercfg /a` prints as available: "S1", "S3", "S0" ...

    The first heading is that of the available ones; entries are indented, headings are not.
    """
    headings = 0
    found: set[str] = set()
    for line in reply.text.splitlines():
        if line.strip() and not line[0].isspace():
            headings += 1
        elif headings == 1:
            found.update(_STATE.findall(line))
    return frozenset(found)


def log_room(state: Reply, setting: Reply) -> tuple[float, int] | None:
    """Return bytes a record and the greatest size of a log, from `gli` and `gl /f:xml`."""
    count, size = _COUNT.search(state.text), _SIZE.search(state.text)
    most = _MAX_SIZE.search(setting.text)
    if count is None or size is None or most is None or int(count[1]) == 0:
        return None
    return int(size[1]) / int(count[1]), int(most[1])


def _hexadecimal(text: str) -> int:
    try:
        return int(text, 16)
    except ValueError:
        return 0


EVENTS_A_CYCLE: Final = 60
"""Records of the System log that one cycle writes, a generous count."""

_PLAN: Final = "powercfg /qh SCHEME_CURRENT"
_SESSION: Final = r"HKLM\SYSTEM\CurrentControlSet\Control\Session Manager"
_SERVICES: Final = r"HKLM\SYSTEM\CurrentControlSet\Services"
_ACTIONS: Final = ("does nothing", "sleeps", "hibernates", "shuts down", "turns off the display")
_STARTS: Final = {"2": "automatic", "3": "on demand", "4": "disabled"}
_PNP: Final = (
    'wevtutil qe System /c:1 /f:xml /q:"*[System[Provider[@Name='
    "'Microsoft-Windows-UserPnp'] and (EventID=20001 or EventID=20003) and "
    'TimeCreated[timediff(@SystemTime) <= 900000]]]"'
)

_Number = Callable[[PowerSetting], Found]


def windows_items(cycles: int) -> tuple[Item, ...]:
    """Return the checklist for a campaign of so many cycles."""
    return (*_SLEEP, *_PLAN_ITEMS, *_DISTURBERS, *_UNUSUAL_BUILDS, _log_size(cycles))


def _states(replies: Sequence[Reply]) -> Found:
    found = sleep_states(replies[0])
    if "S3" in found:
        return Found(Standing.GOOD, f"offers {', '.join(sorted(found))}")
    if "S0" in found:
        return Found(Standing.CHANGE, "offers Modern Standby (S0) and no S3")
    return Found(Standing.CHANGE, f"offers no S3, only {', '.join(sorted(found)) or 'nothing'}")


def _dword(replies: Sequence[Reply], name: str, wanted: str) -> Found:
    value = registry_values(replies[0]).get(name.lower(), "unset")
    return Found.good_if(value == wanted, f"{name} is {value}")


def _setting(replies: Sequence[Reply], guid: str, judge: _Number) -> Found:
    setting = power_settings(replies[0]).get(guid)
    if setting is None:
        return Found(Standing.UNKNOWN, "the power plan has no such setting")
    return judge(setting)


def _is_zero(what: str, setting: PowerSetting) -> Found:
    good = setting.mains == setting.battery == 0
    return Found.good_if(good, f"{what}: {setting.mains} on mains, {setting.battery} on battery")


def _sleeps(setting: PowerSetting) -> Found:
    texts = [
        _ACTIONS[value] if value < len(_ACTIONS) else f"does {value}"
        for value in (setting.mains, setting.battery)
    ]
    good = setting.mains == setting.battery == 1
    return Found.good_if(good, f"{texts[0]} on mains, {texts[1]} on battery")


def _service(replies: Sequence[Reply]) -> Found:
    start = registry_values(replies[0]).get("start")
    if start is None:
        return Found(Standing.NOTE, "is not installed")
    return Found(Standing.NOTE, f"starts {_STARTS.get(start, start)}")


def _scanner(replies: Sequence[Reply]) -> Found:
    off = registry_values(replies[0]).get("disablerealtimemonitoring") == "1"
    return Found(Standing.NOTE, f"Defender's real-time protection is {'off' if off else 'on'}")


def _drives(replies: Sequence[Reply]) -> Found:
    keys = [key for key in registry_keys(replies[0]) if key.upper().startswith("HKEY_CURRENT_USER")]
    return Found.good_if(not keys, "none for this user", f"{len(keys)} for this user")


def _domain(replies: Sequence[Reply]) -> Found:
    domain = registry_values(replies[0]).get("domain", "")
    return (
        Found(Standing.NOTE, f"belongs to {domain}") if domain else Found(Standing.GOOD, "in none")
    )


def _policies(replies: Sequence[Reply]) -> Found:
    keys = registry_keys(replies[0])
    return Found.good_if(not keys, "none", f"{len(keys)} keys, which override the power plan")


def _filters(replies: Sequence[Reply]) -> Found:
    names = ("uwfvol", "ewf", "fbwf")
    on = [
        name
        for name, reply in zip(names, replies, strict=True)
        if registry_values(reply).get("start") == "0"
    ]
    return Found.good_if(not on, "none", f"{', '.join(on)} loads")


def _boot_option(replies: Sequence[Reply], option: str) -> Found:
    words = registry_values(replies[0]).get("systemstartoptions", "").upper().split()
    on = any(word.partition("=")[0] == option for word in words)
    return Found.good_if(not on, "off", "on")


def _verifier(replies: Sequence[Reply]) -> Found:
    drivers = registry_values(replies[0]).get("verifydrivers")
    return Found.good_if(not drivers, "off", "on")


def _new_driver(replies: Sequence[Reply]) -> Found:
    installed = "<EventID" in replies[0].text
    young = "a driver was installed less than 15 minutes ago"
    return Found.good_if(not installed, "none in the last 15 minutes", young)


def _room(cycles: int, replies: Sequence[Reply]) -> Found:
    found = log_room(*replies)
    if found is None:
        return Found(Standing.UNKNOWN, "its size and its records could not be read")
    needed = round(found[0] * EVENTS_A_CYCLE * cycles)
    text = (
        f"{found[1] / 1e6:.1f} MB at most; {cycles} cycles write about {needed / 1e6:.1f} MB "
        f"({found[0]:.0f} bytes a record)"
    )
    return Found.good_if(needed <= found[1], text)


def _plan_item(name: str, wanted: str, guid: str, judge: _Number, remedy: str) -> Item:
    set_both = " & ".join(
        f"powercfg /set{source}valueindex SCHEME_CURRENT {remedy}" for source in ("ac", "dc")
    )
    return Item(
        name,
        wanted,
        (_PLAN,),
        partial(_setting, guid=guid, judge=judge),
        f"{set_both} & powercfg /setactive SCHEME_CURRENT",
    )


_SLEEP: Final = (
    Item(
        "sleep states",
        "S3 among them, where S3 is to be measured",
        ("powercfg /a",),
        _states,
        "the firmware's set-up (sleep state: S3, or Linux), where it has that choice",
    ),
    Item(
        "fast startup",
        "0: a shutdown would be a hibernation, and the next boot a resume",
        (rf'reg query "{_SESSION}\Power" /v HiberbootEnabled',),
        partial(_dword, name="HiberbootEnabled", wanted="0"),
        rf'reg add "{_SESSION}\Power" /v HiberbootEnabled /t REG_DWORD /d 0 /f',
    ),
)

_PLAN_ITEMS: Final = (
    _plan_item(
        "hybrid sleep",
        "0: it writes an image before S3 and hides time before the sleep",
        "94ac6d29-73ce-41a6-809f-6363ba21b47e",
        partial(_is_zero, "hybrid sleep"),
        "SUB_SLEEP HYBRIDSLEEP 0",
    ),
    _plan_item(
        "sleep time-out",
        "0 (never): only the rig puts the DUT to sleep",
        "29f6c1db-86da-48c5-9fdb-f2b67b1f44da",
        partial(_is_zero, "seconds until sleep"),
        "SUB_SLEEP STANDBYIDLE 0",
    ),
    _plan_item(
        "unattended sleep",
        "0 (never): a wake by lid or timer would end by itself after some minutes",
        "7bc4a2f9-d8fc-4469-b07b-33eb785aaca0",
        partial(_is_zero, "seconds until sleep"),
        "SUB_SLEEP UNATTENDSLEEP 0",
    ),
    _plan_item(
        "hibernation time-out",
        "0 (never): S3 that dozes to hibernate (S4) leaves a record without a measurement",
        "9d7815a6-7ee4-497e-8888-515a05f02364",
        partial(_is_zero, "seconds until hibernation"),
        "SUB_SLEEP HIBERNATEIDLE 0",
    ),
    _plan_item(
        "display time-out",
        "0 (never): the light must go out with the sleep and come back with the wake",
        "3c0bc021-c8a8-4e07-a973-6b14cbcb2b7e",
        partial(_is_zero, "seconds until dark"),
        "SUB_VIDEO VIDEOIDLE 0",
    ),
    _plan_item(
        "wake timers",
        "0 (off): only the rig wakes the DUT",
        "bd3b718a-0680-4d9d-8ab2-e1d2b4ac806d",
        partial(_is_zero, "wake timers"),
        "SUB_SLEEP RTCWAKE 0",
    ),
    _plan_item(
        "logon on resume",
        "0 (none): nobody is there to type a password",
        "0e796bdb-100d-47d6-a2d5-f7d2daa51f51",
        partial(_is_zero, "password asked"),
        "SUB_NONE CONSOLELOCK 0",
    ),
    _plan_item(
        "power button",
        "sleeps",
        "7648efa3-dd9c-4e3e-b566-50f929386280",
        _sleeps,
        "SUB_BUTTONS PBUTTONACTION 1",
    ),
    _plan_item(
        "lid",
        "sleeps, where the lid is moved",
        "5ca83367-6e45-459f-a27b-476b1d01c936",
        _sleeps,
        "SUB_BUTTONS LIDACTION 1",
    ),
)

_DISTURBERS: Final = (
    Item(
        "SysMain (Superfetch)",
        "as shipped, and the same in campaigns that are compared",
        (rf"reg query {_SERVICES}\SysMain /v Start",),
        _service,
        source=f"{EMBEDDED}: Superfetch",
    ),
    Item(
        "Windows Search",
        "as shipped, with its index built before the campaign",
        (rf"reg query {_SERVICES}\WSearch /v Start",),
        _service,
    ),
    Item(
        "virus scanner",
        "as shipped, and the same in campaigns that are compared; others than Defender: by hand",
        (
            r'reg query "HKLM\SOFTWARE\Microsoft\Windows Defender\Real-Time Protection" '
            "/v DisableRealtimeMonitoring",
        ),
        _scanner,
    ),
    Item(
        "scheduled maintenance",
        "1 (off) while the campaign runs: it may wake the DUT and loads it after a wake",
        (
            r'reg query "HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Schedule\Maintenance" '
            "/v MaintenanceDisabled",
        ),
        partial(_dword, name="MaintenanceDisabled", wanted="1"),
        r'reg add "HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Schedule\Maintenance" '
        "/v MaintenanceDisabled /t REG_DWORD /d 1 /f",
    ),
    Item(
        "network drives",
        "none: each is looked for again at logon",
        (r"reg query HKCU\Network",),
        _drives,
        "net use * /d",
        source=f"{ON_OFF}: Network Connection Effects on Performance Measurements",
    ),
    Item(
        "domain",
        "none, or one whose group policies are known",
        (rf"reg query {_SERVICES}\Tcpip\Parameters /v Domain",),
        _domain,
        source=f"{ON_OFF}: Network Connection Effects on Performance Measurements",
    ),
    Item(
        "power policies",
        "none",
        (r"reg query HKLM\SOFTWARE\Policies\Microsoft\Power\PowerSettings",),
        _policies,
        "the domain's administrator, or gpedit.msc",
    ),
)

_UNUSUAL_BUILDS: Final = (
    Item(
        "write filter",
        "off: it keeps files of the OS in memory",
        tuple(rf"reg query {_SERVICES}\{name} /v Start" for name in ("uwfvol", "ewf", "fbwf")),
        _filters,
        "uwfmgr filter disable, then restart",
        source=f"{EMBEDDED}: Superfetch",
    ),
    Item(
        "test-signed drivers",
        "off: what is measured is what is sold, and they add up to 8 s to a boot",
        (r"reg query HKLM\SYSTEM\CurrentControlSet\Control /v SystemStartOptions",),
        partial(_boot_option, option="TESTSIGNING"),
        "bcdedit /set testsigning off, then restart",
        source=f"{ON_OFF}: Other Test Notes",
    ),
    Item(
        "kernel debugger",
        "off: it slows every transition",
        (r"reg query HKLM\SYSTEM\CurrentControlSet\Control /v SystemStartOptions",),
        partial(_boot_option, option="DEBUG"),
        "bcdedit /debug off, then restart",
    ),
    Item(
        "driver verifier",
        "off: it slows drivers down",
        (rf'reg query "{_SESSION}\Memory Management" /v VerifyDrivers',),
        _verifier,
        "verifier /reset, then restart",
    ),
    Item(
        "new drivers",
        "none younger than 15 minutes: their code is being checked",
        (_PNP,),
        _new_driver,
        "wait",
        source=f"{ON_OFF}: Other Test Notes",
    ),
)


def _log_size(cycles: int) -> Item:
    return Item(
        "event log",
        "room for the whole campaign, so that no record is overwritten",
        ("wevtutil gli System", "wevtutil gl System /f:xml"),
        partial(_room, cycles),
        "wevtutil sl System /ms:268435456",
    )
