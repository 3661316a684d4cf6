"""The scanner of a report's script against a JSON parser, on any data."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from resume_rig.oslog.powercfg.report import ScriptData, data_start

SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
FLAT = st.dictionaries(st.text(max_size=4), SCALARS, max_size=3)
VALUES = SCALARS | st.lists(SCALARS, max_size=3) | FLAT | st.lists(FLAT, max_size=2)
WANTED = frozenset({"SystemInformation", "ScenarioInstances"})


def script_of(data: dict[str, object], *, ascii_only: bool, indent: int | None) -> str:
    return f"x(); var LocalSprData = {json.dumps(data, ensure_ascii=ascii_only, indent=indent)};"


def read(text: str) -> tuple[list[tuple[str, object]], bool]:
    start = data_start(text)
    assert start is not None
    data = ScriptData(text, start, WANTED)
    found = [(member.name, member.value) for member in data.members() if member.readable]
    return found, data.complete


@settings(deadline=None)
@given(
    system=FLAT,
    other=VALUES,
    sessions=st.lists(VALUES, max_size=3),
    ascii_only=st.booleans(),
    indent=st.sampled_from([None, 0, 2]),
)
def test_members_are_those_of_json(system, other, sessions, ascii_only, indent) -> None:
    data = {"Other": other, "SystemInformation": system, "ScenarioInstances": sessions}
    found, complete = read(script_of(data, ascii_only=ascii_only, indent=indent))
    expected = [("SystemInformation", system)]
    assert found == expected + [("ScenarioInstances", session) for session in sessions]
    assert complete


@settings(deadline=None)
@given(sessions=st.lists(VALUES, min_size=1, max_size=4), cut=st.floats(0, 0.999))
def test_what_a_cut_leaves_is_right(sessions, cut) -> None:
    text = script_of({"ScenarioInstances": sessions}, ascii_only=False, indent=None)
    start = data_start(text) or 0
    found, complete = read(text[: start + 1 + int((len(text) - start - 2) * cut)])
    assert found == [("ScenarioInstances", session) for session in sessions][: len(found)]
    assert not complete


@settings(deadline=None)
@given(text=st.text(max_size=20), number=st.integers(0, 1 << 64))
def test_strings_in_single_quotes(text, number) -> None:
    quoted = json.dumps(text)[1:-1].replace('\\"', '"').replace("'", "\\'")
    script = f"LocalSprData={{'ScenarioInstances':[{{\"a\":'{quoted}','b':{number}}}]}}"
    assert read(script) == ([("ScenarioInstances", {"a": text, "b": number})], True)
