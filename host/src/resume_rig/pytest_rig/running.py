"""Runs a campaign from the words of a test, and says what JUnit shall know of it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from resume_rig.acceptance.assessment import Assessed
from resume_rig.acceptance.bench_in_use import BenchInUse
from resume_rig.acceptance.campaigning import SUFFIX, run_campaign
from resume_rig.acceptance.durations import named_duration_ns
from resume_rig.analysis.requirement import load_requirement
from resume_rig.campaign.plan import Plan, default_plan, override
from resume_rig.campaign.plan_file import load_plan
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import UsageError
from resume_rig.model.means import SleepBy, SleepMeans, WakeBy, WakeMeans
from resume_rig.model.os_record import SleepKind
from resume_rig.report.hostile_text import encodable, one_line

_NUMBERS: Final = ("cycles", "warm_up")
_TIMES: Final = ("dwell", "settle", "press")
_WAYS: Final[Mapping[str, Mapping[str, SleepBy | WakeBy]]] = {
    "sleep_by": {str(each): each for each in (*Actuator, *SleepMeans)},
    "wake_by": {str(each): each for each in (*Actuator, *WakeMeans)},
}
_WORDS: Final = ("plan", "state", *_NUMBERS, *_WAYS, *_TIMES)


def run_campaign_by_words(
    bench: BenchInUse,
    words: Mapping[str, Any],
    *,
    folder: Path,
    test: str,
    requirement: str,
    log: str | None,
) -> Assessed:
    """Run a campaign into a new store in `folder`, which is named after the test.

    Raises:
        ResumeRigError: as `campaigning.run_campaign`; a word that a plan has not is a UsageError.
    """
    plan, wanted = plan_of(words), load_requirement(requirement)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"could not make the folder {folder} for stores: {error.strerror or error}"
        ) from error
    return run_campaign(bench, plan, _free_store(folder, test), wanted, log=log)


def plan_of(words: Mapping[str, Any]) -> Plan:
    """Return the plan that `words` describe; what they do not name is as in the default plan.

    Raises:
        UsageError: a word or a value that a plan has not.
    """
    unknown = sorted(set(words) - set(_WORDS))
    if unknown:
        raise UsageError(
            f"a campaign has no {unknown[0]!r}; allowed are {', '.join(sorted(_WORDS))}"
        )
    given: dict[str, Any] = {name: words[name] for name in _NUMBERS if name in words}
    for name in _NUMBERS:
        if name in given and (not isinstance(given[name], int) or isinstance(given[name], bool)):
            raise UsageError(f"{name} is {given[name]!r}; it is a whole number")
    for name in _TIMES:
        if name in words:
            given[f"{name}_ns"] = named_duration_ns(name, words[name])
    for name, ways in _WAYS.items():
        if name in words:
            if words[name] not in ways:
                raise UsageError(f"{name} is {words[name]!r}; allowed are {', '.join(ways)}")
            given[name] = ways[words[name]]
    if "state" in words:
        if words["state"] not in list(SleepKind):
            raise UsageError(
                f"state is {words['state']!r}; kinds of sleep are {', '.join(SleepKind)}"
            )
        given["state"] = SleepKind(words["state"])
    plan = default_plan() if words.get("plan") is None else load_plan(str(words["plan"]))
    return override(plan, **given)


def parts_named(names: Sequence[object]) -> list[Channel | Actuator]:
    """Return channels and actuators by their names.

    Raises:
        ValueError: there is none of that name.
    """
    allowed: dict[str, Channel | Actuator] = {str(each): each for each in Channel}
    allowed |= {str(each): each for each in Actuator}
    for name in names:
        if str(name) not in allowed:
            raise ValueError(f"there is no part {name!r}; allowed are {', '.join(Channel)}")
    return [allowed[str(name)] for name in names]


def properties_of(answer: Assessed) -> list[tuple[str, object]]:
    """Return what JUnit shall know of a campaign, as names and values without hostile text."""
    facts, correlation = answer.facts, answer.correlation
    found: list[tuple[str, object]] = [
        ("requirement", f"{facts.requirement.id} version {facts.requirement.version}"),
        ("verdict", correlation.verdict.value),
        ("why", correlation.why),
        ("store", facts.store_path),
        ("dut", facts.identity.get("dut", "")),
    ]
    found += [(f"cycles {outcome}", str(count)) for outcome, count in facts.outcomes.items()]
    for each in correlation.limits:
        if each.worst is not None:
            worst = f"{each.worst:g} {each.limit.unit}"
            found.append((f"worst {each.limit.measure}", worst))
    return [(name, encodable(one_line(str(value)))) for name, value in found]


def _free_store(folder: Path, test: str) -> Path:
    last = test.rpartition("::")[2]
    name = "".join(c if c.isalnum() and c.isascii() else "-" for c in last)[:80] or "campaign"
    for number in range(1, 100_000):
        path = folder / f"{name}-{number}{SUFFIX}"
        if not path.exists():
            return path
    raise UsageError(f"could not make a store in {folder}: there are 99,999 of {name} already")
