"""One transition as PwrTest writes it, in XML or text, to an OS record."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import LogSource, OsRecord, SleepKind, WakeSource
from resume_rig.oslog.problems import Problem, ProblemTally
from resume_rig.oslog.source_reading import SourceReading, SourceRequest
from resume_rig.oslog.timestamps import parse_utc_ns, parse_whole

IDENTITY_LIMIT: Final = 128
"""How many (name, value) pairs of a log's head are kept."""

_NAME_LIMIT_CHARS: Final = 64
_VALUE_LIMIT_CHARS: Final = 200
_UINT32_MAX: Final = (1 << 32) - 1
# Every spelling of both generations of XML, the console and the log, without case.
_FIELDS: Final[Mapping[str, str]] = {
    "sleeptimems": "sleep",
    "suspend": "suspend",
    "suspendtimems": "suspend",
    "resume": "wake",
    "resumetimems": "wake",
    "driverinit": "driver",
    "driverinittimems": "driver",
    "driverwaketimems": "driver",
    "biosinit": "bios",
    "biosinittimems": "bios",
    "hiberread": "hiber_read",
    "hiberreadtimems": "hiber_read",
    "hiberwrite": "hiber_write",
    "hiberwritetimems": "hiber_write",
    "hiberpageswritten": "hiber_pages",
    "targetstate": "target",
    "effectivestate": "effective",
    "startt": "start",
    "transition starttime": "start",
    "endt": "end",
    "transition endtime": "end",
}
_STATE: Final = re.compile(r"S?([0-5])(?:\b.*)?", re.IGNORECASE)
_STATE_NAMES: Final[Mapping[str, int]] = {"hibernate": 4, "powersystemhibernate": 4}
# Sx to the SYSTEM_POWER_STATE that event logs record.
_POWER_STATES: Final[Mapping[int, int]] = {0: 1, 1: 2, 2: 3, 3: 4, 4: 5, 5: 6}
_KINDS: Final[Mapping[tuple[int | None, int | None], SleepKind]] = {
    (1, 1): SleepKind.S1,
    (3, 3): SleepKind.S3,
    (3, 4): SleepKind.HYBRID,
    (4, 4): SleepKind.S4,
}
_DURATIONS: Final = ("sleep", "suspend", "wake", "driver", "bios", "hiber_read", "hiber_write")
_GOOD_STATUS: Final = frozenset(
    {"", "0", "0x0", "0x00000000", "pass", "passed", "success", "succeeded", "ok"}
    | {"complete", "completed", "true", "s_ok", "(null)"}
)
_ZONED: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]{1,40}(?:Z|[+-][0-9]{2}:?[0-9]{2})"
)
_CLOCK_TEXT: Final = re.compile(r"[0-9]{1,4}:[0-9]{2}:[0-9]{2}(?:[.:]{1,2}[0-9]{1,9})?")
_WORD_START: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(slots=True)
class PwrTestTransition:
    """What was read of one transition so far.

    Attributes:
        number: as the log counts, None where it gives none.
        status: as recorded, empty where there is none.
        values: raw texts by the account's own names; the first of a name counts.
        text: original lines, where they are kept.
    """

    number: str = ""
    status: str = ""
    values: dict[str, str] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)

    def take(self, name: str, value: str) -> bool:
        """Keep a value; whether its name is one that PwrTest is known to write."""
        known = _FIELDS.get(name.strip().lower())
        if known is None:
            return False
        self.values.setdefault(known, value.strip())
        return True


class PwrTestAccounts:
    """Collects a log's transitions and what its head says of the DUT."""

    def __init__(self, request: SourceRequest, kind: str) -> None:
        self.tally = ProblemTally()
        self.os_build: int | None = None
        self._request = request
        self._kind = kind
        self._records: list[OsRecord] = []
        self._identity: dict[str, str] = {}
        self._local_times = False
        self._failed: list[str] = []
        self._strange_states: list[str] = []

    def identify(self, name: str, value: str) -> None:
        """Keep what the log says of the DUT, e.g. `SystemManufacturer`; the first counts."""
        key = snake_case(name)
        if key and len(self._identity) < IDENTITY_LIMIT:
            self._identity.setdefault(key, value.strip()[:_VALUE_LIMIT_CHARS])
        if key == "os_build_number" and self.os_build is None:
            self.os_build = self._whole(value) or None

    def add(self, transition: PwrTestTransition) -> None:
        """Make one transition a record."""
        failed = transition.status.strip().lower() not in _GOOD_STATUS
        if failed:
            self._failed.append(transition.status.strip()[:_NAME_LIMIT_CHARS])
        times = {name: self._whole(transition.values.get(name, "")) for name in _DURATIONS[1:]}
        times["sleep"] = self._sleep_time(transition.values.get("sleep", ""))
        measured = any(times.values()) and not failed
        target, effective = (self._state(transition.values, n) for n in ("target", "effective"))
        kind = _KINDS.get((target, effective), SleepKind.UNKNOWN)
        ms = times if measured else dict.fromkeys(_DURATIONS)
        pages = self._whole(transition.values.get("hiber_pages", ""))
        suspend_ms = ms["suspend"]
        self._records.append(
            OsRecord(
                source=self._request.source,
                record_id=self._whole(transition.number),
                kind=kind if measured else SleepKind.ABORTED,
                sleep_time_utc_ns=self._time(transition.values.get("start", "")),
                wake_time_utc_ns=self._time(transition.values.get("end", "")),
                written_utc_ns=None,
                sleep_ms=ms["sleep"] if suspend_ms is None else suspend_ms,
                wake_ms=ms["wake"],
                driver_init_ms=ms["driver"] or None,
                bios_init_ms=ms["bios"] or None,
                firmware_resume_ms=None,
                firmware_resume_count=None,
                hiber_read_ms=ms["hiber_read"] or None,
                hiber_write_ms=ms["hiber_write"] or None,
                hiber_pages=(pages or None) if measured else None,
                wake_source=WakeSource(None, "unknown", ""),
                target_state=None if target is None else _POWER_STATES[target],
                effective_state=None if effective is None else _POWER_STATES[effective],
                os_build=self.os_build,
                text="\n".join(transition.text),
            )
        )

    def finish(self) -> SourceReading:
        """Return all that the log told."""
        if self._failed:
            quoted = ", ".join(repr(status) for status in list(dict.fromkeys(self._failed))[:3])
            self.tally.tell(
                f"Transitions with another status than success ({quoted}), whose times therefore"
                f" do not count: {len(self._failed)} of {len(self._records)}.",
                damage=False,
            )
        if self._strange_states:
            self.tally.tell(
                f"Sleep states that are not known (S1, S3, S4), so that their kind is unknown:"
                f" {len(self._strange_states)}, the first {self._strange_states[0]!r}.",
                damage=False,
            )
        if self._local_times:
            self.tally.tell(
                "Times of day are local and the log names no zone, so sleep and wake times count"
                " as not reported.",
                damage=False,
            )
        if not self._records:
            self.tally.tell(
                "The log holds no transition, so it shows nothing, whatever its last line says.",
                damage=False,
            )
        source = LogSource(
            path=str(self._request.path),
            kind=self._kind,
            os_build=self.os_build,
            records=len(self._records),
            integrity=self.tally.integrity(),
            identity=tuple(self._identity.items()),
        )
        return SourceReading(source, tuple(self._records))

    def _whole(self, text: str) -> int | None:
        try:
            return parse_whole(text, _UINT32_MAX)
        except RecordError:
            self.tally.count(Problem.BAD_NUMBER)
            return None

    def _sleep_time(self, text: str) -> int | None:
        """Milliseconds; some versions write hh:mm:ss there, the length of the whole cycle."""
        return None if _CLOCK_TEXT.fullmatch(text) else self._whole(text)

    def _time(self, text: str) -> int | None:
        if not text:
            return None
        if not _ZONED.fullmatch(text):
            self._local_times = True
            return None
        try:
            return parse_utc_ns(text)
        except RecordError:
            self.tally.count(Problem.BAD_TIME)
            return None

    def _state(self, values: Mapping[str, str], name: str) -> int | None:
        text = values.get(name, "")
        if not text:
            return None
        match = _STATE.fullmatch(text)
        number = _STATE_NAMES.get(text.lower()) if match is None else int(match[1])
        if number is None:
            self._strange_states.append(text[:_NAME_LIMIT_CHARS])
        return number


def snake_case(name: str) -> str:
    """Return a name of a log's head as identity has them: SystemProductName, system_product."""
    words = re.sub(r"[^0-9A-Za-z]+", "_", _WORD_START.sub("_", name.strip())).strip("_")
    key = words.lower()[:_NAME_LIMIT_CHARS]
    return "system_product" if key == "system_product_name" else key
