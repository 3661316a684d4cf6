"""A campaign from its commission to its conclusion: the one way of every face."""

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Final

from resume_rig.acceptance.assessment import Assessed, assess_store, html_at
from resume_rig.acceptance.bench import BenchInUse
from resume_rig.acceptance.whole_file import check_place_of, write_whole
from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.run.campaign import (
    CampaignEnd,
    CampaignStopped,
    Commission,
    Surroundings,
    carry_out,
    warnings_of,
)
from resume_rig.campaign.run.events import CampaignBegan, CampaignEvent, Observer, ignore
from resume_rig.campaign.run.hooks import Hooks, fire_end
from resume_rig.campaign.store.identity import Identity
from resume_rig.campaign.store.store import Store, beside_store
from resume_rig.model.errors import RecordError, ResumeRigError, RigError, UsageError
from resume_rig.model.result.verdict import Requirement
from resume_rig.report.text.json_text import utc_json
from resume_rig.rig.link.open import OpenRig

SUFFIX: Final = ".rrs"


class CampaignBroken(RigError):
    """A campaign that a fault ended.

    Attributes:
        assessed: the answer of the cycles until then.
    """

    def __init__(self, text: str, assessed: Assessed) -> None:
        super().__init__(text)
        self.assessed = assessed


Watch = Callable[[Identity, OpenRig], Observer]


Ended = CampaignEnd | RigError | RecordError
"""How a campaign ended: its plan is done, somebody stopped it, or a fault did."""


class Campaign:
    """A campaign from its commission to its conclusion; whoever shows it only renders.

    Args:
        commission: what somebody asks for.
        rig: opened to run it, and closed behind it.
        report: where its HTML report is to be; None: in the store's folder.
        hooks: its commands; the one on end is run here, observers run the others.
        note: gets a sentence for each thing that the verdict will lack, or why there is no answer.
    """

    def __init__(
        self,
        commission: Commission,
        rig: AbstractContextManager[OpenRig],
        report: Path | None = None,
        hooks: Hooks | None = None,
        note: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._commission = commission
        self._rig = rig
        self._hooks = Hooks({}, {}) if hooks is None else hooks
        self.report = beside_store(commission.store, ".html") if report is None else report
        # A store that was there before is of another campaign, unless this one goes on with it.
        self._ours = commission.plan is None or not commission.store.exists()
        self._began = False
        self._note = note

    def run(self, watch: Watch) -> Ended:
        """Run the campaign; return how it ended, a fault that left something to judge too.

        Args:
            watch: gets who takes part on which rig, and returns an observer of what happens.

        Raises:
            ResumeRigError: it could not begin, and there is nothing to conclude.
        """
        try:
            with self._rig as opened:
                for sentence in warnings_of(self._commission, opened):
                    self._note(sentence)
                return carry_out(
                    self._commission, opened, lambda who: self._noting(watch(who, opened))
                )
        except (RigError, RecordError) as fault:
            if not self._began:
                # A store that another process writes to is no campaign of ours that ended.
                ended = isinstance(fault, RigError) and self._ours
                if not (ended and self._commission.store.exists()):
                    raise
            return fault
        except Exception as error:
            # A mistake in the program itself.
            if self._began:
                fire_end(self._hooks, None, f"{type(error).__name__}: {error}")
            raise

    def conclude(self, ended: Ended, render: Callable[[Assessed], object]) -> Assessed:
        """Judge what the store keeps, have it rendered, run the command on end; return the answer.

        Args:
            ended: as `run` returned it.
            render: writes the report, and shows the answer.

        Raises:
            ResumeRigError: the answer cannot be computed or rendered; the fault where one ended the
                campaign. The command on end has run before.
        """
        commission = self._commission
        fault = ended if isinstance(ended, ResumeRigError) else None
        try:
            assessed = assess_store(commission.store, commission.requirement, self.report)
            render(assessed)
        except ResumeRigError as error:
            if fault is not None:
                # Both may have one cause, as a disk that is full.
                self._note(str(error))
            fire_end(self._hooks, None, str(fault or error))
            if fault is None:
                raise
            raise fault from fault.__cause__
        answer = assessed.correlation
        fire_end(self._hooks, answer.verdict, str(fault or answer.why))
        return assessed

    def _noting(self, observe: Observer) -> Observer:
        """Return an observer that also notes that the campaign began."""

        def listen(event: CampaignEvent) -> None:
            self._began = self._began or isinstance(event, CampaignBegan)
            observe(event)

        return listen


def run_campaign(
    bench: BenchInUse,
    plan: Plan | None,
    store: Path,
    requirement: Requirement,
    *,
    log: str | None = None,
    dut_shell: str | None = None,
    observe: Observer = ignore,
) -> Assessed:
    """Run a campaign, write its HTML report beside its store, and return the answer.

    Args:
        bench: open; it stays open.
        plan: what to do; None to go on with the campaign of the store, by its own plan.
        store: its path; a new file, unless the campaign goes on.
        requirement: what the campaign is judged against.
        log: as `run --log` takes it; None: what the rig serves.
        dut_shell: as `run --dut-shell` takes it; None: `log`, where that is an ssh: address.
        observe: gets the events of the campaign.

    Raises:
        UsageError: plan and bench do not fit, the store cannot be made, or rig or DUT are others
            than those of the store; nothing was moved.
        RecordError: log or store cannot be used.
        CampaignBroken: rig, DUT or disk failed; the store keeps what was measured.
    """
    if plan is not None:
        check_place_of(store)
    commission = Commission(
        store, plan, requirement, bench.dut, Surroundings(log=log, dut_shell=dut_shell)
    )
    campaign = Campaign(commission, nullcontext(bench.opened))
    ended = campaign.run(lambda *_: observe)
    assessed = campaign.conclude(ended, lambda found: write_report(found, campaign.report))
    if isinstance(ended, ResumeRigError):
        raise CampaignBroken(str(ended), assessed) from ended
    if isinstance(ended, CampaignStopped):
        raise CampaignBroken(ended.text, assessed)
    return assessed


def load_campaign(store: Path, requirement: Requirement | None = None) -> Assessed:
    """Return the answer of a store that is there already.

    Args:
        store: its path.
        requirement: instead of the one that it was run for.

    Raises:
        RecordError: it cannot be read.
    """
    if requirement is None:
        with Store.open(store) as opened:
            requirement = opened.identity.requirement
    return assess_store(store, requirement, None)


def write_report(assessed: Assessed, path: Path) -> Path:
    """Write the HTML report of a campaign's store; the same store gives the same bytes.

    Raises:
        UsageError: it cannot be written.
    """
    if assessed.store is None:
        raise UsageError(f"could not write {path}: the answer is of no store")
    with Store.open(assessed.store) as opened:
        begun = utc_json(opened.identity.created_utc_ns)
    write_whole(path, html_at(assessed, f"begun {begun}"))
    return path


_START: Final = "import sys; from resume_rig.cli.main import main; sys.exit(main(sys.argv[1:]))"


def run_and_kill(url: str, dut: str | None, store: Path, *, cycles: int, kill_after: int) -> None:
    """Run `cycles` cycles into a new store, and kill the process when `kill_after` are over.

    That is what a power cut does to a host.

    Args:
        url: of the rig; no other process may have it.
        dut: its profile, as `run --dut` takes it.
        store: path of the store.
        cycles: of the plan.
        kill_after: below `cycles`, so that there is something left to do.

    Raises:
        UsageError: nothing would be left to do.
        RigError: the campaign ended by itself before it could be killed.
    """
    if not 1 <= kill_after < cycles:
        raise UsageError(
            f"could not kill a campaign of {cycles} cycles after {kill_after}; allowed are 1 to "
            f"{cycles - 1}"
        )
    words = ["run", "--rig", url, "--cycles", str(cycles), "--out", str(store)]
    words += ["--progress", "json", *([] if dut is None else ["--dut", dut])]
    with subprocess.Popen(
        [sys.executable, "-c", _START, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as process:
        try:
            done, newest = 0, ""
            for line in process.stderr or ():
                newest = line.strip() or newest
                done += _is_cycle(line)
                if done >= kill_after:
                    return
        finally:
            process.kill()
    raise RigError(f"the campaign ended after {done} cycles, before it could be killed: {newest}")


def _is_cycle(line: str) -> bool:
    try:
        document = json.loads(line)
    except ValueError:
        return False
    return isinstance(document, dict) and document.get("event") == "cycle"
