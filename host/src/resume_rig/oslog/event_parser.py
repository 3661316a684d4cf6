"""One `<Event>` element to an Event, where its provider matters."""

import re
from functools import lru_cache
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.oslog.event import RELEVANT_EVENT_IDS, Event, Provider, provider_of
from resume_rig.oslog.event_fields import EventFields, read_full, read_plain
from resume_rig.oslog.problems import Problem, ProblemTally
from resume_rig.oslog.timestamps import parse_utc_ns, parse_whole

_UINT64_MAX: Final = (1 << 64) - 1
_RELEVANT_WORDS: Final = (
    *("Power-Troubleshooter", "Kernel-Power", "Kernel-General", "Kernel-Boot"),
    *(spelt for provider in Provider for spelt in (provider.value[:8], provider.value[:8].upper())),
)
_RELEVANT: Final = re.compile("|".join(map(re.escape, _RELEVANT_WORDS)))
_HEAD_END: Final = "<EventID"  # what stands before it is the same in all events of a provider
_HEAD_LIMIT_CHARS: Final = 800
# The first provider of System is the one that counts; here it stands where it always does.
_PROVIDER: Final = re.compile(
    r"<Event[^<>&]{0,200}>[ \r\n]{0,16}<System>[ \r\n]{0,16}<Provider ([^<>&]{1,500})>"
)
_EVENT_ID: Final = re.compile(r"EventID[^<>]{0,80}>[ \t\r\n]{0,80}([0-9]{1,9})[ \t\r\n]{0,80}<")


def is_relevant(text: str) -> bool:
    """Whether an event's text is worth parsing: a cheap test that passes every relevant event."""
    head_chars = text.find(_HEAD_END)
    head_tells = None
    if 0 < head_chars <= _HEAD_LIMIT_CHARS:
        head_tells = _head_names_provider(text[:head_chars])
    if head_tells is False or (head_tells is None and not _names_provider(text)):
        return False
    event_ids = _EVENT_ID.findall(text)
    return not event_ids or any(int(event_id) in RELEVANT_EVENT_IDS for event_id in event_ids)


def _names_provider(text: str) -> bool:
    return _RELEVANT.search(text) is not None


@lru_cache(maxsize=256)  # a log has few providers; a head is short
def _head_names_provider(head: str) -> bool | None:
    """Return whether the first provider matters; None where it does not stand as it always does."""
    provider = _PROVIDER.match(head)
    return None if provider is None else _names_provider(provider[1])


def parse_event(
    text: str, tally: ProblemTally, *, keep_text: bool, written: str = ""
) -> Event | None:
    """Return the event that one `<Event>` element tells of; None where its provider is another.

    Args:
        text: the element and nothing around it.
        tally: takes the times and numbers that could not be read.
        keep_text: whether the event carries `text` as it was read.
        written: when it was written, where something better than its TimeCreated is known.

    Raises:
        RecordError: the element is not well formed, or declares entities.
    """
    fields = read_plain(text) or read_full(text)
    return event_of(fields, tally, text=text if keep_text else "", written=written)


def event_of(
    fields: EventFields, tally: ProblemTally, *, text: str = "", written: str = ""
) -> Event | None:
    """Return the event that has these fields; None where its provider is another."""
    provider = provider_of(fields.guid, fields.name)
    if provider is None:
        return None
    event_id = _whole(fields.event_id, tally)
    if event_id is None:
        return None
    version = fields.version
    return Event(
        provider=provider,
        event_id=event_id,
        version=_whole(version, tally) if version.isdecimal() else None,  # some write "None"
        record_id=_whole(fields.record_id, tally),
        time_utc_ns=_time(written or fields.time_created, tally),
        data=fields.data,
        text=text,
    )


def _whole(text: str, tally: ProblemTally) -> int | None:
    try:
        return parse_whole(text, maximum=_UINT64_MAX)
    except RecordError:
        tally.count(Problem.BAD_NUMBER)
        return None


def _time(text: str, tally: ProblemTally) -> int | None:
    try:
        return parse_utc_ns(text)
    except RecordError:
        tally.count(Problem.BAD_TIME)
        return None
