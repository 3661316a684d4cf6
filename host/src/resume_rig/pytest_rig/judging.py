"""Asserts how a campaign resumed; a failure shows the phases of the cycle that decides."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from resume_rig.acceptance.assessment import Assessed
    from resume_rig.acceptance.expectations import Expectation


def assert_resume(
    answer: "Assessed",
    *,
    within: str | None = "2 s",
    light_within: str | None = None,
    bios_within: str | None = None,
    share: float | None = None,
) -> None:
    """Assert that every cycle slept and woke, and resumed in time.

    Args:
        answer: what the fixture `campaign` returned.
        within: total resume time, OS-reported; None: not asked.
        light_within: the press, or the lid's opening, to the display's light; None: not asked.
        bios_within: the BIOS time that the OS reports; None: not asked.
        share: so many cycles have to conform, 0.5 to 0.9999, shown with 95 % confidence; None:
            all of them.

    Raises:
        AssertionError: they did not; the text has the reason and the phases.
        UsageError: a time without a unit, or a share out of its range.
    """
    __tracebackhide__ = True
    from resume_rig.acceptance.expectations import limit_on, slept_and_woke, time_conforms
    from resume_rig.model.errors import UsageError
    from resume_rig.model.result.cycle import IntervalName
    from resume_rig.model.result.verdict import BIOS, RESUME
    from resume_rig.model.units import named_duration_ns

    asked = {
        "within": (RESUME, within),
        "light_within": (IntervalName.PRESS_TO_LIGHT.value, light_within),
        "bios_within": (BIOS, bios_within),
    }
    kinds = answer.facts.requirement.kinds
    try:
        limits = [
            limit_on(measure, named_duration_ns(name, text), kinds, share=share)
            for name, (measure, text) in asked.items()
            if text is not None
        ]
    except UsageError as error:
        # The test's own line is shown, and none of the frames behind it.
        raise error.with_traceback(None) from None
    found = [time_conforms(answer.correlation, limit) for limit in limits]
    failed = [each for each in (slept_and_woke(answer.correlation), *found) if not each.ok]
    if failed:
        raise AssertionError("\n".join(_failure_lines(answer, failed)))


def _failure_lines(answer: "Assessed", failed: "list[Expectation]") -> list[str]:
    from resume_rig.acceptance.expectations import explained_cycle
    from resume_rig.report.text.hostile_text import encodable, one_line

    lines = [one_line(each.text, 2_000) for each in failed]
    decisive = {e.decisive.outside.number: e.decisive for e in failed if e.decisive is not None}
    for _, cycle in sorted(decisive.items()):
        lines += explained_cycle(cycle)
    lines.append(f"store: {answer.facts.store_path}")
    return [encodable(line) for line in lines]
