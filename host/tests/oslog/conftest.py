"""Event XML as a DUT writes it, made from a few values."""

from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pytest

from resume_rig.model.os_record import LogReading
from resume_rig.oslog.reading import read_logs

PROVIDERS = {
    "PT": ("Microsoft-Windows-Power-Troubleshooter", "{cdc05e28-c449-49c6-b9d2-88cf761644df}"),
    "KP": ("Microsoft-Windows-Kernel-Power", "{331c3b3a-2005-44c2-ac5e-77220c37d6b4}"),
    "KG": ("Microsoft-Windows-Kernel-General", "{a68ca8b7-004f-d7b6-a698-07e2de0f1f5d}"),
    "KB": ("Microsoft-Windows-Kernel-Boot", "{15ca44ff-4d7a-4baa-bba5-0998955e531e}"),
    "SCM": ("Service Control Manager", "{555908d1-a6d7-4695-8e1e-26931d2012f4}"),
}
S3_ACCOUNT = {
    "SleepTime": "2024-05-01T10:00:00.1234567Z",
    "WakeTime": "2024-05-01T10:01:00.7654321Z",
    "SleepDuration": 1500,
    "WakeDuration": 900,
    "DriverInitDuration": 800,
    "BiosInitDuration": 700,
    "HiberWriteDuration": 0,
    "HiberReadDuration": 0,
    "HiberPagesWritten": 0,
    "TargetState": 4,
    "EffectiveState": 4,
    "WakeSourceType": 1,
    "WakeSourceText": "",
}
ALL_ZERO = dict.fromkeys(
    (
        "SleepDuration",
        "WakeDuration",
        "DriverInitDuration",
        "BiosInitDuration",
        "HiberWriteDuration",
        "HiberReadDuration",
    ),
    0,
)


class EventWriter:
    """Writes events; numbers them from 1 where no record id is given."""

    def __init__(self) -> None:
        self.next_id = 1

    def event(
        self,
        provider: str,
        event_id: int,
        values: dict[str, object],
        record_id: object = None,
        *,
        prefix: str = "",
        quote: str = '"',
    ) -> str:
        if record_id is None:
            record_id = self.next_id
        if isinstance(record_id, int):
            self.next_id = record_id + 1
        name, guid = PROVIDERS[provider]
        colon = f"{prefix}:" if prefix else ""
        xmlns = f"xmlns:{prefix}" if prefix else "xmlns"
        data = "".join(
            f"<{colon}Data Name={quoteattr(key)}>{escape(str(value))}</{colon}Data>"
            for key, value in values.items()
        )
        text = (
            f'<{colon}Event {xmlns}="http://schemas.microsoft.com/win/2004/08/events/event">'
            f'<{colon}System><{colon}Provider Name="{name}" Guid="{guid}"/>'
            f"<{colon}EventID>{event_id}</{colon}EventID><{colon}Version>3</{colon}Version>"
            f'<{colon}TimeCreated SystemTime="2024-05-01T10:01:02.5000000Z"/>'
            f"<{colon}EventRecordID>{record_id}</{colon}EventRecordID></{colon}System>"
            f"<{colon}EventData>{data}</{colon}EventData></{colon}Event>"
        )
        return text if quote == '"' else text.replace('"', quote)

    def account(self, record_id: object = None, **values: object) -> str:
        return self.event("PT", 1, {**S3_ACCOUNT, **values}, record_id)

    def account_without_durations(self, **values: object) -> str:
        return self.account(**{**ALL_ZERO, **values})

    def boot(self, build: object, record_id: object = None) -> str:
        return self.event("KG", 12, {"BuildVersion": build}, record_id)

    def asleep(self) -> str:
        return self.event("KP", 42, {"TargetState": 4, "EffectiveState": 4})

    def wake(self, full_resume_ms: object = 600, count: object = 1) -> list[str]:
        return [
            self.event("KP", 107, {"TargetState": 4, "EffectiveState": 4}),
            self.event("KG", 1, {"NewTime": "2024-05-01T10:01:00.5000000Z", "Reason": 2}),
            self.event("KP", 131, {"ResumeCount": count, "FullResume": full_resume_ms}),
            self.event("KP", 130, {"SuspendStart": 1, "SuspendEnd": 3}),
        ]

    def cycle(self, full_resume_ms: object = 600, count: object = 1, **values: object) -> list[str]:
        return [self.asleep(), *self.wake(full_resume_ms, count), self.account(**values)]

    def other(self) -> str:
        return self.event("SCM", 7036, {"param1": "Windows Update", "param2": "stopped"})


@pytest.fixture
def write() -> EventWriter:
    return EventWriter()


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., LogReading]:
    """Reads events, or a whole text, or bytes, through a file."""

    def read_content(
        content: list[str] | str | bytes, *, keep_text: bool = False, name: str = "log.bin"
    ) -> LogReading:
        if isinstance(content, list):
            content = "<Events>\n" + "\n".join(content) + "\n</Events>\n"
        if isinstance(content, str):
            content = content.encode()
        path = tmp_path / name
        path.write_bytes(content)
        return read_logs([path], keep_text=keep_text)

    return read_content
