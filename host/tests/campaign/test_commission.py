"""One way to put a campaign together: what is taken from the rig, from the user, and let go of."""

from pathlib import Path

import pytest

from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.campaign.run.campaign import Commission, Surroundings, carry_out, interrupted
from resume_rig.campaign.run.events import CampaignEvent, CycleDone, LinkReported
from resume_rig.campaign.store.identity import Identity
from resume_rig.campaign.store.store import Store
from resume_rig.model.errors import UsageError
from resume_rig.rig.dut_profile import profile_for
from resume_rig.rig.link.open import OpenRig, open_rig

URL = "sim:clock=virtual,seed=11,light=none"


def asked(store: Path, beside: Surroundings | None = None) -> Commission:
    plan = override(default_plan(), cycles=3)
    requirement = load_requirement("sysfund-0004")
    return Commission(store, plan, requirement, profile_for(URL, None), beside or Surroundings())


class Watcher:
    """Keeps who took part and what was told."""

    def __init__(self) -> None:
        self.who: Identity | None = None
        self.told: list[CampaignEvent] = []

    def __call__(self, who: Identity) -> "Watcher":
        self.who = who
        return self

    def observe(self, event: CampaignEvent) -> None:
        self.told.append(event)


def run(commission: Commission, opened: OpenRig) -> Watcher:
    watcher = Watcher()
    try:
        carry_out(commission, opened, lambda who: watcher(who).observe)
    finally:
        opened.rig.close()
    return watcher


def test_what_a_simulated_rig_serves_is_used_where_nothing_is_named(tmp_path: Path) -> None:
    watcher = run(asked(tmp_path / "a.rrs"), open_rig(URL))
    done = [event for event in watcher.told if isinstance(event, CycleDone)]
    assert [len(event.raw.records) > 0 for event in done] == [True] * 3
    assert isinstance(watcher.told[-1], LinkReported)


def test_a_named_log_goes_before_the_served_one(tmp_path: Path) -> None:
    log = tmp_path / "empty.xml"
    log.write_text("<Events></Events>", "utf-8")
    watcher = run(asked(tmp_path / "a.rrs", Surroundings(log=str(log))), open_rig(URL))
    done = [event for event in watcher.told if isinstance(event, CycleDone)]
    assert [event.raw.records for event in done] == [()] * 3


def test_a_stated_rate_of_the_host_clock_is_part_of_the_identity(tmp_path: Path) -> None:
    watcher = run(asked(tmp_path / "a.rrs", Surroundings(host_clock_ppb=700)), open_rig(URL))
    assert watcher.who is not None
    assert watcher.who.host_clock is not None
    assert watcher.who.host_clock.rate_ppb == 700


def test_a_shell_that_is_none_leaves_no_store_and_tells_the_link(tmp_path: Path) -> None:
    opened = open_rig(URL)
    told: list[CampaignEvent] = []
    with pytest.raises(UsageError, match="--dut-shell 'telnet:x'; allowed is ssh:"):
        carry_out(
            asked(tmp_path / "a.rrs", Surroundings(dut_shell="telnet:x")),
            opened,
            lambda _: told.append,
        )
    opened.rig.close()
    assert [type(event) for event in told] == [LinkReported]
    assert not (tmp_path / "a.rrs").exists()


def test_where_a_stored_campaign_goes_on(tmp_path: Path) -> None:
    store = tmp_path / "a.rrs"
    run(asked(store), open_rig(URL))
    before = interrupted(store)
    assert (before.rig_url, before.sessions) == (URL, 1)
    assert before.dut is not None
    assert before.dut.name == "healthy-laptop"
    with Store.open(store) as kept:
        assert before.newest_utc_ns == kept.newest_utc_ns()
