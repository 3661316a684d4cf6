"""What Windows' own tools print, read without a localised word: ids, names of values, numbers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from resume_rig.campaign.preparation.item import Reply

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
