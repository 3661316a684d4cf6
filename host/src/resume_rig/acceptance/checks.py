"""What a test expects of evidence, of recoveries, and of the rig itself."""

import hashlib
from itertools import groupby
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from resume_rig.acceptance.assessment import Assessed
from resume_rig.acceptance.bench import BenchInUse, need
from resume_rig.acceptance.expectations import Expectation, expected
from resume_rig.acceptance.single_actions import SingleActions
from resume_rig.campaign.preparation.doctor import check_bench
from resume_rig.campaign.preparation.self_measurement import LoopbackPlan, measure_loopback
from resume_rig.campaign.run.actions import RELEASE_LAG_NS
from resume_rig.campaign.run.recovery import recovery_text
from resume_rig.campaign.store.store import Store
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import DeviceFault, RecordError, UsageError
from resume_rig.model.result.verdict import Verdict
from resume_rig.model.units import count_of, seconds_text
from resume_rig.report.export.manifest import NAME
from resume_rig.report.text.hostile_text import one_line

_MOST_BYTES: Final = 20_000_000
_VERDICTS_OF_TAG: Final = {
    "failure": (Verdict.FAIL, Verdict.MARGINAL),
    "error": (Verdict.NO_EVIDENCE,),
}


def evidence_is_whole(folder: Path) -> Expectation:
    """Return whether every file of the folder is the one of the manifest, and none is missing.

    Raises:
        RecordError: there is no manifest.
    """
    try:
        lines = _text_of(folder / NAME).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"could not read the manifest of {folder}: {error}") from error
    listed: dict[str, str] = {}
    for line in lines:
        digest, _, name = line.partition("  ")
        listed[name] = digest
    there = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()} - {NAME}
    # Names of others are compared, and not opened: they may lead anywhere.
    wrong = [
        name
        for name, digest in listed.items()
        if name not in there or _digest(folder / name) != digest
    ]
    unlisted = sorted(there - set(listed))
    if wrong or unlisted or not listed:
        faults = [f"{name} is not what was written" for name in wrong]
        faults += [f"{name} is not listed" for name in unlisted] or ["no file is listed"]
        return Expectation(False, f"the evidence in {folder} is incomplete: {'; '.join(faults)}")
    return Expectation(True, f"{len(listed)} files of evidence, each as its manifest says")


def _text_of(path: Path) -> str:
    if path.exists() and not path.is_file():  # a device never ends, a pipe never begins
        raise RecordError(f"could not read {path}: it is no file")
    with path.open("rb") as file:
        raw = file.read(_MOST_BYTES + 1)
    if len(raw) > _MOST_BYTES:
        raise RecordError(f"could not read {path}: it is over {_MOST_BYTES} bytes")
    return raw.decode("utf-8")


def junit_agrees(path: Path, verdict: Verdict) -> Expectation:
    """Return whether the requirement's case of a JUnit file stands for `verdict`.

    Raises:
        RecordError: the file is no JUnit XML of ours.
    """
    try:
        text = _text_of(path)
        if "<!DOCTYPE" in text or "<!ENTITY" in text:
            raise RecordError(f"could not read {path}: a JUnit file declares nothing")
        case = ElementTree.fromstring(text).find(".//testcase")
    except (OSError, UnicodeDecodeError, ElementTree.ParseError) as error:
        raise RecordError(f"could not read {path} as JUnit XML: {error}") from error
    if case is None:
        raise RecordError(f"could not read {path} as JUnit XML: it has no test case")
    found = next((child for child in case if child.tag in _VERDICTS_OF_TAG), None)
    verdicts = (Verdict.PASS,) if found is None else _VERDICTS_OF_TAG[found.tag]
    message = "" if found is None else f": {one_line(found.get('message') or '')}"
    text = f"JUnit says {' or '.join(verdicts)}{message}"
    return expected(text, verdict.value, ok=verdict in verdicts)


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return "missing"


def recoveries_succeeded(assessed: Assessed, at_least: int = 0) -> Expectation:
    """Return whether each climb of the ladder ended with a DUT that is back.

    Args:
        assessed: the answer; its store is read.
        at_least: so many climbs there have to be.

    Raises:
        UsageError: it is of no store.
        RecordError: the store cannot be read.
    """
    if assessed.store is None:
        raise UsageError("could not see recoveries: the answer is of no store")
    with Store.open(assessed.store) as store:
        steps = store.recoveries()
    climbs = [list(group) for _, group in groupby(steps, lambda s: (s.session, s.after_cycle))]
    lost = [climb[-1] for climb in climbs if not climb[-1].ok]
    if lost:
        return Expectation(False, f"the DUT did not come back: {recovery_text(lost[0])}")
    text = f"the DUT was brought back {count_of(len(climbs), 'time')}"
    return expected(text, f"{at_least} or more", ok=len(climbs) >= at_least)


_EXCHANGES: Final = 50
_BEYOND_LEASE_NS: Final = 500_000_000


def rig_is_healthy(use: BenchInUse) -> Expectation:
    """Return whether everything that `doctor` looks at is good; nothing on the DUT is moved."""
    found = list(check_bench(use.rig, use.opened.clock, use.dut))
    bad = [f"{each.name}: {each.text}" for each in found if not each.ok]
    if bad:
        return Expectation(False, f"the rig is not healthy: {'; '.join(bad)}")
    return Expectation(True, "; ".join(f"{each.name}: {each.text}" for each in found))


def self_test_passes(use: BenchInUse) -> Expectation:
    """Return whether every check of the board's self-test is good."""
    checks = use.rig.selftest()
    bad = [f"{check.name} ({check.value})" for check in checks if not check.ok]
    if bad:
        return Expectation(False, f"the self-test of {use.info.board} failed: {', '.join(bad)}")
    return Expectation(True, f"self-test: {', '.join(check.name for check in checks)}, all good")


def clocks_tied_to(use: BenchInUse, limit_ns: int) -> Expectation:
    """Return whether an exchange of stamps ties the board's clock to the host's so closely."""
    made = [use.rig.exchange_clocks() for _ in range(_EXCHANGES)]
    trips = [(e.host_rx_ns - e.host_tx_ns) - (e.board_tx_ns - e.board_rx_ns) for e in made]
    bound_ns = min(trips) // 2
    text = f"the clocks are tied to ±{seconds_text(bound_ns)} by the best of {_EXCHANGES} exchanges"
    return expected(text, f"±{seconds_text(limit_ns)} or better", ok=bound_ns <= limit_ns)


def press_is_refused(use: BenchInUse, duration_ns: int) -> Expectation:
    """Return whether the interlock refuses a press; one that is not refused is made.

    The host's own check is passed by: what the board says is what counts.
    """
    need(use, "press the power button", Actuator.BUTTON)
    try:
        use.rig.press(Actuator.BUTTON, duration_ns)
    except DeviceFault as fault:
        return Expectation(True, f"refused: {fault}")
    use.opened.clock.sleep_ns(duration_ns + RELEASE_LAG_NS)
    return Expectation(
        False,
        f"the rig pressed for {seconds_text(duration_ns)}, and its interlock should have refused",
    )


def lets_go_when_silent(use: BenchInUse, hands: SingleActions) -> Expectation:
    """Close the lid, be silent for longer than the lease, and return whether it is open again."""
    need(use, "see the board let go", Actuator.LID, Channel.LID)
    before = use.rig.faults().lease_expiries
    hands.move_lid(closed=True)
    use.opened.clock.sleep_ns(use.info.lease_ns + _BEYOND_LEASE_NS)
    opened = use.rig.levels().get(Channel.LID) == 1
    lease = seconds_text(use.info.lease_ns)
    if opened and use.rig.faults().lease_expiries > before:
        return Expectation(True, f"the board let go of the lid after its lease of {lease}")
    hands.move_lid(closed=False)
    return Expectation(False, f"the board did not let go of the lid after its lease of {lease}")


def latency_within(use: BenchInUse, plan: LoopbackPlan, spread_ns: int) -> Expectation:
    """Measure the latency of channels that are wired to an output; nothing else may be there.

    Raises:
        UsageError: no channel is named, or a simulated DUT is in the plug's place.
        RigError: the board refuses, or the loop-back does not end.
    """
    if not plan.channels:
        raise UsageError(f"no channel is named; allowed are {', '.join(Channel)}")
    if use.opened.in_process and not use.opened.plug:
        raise UsageError(
            "could not measure a latency: a DUT is on the rig, which takes the changes for "
            "presses; open the rig with a plug in its place (dut=loopback in the URL)"
        )
    result = measure_loopback(use.rig, use.opened.clock, plan)
    if not result.ended_well:
        return Expectation(
            False, f"the loop-back did not end well: {result.changes} changes were made"
        )
    widths = {each.channel: each.max_ns - each.min_ns for each in result.channels}
    each = ", ".join(f"{line} within {seconds_text(width)}" for line, width in widths.items())
    return expected(
        f"latency of {each or 'no channel'}",
        f"within {seconds_text(spread_ns)}",
        ok=max(widths.values(), default=spread_ns + 1) <= spread_ns,
    )
