"""The quick ways through Event XML give what the thorough ones give."""

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from resume_rig.model.errors import RecordError
from resume_rig.oslog.event.event import EventFields, is_relevant, read_full, read_plain
from resume_rig.oslog.event.xml_export import EventCutter
from resume_rig.oslog.source.problems import ProblemTally

FIXTURES = Path(__file__).parents[3] / "fixtures" / "logs"
PIECES = (
    *("<Event ", "<Event>", "</Event>", "<System>", "</System>", "<!-- ", " -->", "&amp;", "&x;"),
    *('<Provider Name="Microsoft-Windows-Kernel-Power"/>', "<Data Name='a'>1</Data>", "<Data>"),
    *("\t", "\r\n", "\x00", "\x85", "\ud800", "é", "<EventID>42</EventID>", "'", '"', ">", "/>"),
    *("<EventData/>", "<UserData>", "]]>", "<![CDATA["),
)


def fully(text: str) -> EventFields | None:
    try:
        return read_full(text)
    except RecordError:
        return None


def damaged(text: str, rng: random.Random) -> str:
    for _ in range(rng.randint(0, 3)):
        place = rng.randrange(len(text) + 1)
        text = text[:place] + rng.choice(PIECES) + text[place + rng.choice((0, 0, 1, 9)) :]
    return text


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(seed=st.integers(0, 1 << 32), value=st.text(max_size=20))
def test_the_pattern_reads_what_the_parser_reads(write, seed: int, value: str) -> None:
    rng = random.Random(seed)
    events = [write.account(WakeSourceText=value), write.asleep(), write.boot(22000)]
    text = damaged(rng.choice(events), rng)
    plain = read_plain(text)
    assert plain is None or plain == fully(text)


def test_the_pattern_knows_every_event_of_the_fixtures() -> None:
    lines = [
        line.strip()
        for path in FIXTURES.glob("*.xml")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.strip().startswith("<Event ") and line.strip().endswith("</Event>")
    ]
    assert len(lines) > 20
    assert [line for line in lines if read_plain(line) is None and "&" not in line] == []


def cut_both_ways(text: str) -> list[tuple[list[str], int, object]]:
    """What the cutter gives with the shortcut, and without: a comment in front turns it off."""
    found: list[tuple[list[str], int, object]] = []
    for start in ("<Events>", "<Events><!---->"):
        tally = ProblemTally()
        cutter = EventCutter(tally)
        events = [*cutter.cut(start + text), *cutter.cut("", final=True)]
        cutter.finish(growing=False)
        found.append((events, cutter.events, tally.integrity()))
    return found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(seed=st.integers(0, 1 << 32))
def test_events_are_cut_alike_with_and_without_the_shortcut(write, seed: int) -> None:
    rng = random.Random(seed)
    gap = rng.choice(("", "\n", "\r\n  "))
    text = damaged(gap.join([*write.cycle(), write.other()]), rng)
    if "<!" in text:
        return
    with_it, without = cut_both_ways(text)
    assert with_it == without


@pytest.mark.parametrize("odd", ["<Event>junk", "<Event/>", "<Events>", "junk", "</Event>"])
def test_an_event_too_much_is_not_made_up_for_by_one_too_few(write, odd: str) -> None:
    asleep = write.asleep()
    with_it, without = cut_both_ways(f"{write.other()}{odd}{asleep}stray</Event>{write.other()}")
    assert with_it == without
    assert asleep in with_it[0]


@pytest.mark.parametrize("quote", ['"', "'"])
@pytest.mark.parametrize("prefix", ["", "e"])
def test_every_relevant_event_passes_the_filter(write, quote: str, prefix: str) -> None:
    style = {"quote": quote, "prefix": prefix}
    assert is_relevant(write.event("KP", 42, {}, **style))
    assert is_relevant(write.event("KB", 30, {}, **style))
    assert not is_relevant(write.event("SCM", 42, {"param1": "Windows Update"}, **style))
    assert not is_relevant(write.event("KP", 105, {}, **style))


def test_a_provider_that_is_named_before_system_hides_none(write) -> None:
    event = write.asleep()
    decoy = event.replace("<System>", "<Other><Provider Name='x'/></Other><System>")
    assert is_relevant(decoy)
    assert read_full(decoy).name == "Microsoft-Windows-Kernel-Power"
