"""Asks a DUT for everything on its checklist; changes nothing there."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from resume_rig.campaign.dut_kind import PROBE, DutKind, kind_of
from resume_rig.campaign.dut_shell import Answer
from resume_rig.campaign.preparation.item import Item, Reply
from resume_rig.campaign.preparation.linux_items import linux_items
from resume_rig.campaign.preparation.windows_items import windows_items
from resume_rig.model.preparation import Prepared

REPLY_BYTES: Final = 1 << 20
"""What is looked at of one answer; the longest honest one (a whole power plan) has 60 kB."""

Run = Callable[[str], Answer]


def items_for(kind: DutKind, cycles: int) -> tuple[Item, ...]:
    """Return the checklist for one kind of DUT and a campaign of so many cycles."""
    return linux_items() if kind is DutKind.LINUX else windows_items(cycles)


def look_at(run: Run, cycles: int) -> Iterator[Prepared]:
    """Yield every item with what the DUT says of it; each question is asked once.

    Raises:
        RecordError: the DUT cannot be reached.
    """
    answers: dict[str, Reply] = {}

    def reply_to(question: str) -> Reply:
        if question not in answers:
            answers[question] = _reply(run(question))
        return answers[question]

    for item in items_for(kind_of(run(PROBE)), cycles):
        yield prepared(item, [reply_to(question) for question in item.questions])


def prepared(item: Item, replies: Sequence[Reply]) -> Prepared:
    """Return an item with what the replies mean."""
    return Prepared(item.told, item.judge(replies))


def _reply(answer: Answer) -> Reply:
    # Tools of a localised Windows write in its own code page; what is read of them is ASCII.
    return Reply(answer.status, answer.output[:REPLY_BYTES].decode("utf-8", "replace"))
