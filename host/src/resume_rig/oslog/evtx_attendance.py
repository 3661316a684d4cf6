"""Which records of an EVTX file are present, held against those that its chunks promise."""

from itertools import pairwise
from typing import Final

from resume_rig.oslog.evtx_audit import EvtxChunk
from resume_rig.oslog.problems import ProblemTally

_MISSING_RANGES_TOLD: Final = 20


class Attendance:
    """Counts the records of the sound chunks."""

    def __init__(self) -> None:
        self.records = 0
        self._refused = 0
        self._present: dict[EvtxChunk, int] = {}

    def admit(self, chunk: EvtxChunk, present: int, refused: int) -> None:
        """Count records of a sound chunk that are there, and such that its header denies."""
        self.records += present
        self._refused += refused
        self._present[chunk] = self._present.get(chunk, 0) + present

    @property
    def last_id(self) -> int:
        """The highest record that a sound chunk promises; 0 without one."""
        return max((chunk.last_id or 0 for chunk in self._present), default=0)

    def tell(self, tally: ProblemTally) -> None:
        """Note the records that are missing."""
        for chunk, present in self._present.items():
            if present < chunk.expected:
                tally.tell(
                    f"{chunk.expected - present} of the records {chunk.first_id} to"
                    f" {chunk.last_id} could not be parsed, so what they told is unknown.",
                    damage=True,
                )
        gaps = self._gaps()
        for first, last in gaps[:_MISSING_RANGES_TOLD]:
            tally.tell(
                f"The records {first} to {last} are missing, so what they told is unknown.",
                damage=True,
            )
        if len(gaps) > _MISSING_RANGES_TOLD:
            more = len(gaps) - _MISSING_RANGES_TOLD
            tally.tell(f"{more} more ranges of records are missing.", damage=True)
        if self._refused:
            tally.tell(
                f"Records that no intact chunk holds were not used: {self._refused}.", damage=True
            )

    def _gaps(self) -> list[tuple[int, int]]:
        """Return first and last id of each range between chunks that no sound chunk holds.

        An export may leave ids out; then the chunks' record numbers still follow each other.
        """
        chunks = sorted(self._present, key=lambda chunk: chunk.first_id or 0)
        return [
            ((one.last_id or 0) + 1, (other.first_id or 0) - 1)
            for one, other in pairwise(chunks)
            if other.first_number > one.last_number + 1
            and (other.first_id or 0) > (one.last_id or 0) + 1
        ]
