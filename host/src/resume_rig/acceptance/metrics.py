"""A campaign as figures that Prometheus fetches while it runs.

Every series is of this campaign; who it is of stands once, in `resume_rig_campaign_info`. Labels
hold names of this project and of the DUT's profile, never a text that a DUT wrote while it ran.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from resume_rig.analysis.stats.figures import failure_rate_lower, failure_rate_upper
from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.plan.states import states_text
from resume_rig.campaign.run.events import (
    CampaignBegan,
    CampaignEvent,
    CycleDone,
    LinkReported,
    LogUnreadable,
    ProvisionalVerdict,
    Recovering,
    RigBack,
    RigLost,
)
from resume_rig.campaign.store.identity import Identity
from resume_rig.guard.http import BoundedHandler, BoundedServer
from resume_rig.model.dut import RecoveryStep
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import OsRecord
from resume_rig.model.result.cycle import IntervalName, Outcome, OutsideCycle
from resume_rig.model.result.verdict import FindingKind, Verdict
from resume_rig.model.units import NS_PER_S
from resume_rig.report.text.hostile_text import one_line

# Around the 2 s of SYSFUND-0004 and the 1 s and 0.3 s of other requirements, where a tenth decides.
BUCKETS_S: Final = (0.2, 0.3, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 1.9, 2.0, 2.1, 2.5, 3.0, 5.0, 10.0)

# What a rate is held against where the plan names none. Assumed: 299 cycles show it.
FAILURE_RATE: Final = 0.01
_LABEL_MOST: Final = 120
_ANSWER_S: Final = 5.0  # for a client to take each part of the figures
_MS: Final = 1e3


class Metrics:
    """The figures of one campaign.

    Args:
        registry: of prometheus_client; they are registered there.
        now_s: the host's wall time, which also runs where that of a campaign is virtual.
    """

    def __init__(self, registry: Any, now_s: Callable[[], float] = time.time) -> None:
        from prometheus_client import Counter, Gauge, Histogram

        gauge, counter = partial(Gauge, registry=registry), partial(Counter, registry=registry)
        histogram = partial(Histogram, buckets=BUCKETS_S, registry=registry)
        self._now_s = now_s
        self._info = gauge(
            "resume_rig_campaign_info",
            "1, with who and what the campaign is of.",
            ("dut", "product", "bios", "rig", "state", "store", "requirement"),
        )
        self._planned = gauge("resume_rig_cycles_planned", "Cycles of the plan.")
        self._cycles = counter(
            "resume_rig_cycles", "Cycles of this session, by what became of them.", ("outcome",)
        )
        self._resume = histogram(
            "resume_rig_resume_seconds", "OS-reported total resume time (BiosInit + DriverInit)."
        )
        self._display = histogram(
            "resume_rig_display_seconds", "Power button to display on, measured."
        )
        self._verdict = gauge(
            "resume_rig_verdict", "1 for the verdict so far, 0 for the others.", ("verdict",)
        )
        self._failed = gauge("resume_rig_failed_cycles", "Judged cycles failed.")
        self._judged = gauge("resume_rig_judged_cycles", "Judged cycles.")
        self._bound = gauge(
            "resume_rig_failure_rate_bound",
            "One-sided 95 % bound on the failure rate (Clopper and Pearson).",
            ("side",),
        )
        self._limit = gauge(
            "resume_rig_failure_rate_limit", "Failure rate that the plan is to show, or 0.01."
        )
        self._lost = counter("resume_rig_link_losses", "How often the rig was gone.")
        self._requests = counter(
            "resume_rig_link_requests",
            "Requests repeated, replies stale or damaged; reported when a session ends.",
            ("what",),
        )
        self._leases = counter(
            "resume_rig_lease_trips",
            "Cycles in which the board released its outputs as the host was silent.",
        )
        self._unreadable = counter(
            "resume_rig_log_unreadable", "Times that the DUT's log was not read."
        )
        self._recoveries = counter(
            "resume_rig_recoveries", "Steps taken to have the DUT awake again.", ("step",)
        )
        self._running = gauge("resume_rig_running", "1 while a campaign runs.")
        self._connected = gauge("resume_rig_connected", "0 while the rig does not answer.")
        self._event = gauge(
            "resume_rig_last_event_timestamp_seconds",
            "When the campaign last did anything, host wall time.",
        )
        self._cycle_ended = gauge(
            "resume_rig_last_cycle_timestamp_seconds",
            "When the last cycle was over, host wall time; of a campaign without one its begin.",
        )
        # Series that are there from the beginning have a rate from the first failure on.
        for outcome in Outcome:
            self._cycles.labels(outcome.value)
        for step in RecoveryStep:
            self._recoveries.labels(step.value)
        for what in ("repeated", "stale", "damaged"):
            self._requests.labels(what)
        self._show_verdict(Verdict.NO_EVIDENCE)
        self._show_bounds(0, 0)
        self._limit.set(FAILURE_RATE)

    def take(
        self,
        identity: Identity,
        event: CampaignEvent,
        outside: OutsideCycle | None,
        provisional: ProvisionalVerdict,
    ) -> None:
        """Take in one event of the campaign.

        Args:
            identity: who takes part.
            event: what happened.
            outside: of the cycle that is over, where the event reports one.
            provisional: the provisional verdict, this event counted.
        """
        self._event.set(self._now_s())
        match event:
            case CampaignBegan(path=path, plan=plan):
                self._begin(identity, plan, str(path))
            case CycleDone(raw=raw) if outside is not None:
                self._cycle(outside, raw.records)
                self._leases.inc(any(f.kind is FindingKind.LEASE_EXPIRED for f in raw.findings))
            case RigLost():
                self._lost.inc()
                self._connected.set(0)
            case RigBack():
                self._connected.set(1)
            case LogUnreadable():
                self._unreadable.inc()
            case Recovering(step=step):
                self._recoveries.labels(step.value).inc()
            case LinkReported(repeated=repeated, stale=stale, damaged=damaged):
                self._requests.labels("repeated").inc(repeated)
                self._requests.labels("stale").inc(stale)
                self._requests.labels("damaged").inc(damaged)
                self._running.set(0)
        self._show_verdict(provisional.verdict)
        self._show_bounds(*provisional.counts)

    def conclude(self, verdict: Verdict) -> None:
        """Show the verdict that counts."""
        self._show_verdict(verdict)

    def _begin(self, identity: Identity, plan: Plan, store: str) -> None:
        dut = identity.dut
        labels = (
            identity.dut_name,
            "" if dut is None else f"{dut.manufacturer} {dut.product}".strip(),
            "" if dut is None else dut.bios_version,
            f"{identity.rig.board} at {identity.rig_url}",
            states_text(plan.states),
            store,
            identity.requirement.id,
        )
        self._info.labels(*(one_line(text, _LABEL_MOST) for text in labels)).set(1)
        self._planned.set(plan.cycles)
        self._running.set(1)
        self._connected.set(1)
        self._cycle_ended.set(self._now_s())
        if plan.stop.failure_rate is not None:
            self._limit.set(plan.stop.failure_rate)

    def _cycle(self, outside: OutsideCycle, records: Iterable[OsRecord]) -> None:
        self._cycles.labels(outside.outcome.value).inc()
        self._cycle_ended.set(self._now_s())
        light = outside.intervals.get(IntervalName.PRESS_TO_LIGHT)
        if light is not None:
            self._display.observe(light.value_ns / NS_PER_S)
        for record in records:
            if record.resume_ms is not None:
                self._resume.observe(record.resume_ms / _MS)

    def _show_verdict(self, verdict: Verdict) -> None:
        for each in Verdict:
            self._verdict.labels(each.value).set(each is verdict)

    def _show_bounds(self, failed: int, judged: int) -> None:
        self._failed.set(failed)
        self._judged.set(judged)
        self._bound.labels("lower").set(failure_rate_lower(failed, judged) if judged else 0.0)
        self._bound.labels("upper").set(failure_rate_upper(failed, judged) if judged else 1.0)


@contextmanager
def served_metrics(host: str, port: int) -> Iterator[tuple[Metrics, str]]:
    """Serve the figures of one campaign for the length of the block; yield them and the address.

    Raises:
        UsageError: prometheus-client is not installed, or the address cannot be listened on.
    """
    try:
        from prometheus_client import CollectorRegistry, exposition
    except ImportError as error:
        raise UsageError(
            "could not serve metrics: the package prometheus-client is not installed; install "
            "resume-rig[metrics]"
        ) from error
    registry = CollectorRegistry()
    metrics = Metrics(registry)

    class Handler(BoundedHandler):
        """Answers each question with the figures."""

        def do_GET(self) -> None:  # noqa: N802 - http.server calls it so
            if not self.has_come():
                return
            encode, content_type = exposition.choose_encoder(self.headers.get("Accept", ""))
            data = encode(registry)
            self.connection.settimeout(_ANSWER_S)
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    try:
        server = BoundedServer(host, port, Handler)
    except (OSError, OverflowError, UnicodeError) as error:
        raise UsageError(
            f"could not serve metrics at {host}:{port}: {error}; name an address of this machine "
            "and a port that is free (--metrics HOST:PORT)"
        ) from error
    thread = threading.Thread(target=server.serve_forever, name="metrics", daemon=True)
    thread.start()
    try:
        yield metrics, f"http://{host}:{server.server_port}/metrics"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
