from typing import Any

import pytest

from resume_rig.analysis.findings.groups import grouped_findings
from resume_rig.model.result.verdict import Finding, FindingKind
from resume_rig.report.text.findings import (
    cycle_ranges,
    shared_findings,
)


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([], ""),
        ([3], "3"),
        ([1, 2, 3, 7], "1-3, 7"),
        ([7, 1, 2, 2], "1-2, 7"),
        (list(range(1, 40, 2)), "1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, and 8 more"),
    ],
    ids=["none", "one", "range", "unsorted and double", "bounded"],
)
def test_cycle_numbers_are_written_as_ranges(numbers: list[int], text: str) -> None:
    assert cycle_ranges(numbers) == text


def test_rare_kinds_come_first(samples: Any) -> None:
    common = Finding(FindingKind.BIOS_OVER_ADVISED, "BIOS took long.")
    cycles = [samples.cycle(n, findings=[common]) for n in (1, 2, 3)]
    groups = grouped_findings([*cycles, samples.never_woke(4)])
    assert [(g.kind, len(g.members)) for g in groups] == [
        (FindingKind.NEVER_WOKE, 1),
        (FindingKind.BIOS_OVER_ADVISED, 3),
    ]


def test_what_is_told_of_several_cycles_word_for_word_is_told_once(samples: Any) -> None:
    same = Finding(FindingKind.BIOS_OVER_ADVISED, "BIOS took long.", {"ms": 300})
    other = Finding(FindingKind.BIOS_OVER_ADVISED, "BIOS took long.", {"ms": 301})
    told = zip((1, 2, 3, 4), (same, other, same, same), strict=True)
    (group,) = grouped_findings([samples.cycle(n, findings=[f]) for n, f in told])
    assert [(s.cycles, s.finding) for s in shared_findings(group)] == [
        ((1, 3, 4), same),
        ((2,), other),
    ]
