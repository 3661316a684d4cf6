"""What a report says of the machine that it was made on; its computer name is left out."""

import re
from collections.abc import Mapping
from typing import Final

SYSTEM_NAMES: Final[Mapping[str, str]] = {
    "SystemManufacturer": "system_manufacturer",
    "SystemProductName": "system_product",
    "BIOSVersion": "bios_version",
    "BIOSDate": "bios_date",
    "OSBuild": "os_build",
    "OSVer": "os_version",
    "PlatformRole": "platform_role",
    "ConnectedStandby": "modern_standby",
}
"""Fields of SystemInformation and the names of their pairs in LogSource.identity."""

BUILD: Final = re.compile(
    r"([0-9]{4,6})\.[0-9]{1,6}\.[a-z0-9]{1,12}\.[a-z0-9_\-]{1,64}\.[0-9\-]{1,24}"
)
_VALUE_LIMIT_CHARS: Final = 200


def build_of(os_build: str) -> int | None:
    """Return the build number of a build's full name, e.g. 26100 of "26100.1.amd64fre..."."""
    match = BUILD.match(os_build.strip())
    return None if match is None else int(match[1])


def identity_of(names: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the pairs, without empty ones and without blanks around."""
    found = ((name, " ".join(value.split())) for name, value in names.items())
    return tuple((name, value[:_VALUE_LIMIT_CHARS]) for name, value in found if value)
