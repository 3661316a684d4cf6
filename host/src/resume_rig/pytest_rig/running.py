"""The DUT and campaigns for a pytest test (and for labgrid): words and units in, ns out."""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

from resume_rig.acceptance.assessment import Assessed
from resume_rig.acceptance.bench import BenchInUse
from resume_rig.acceptance.campaign import SUFFIX, run_campaign
from resume_rig.acceptance.single_actions import SingleActions
from resume_rig.acceptance.whole_file import file_stem, free_path
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.plan.plan_file import load_plan, parse_plan
from resume_rig.campaign.plan.words import KEYWORDS
from resume_rig.model.channel import Actuator, Channel, WakeBy, WakeMeans
from resume_rig.model.errors import UsageError
from resume_rig.model.evidence import evidence_text
from resume_rig.model.units import named_duration_ns
from resume_rig.report.text.hostile_text import encodable, one_line

_Each = TypeVar("_Each")


def _at_the_tests_line(given: type[_Each]) -> type[_Each]:
    """Let a mistake in a call show the test's own line, and none of the frames behind it."""

    def told(method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def call(*args: Any, **words: Any) -> Any:
            __tracebackhide__ = True
            try:
                return method(*args, **words)
            except UsageError as error:
                raise error.with_traceback(None) from None

        return call

    for name, method in list(vars(given).items()):
        if not name.startswith("_"):
            setattr(given, name, told(method))
    return given


@_at_the_tests_line
class Dut:
    """One press, one move of the lid, one sleep, one wake; see `single_actions`.

    Every method may raise UsageError, for a word that is none or a part that the bench has not,
    DeviceFault where the board refuses, and DutFault where the DUT does not do it.
    """

    def __init__(self, bench: BenchInUse) -> None:
        self._hands = SingleActions(bench)

    def press(self, length: str = "150 ms", *, force_off: bool = False) -> int | None:
        """Press the button; return how long the header saw it [ns], None where it saw none."""
        length_ns = named_duration_ns("length", length)
        return self._hands.press(length_ns, force_off=force_off).width_ns

    def close_lid(self) -> None:
        """Close the lid; the board opens it when it hears nothing for its lease."""
        self._hands.move_lid(closed=True)

    def open_lid(self) -> None:
        """Open the lid."""
        self._hands.move_lid(closed=False)

    def press_key(self, length: str = "150 ms") -> None:
        """Press the key of the keyboard that the board is; fails where the DUT had none of it."""
        self._hands.press_key(named_duration_ns("length", length))

    def close_contact(self) -> None:
        """Close the dry contact; the board opens it when it hears nothing for its lease."""
        self._hands.set_contact(closed=True)

    def open_contact(self) -> None:
        """Open the dry contact."""
        self._hands.set_contact(closed=False)

    def send_magic_packet(self) -> None:
        """Send the packet that wakes the DUT's network adapter."""
        self._hands.send_magic_packet()

    def put_to_sleep(self, by: str = "BUTTON", *, timeout: str = "60 s") -> int:
        """Put the DUT to sleep; return the time from the trigger to sleep entry [ns]."""
        return self._hands.put_to_sleep(actuator_named(by), named_duration_ns("timeout", timeout))

    def stay_asleep(self, time: str) -> None:
        """Watch a DUT that sleeps, and see that nothing wakes it."""
        self._hands.stay_asleep(named_duration_ns("time", time))

    def wake(self, by: str = "BUTTON", *, timeout: str = "60 s") -> int:
        """Wake the DUT; return the time from the trigger to the last sign of it [ns]."""
        return self._hands.wake(waker_named(by), named_duration_ns("timeout", timeout))

    def state(self) -> str:
        """Return what the wires show: awake, S3, S4, off or unclear."""
        return self._hands.state().value

    def levels(self) -> dict[str, int]:
        """Return the present level of each wired channel."""
        return {str(channel): level for channel, level in self._hands.levels().items()}


def actuator_named(name: str) -> Actuator:
    """Return an actuator by its name.

    Raises:
        UsageError: there is none of that name.
    """
    if name not in list(Actuator):
        raise UsageError(f"{name!r} is no actuator; allowed are {', '.join(Actuator)}")
    return Actuator(name)


def waker_named(name: str) -> WakeBy:
    """Return what wakes a DUT by its name: an actuator, or LAN.

    Raises:
        UsageError: there is none of that name.
    """
    if name == WakeMeans.LAN:
        return WakeMeans.LAN
    if name not in list(Actuator):
        allowed = ", ".join((*Actuator, WakeMeans.LAN))
        raise UsageError(f"{name!r} wakes nothing; allowed are {allowed}")
    return Actuator(name)


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
        ResumeRigError: as `acceptance.campaign.run_campaign`, and for a word that a plan has not.
    """
    plan, wanted = plan_of(words), load_requirement(requirement)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"could not make the folder {folder} for stores: {error.strerror or error}"
        ) from error
    store = free_path(folder, file_stem(test.rpartition("::")[2]), SUFFIX)
    return run_campaign(bench, plan, store, wanted, log=log)


def plan_of(words: Mapping[str, Any]) -> Plan:
    """Return the plan that `words` describe, as arguments: those of a plan, and `plan` itself.

    Raises:
        UsageError: a word or a value that a plan has not.
    """
    name = words.get("plan")
    rest = {key: value for key, value in words.items() if key != "plan"}
    return parse_plan(rest, load_plan(None if name is None else str(name)), KEYWORDS)


def parts_named(names: Sequence[object]) -> list[Channel | Actuator]:
    """Return channels and actuators by their names.

    Raises:
        ValueError: there is none of that name.
    """
    allowed: dict[str, Channel | Actuator] = {str(each): each for each in Channel}
    allowed |= {str(each): each for each in Actuator}
    for name in names:
        if str(name) not in allowed:
            raise ValueError(f"there is no part {name!r}; allowed are {', '.join(allowed)}")
    return [allowed[str(name)] for name in names]


def properties_of(answer: Assessed) -> list[tuple[str, object]]:
    """Return the properties of a campaign in JUnit, as names and values without hostile text."""
    facts, correlation = answer.facts, answer.correlation
    found: list[tuple[str, object]] = [
        ("requirement", f"{facts.requirement.id} version {facts.requirement.version}"),
        ("verdict", answer.answer.verdict.value),
        ("headline", answer.answer.headline),
        ("why", answer.answer.text),
        ("store", facts.store_path),
        ("dut", facts.identity.get("dut", "")),
        ("evidence", evidence_text(facts.simulated)),
    ]
    found += [(f"cycles {outcome}", str(count)) for outcome, count in facts.outcomes.items()]
    for each in correlation.limits:
        if each.worst is not None:
            worst = f"{each.worst:g} {each.limit.unit}"
            found.append((f"worst {each.limit.measure}", worst))
    return [(name, encodable(one_line(str(value)))) for name, value in found]
