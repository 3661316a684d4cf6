"""What went wrong in a source, counted while it is read and reported in one sentence a kind."""

from collections import Counter
from enum import Enum, unique
from typing import Final

from resume_rig.model.os_record import Integrity


@unique
class Problem(Enum):
    """A kind of problem: the sentence for one, the one for many, whether the source is damaged.

    The sentence for many holds the number as {count}. A problem that is no damage is mentioned
    and leaves `Integrity.ok` true: nothing is missing because of it.
    """

    MALFORMED = (
        "1 event is not well formed, so its content is unknown.",
        "{count} events are not well formed, so their content is unknown.",
        True,
    )
    CUT = (
        "The log ends inside an event, so that event and all after it are unknown.",
        "The log ends inside {count} events, so they and all after them are unknown.",
        True,
    )
    OPEN_ROOT = (
        "The log ends before its closing </Events>, so later events may be missing.",
        "{count} <Events> elements are not closed, so later events may be missing.",
        True,
    )
    OVERSIZED = (
        "1 event is longer than 1 MiB and was skipped, so its content is unknown.",
        "{count} events are longer than 1 MiB and were skipped, so their content is unknown.",
        True,
    )
    STRAY_TEXT = (
        "1 place between events holds text that is no event, so an event may be missing there.",
        "{count} places between events hold text that is no event, so events may be missing there.",
        True,
    )
    UNDECODABLE = (
        "1 block holds bytes not valid in the log's encoding, so texts may be wrong.",
        "{count} blocks hold bytes not valid in the log's encoding, so texts may be wrong.",
        True,
    )
    FALLBACK = (
        "1 block is no UTF-8 and was read as Windows-1252, so texts may be wrong.",
        "{count} blocks are no UTF-8 and were read as Windows-1252, so texts may be wrong.",
        False,
    )
    UNNAMED = (
        "1 event has values without names in a layout that is not known, so its content is"
        " unknown.",
        "{count} events have values without names in a layout that is not known, so their content"
        " is unknown.",
        True,
    )
    BAD_TIME = (
        "1 time could not be read and counts as not reported.",
        "{count} times could not be read and count as not reported.",
        True,
    )
    BAD_NUMBER = (
        "1 number could not be read and counts as not reported.",
        "{count} numbers could not be read and count as not reported.",
        True,
    )
    ABSURD_RESUME = (
        "1 FullResume of Kernel-Power 131 is longer than 10 minutes and counts as not reported.",
        "{count} FullResume values of Kernel-Power 131 are longer than 10 minutes and count as"
        " not reported.",
        False,
    )
    ABSURD_FIRMWARE_TIME = (
        "1 time of the firmware (Kernel-Power 130 or 131, Kernel-Boot 30) is longer than 10 minutes"
        " or negative and counts as not reported.",
        "{count} times of the firmware (Kernel-Power 130 or 131, Kernel-Boot 30) are longer than 10"
        " minutes or negative and count as not reported.",
        False,
    )
    ABSURD_RESIDENCY = (
        "1 Modern Standby session reports a residency longer than itself, so its share is unknown.",
        "{count} residencies are longer than their Modern Standby session, so their shares are"
        " unknown.",
        False,
    )
    ABSURD_DELAY = (
        "1 time of Diagnostics-Performance is longer than a day and counts as not reported.",
        "{count} times of Diagnostics-Performance are longer than a day and count as not reported.",
        False,
    )
    TOO_MANY_DELAYS = (
        "1 delay beyond the 500 of one transition was left out.",
        "{count} delays beyond the 500 of one transition were left out.",
        False,
    )
    OPEN_SESSION = (
        "1 Modern Standby session has no end in the log, so nothing is known of it.",
        "{count} Modern Standby sessions have no end in the log, so nothing is known of them.",
        False,
    )
    WAKE_BEFORE_SLEEP = (
        "1 record has a WakeTime before its SleepTime; both are kept as they stand.",
        "{count} records have a WakeTime before their SleepTime; both are kept as they stand.",
        False,
    )
    REPEATED = (
        "1 Power-Troubleshooter event occurs again word for word and was used once.",
        "{count} Power-Troubleshooter events occur again word for word and were used once.",
        False,
    )

    def __init__(self, one: str, many: str, damage: bool) -> None:
        self.one = one
        self.many = many
        self.damage = damage


_EXAMPLE_CHARS: Final = 120
_SOUND = Integrity(ok=True, problems=())


class ProblemTally:
    """Counts problems of one source; costs the same for one as for a million."""

    def __init__(self) -> None:
        self._counts: Counter[Problem] = Counter()
        self._sentences: list[tuple[str, bool]] = []
        self._strange: dict[str, tuple[int, str]] = {}

    def count(self, problem: Problem) -> None:
        """Note one more of a kind."""
        self._counts[problem] += 1

    def report(self, sentence: str, *, damage: bool) -> None:
        """Note a problem that has a sentence of its own."""
        self._sentences.append((sentence, damage))

    def not_understood(self, what: str, example: str) -> None:
        """Note one more thing of a reader's own kind that it could not tell; the first is quoted.

        Args:
            what: the kind, in the plural, e.g. "lines of the kernel about sleep".
            example: the thing itself; hostile.
        """
        count, first = self._strange.get(what, (0, example))
        self._strange[what] = count + 1, first

    def report_count(self, sentence: str, count: int, *, damage: bool) -> None:
        """Note what `count` things have in common, the number in place of {}; 0 is no problem."""
        if count:
            self.report(sentence.format(count), damage=damage)

    def add(self, other: "ProblemTally") -> None:
        """Take over all that another tally holds."""
        self._counts.update(other._counts)
        self._sentences.extend(other._sentences)
        for what, (count, example) in other._strange.items():
            known, first = self._strange.get(what, (0, example))
            self._strange[what] = known + count, first

    def integrity(self) -> Integrity:
        """Return what was noted, in a fixed order."""
        if not (self._counts or self._sentences or self._strange):
            return _SOUND
        strange = tuple(
            f"Not understood: {count} of the {what}, the first {first[:_EXAMPLE_CHARS]!a}."
            for what, (count, first) in self._strange.items()
        )
        found = [*((text, True) for text in strange), *self._sentences]
        for problem in Problem:
            count = self._counts[problem]
            if count:
                text = problem.one if count == 1 else problem.many.format(count=count)
                found.append((text, problem.damage))
        return Integrity(
            ok=not any(damage for _, damage in found),
            problems=tuple(text for text, _ in found),
            notes=tuple(text for text, damage in found if not damage),
            not_understood=strange,
        )
