"""Every deck keeps its limits, and the delays that the host reads are those of the decks."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from frontend.simulation import actuators, delay_table, light, protection, sense
from frontend.simulation.campaign import ALL_STUDIES, with_draws
from frontend.simulation.ngspice import DECKS, DeckError, Measures, run_deck, run_text
from frontend.simulation.study import Limit, Spread, Study, carry_out, drawn

ROOT = Path(__file__).resolve().parents[3]
DELAYS = tomllib.loads((ROOT / "hardware" / "delays.toml").read_text("utf-8"))["delay"]


@pytest.mark.parametrize("study", with_draws(ALL_STUDIES, 0), ids=lambda study: study.name)
def test_a_study_with_nominal_parts_keeps_its_limits(ngspice: str, study: Study) -> None:
    outcome = carry_out(study, lambda deck, values, names: run_deck(ngspice, deck, values, names))
    assert outcome.failures == ()
    assert set(outcome.figures) == set(study.measures)


def test_every_deck_is_used() -> None:
    assert {study.deck for study in ALL_STUDIES} == {path.stem for path in DECKS.glob("*.cir")}


@pytest.mark.parametrize("place", range(len(delay_table.PATHS)))
def test_a_delay_of_the_table_is_that_of_its_deck(ngspice: str, place: int) -> None:
    path, told = delay_table.PATHS[place], DELAYS[place]
    assert (told["path"], told["edge"], told.get("ramp_ns")) == (
        path.path,
        path.edge,
        path.ramp_ns,
    )
    for study in path.studies:
        nominal = {name: spread.nominal for name, spread in study.spreads.items()}
        found = run_deck(ngspice, study.deck, {**study.fixed, **nominal}, (path.measure,))
        off_ns = abs(found.values[path.measure] * 1e9 - told["value_ns"])
        assert off_ns <= (1 if len(path.studies) == 1 else told["half_width_ns"])
    assert told["deck"] == f"hardware/decks/{path.studies[0].deck}.cir"
    assert "not measured" in told["origin"]


def test_the_table_has_just_the_paths_of_the_decks() -> None:
    assert len(DELAYS) == len(delay_table.PATHS)
    for told in DELAYS:
        assert told["half_width_ns"] >= 2 * told["standard_ns"] > 0


def test_logic_and_button_are_sensed_within_a_microsecond_and_logic_to_a_tenth() -> None:
    for told in DELAYS:
        if told["path"] in ("logic-3v3", "logic-1v8", "open-drain"):
            assert told["value_ns"] + told["half_width_ns"] < 1_000
            assert told["half_width_ns"] <= 100
    press = next(told for told in DELAYS if told["path"] == "button" and told["edge"] == "fall")
    assert press["value_ns"] + press["half_width_ns"] < 1_000


@pytest.mark.parametrize(
    ("study", "mistake", "measure"),
    [
        pytest.param(protection.BACK_POWER, {"rfb": 10e3, "vnom": -0.1}, "rail", id="a-pull-up"),
        pytest.param(protection.pwr_ok(True), {"rbleed": 47e3}, "taken", id="a-low-bleed"),
        pytest.param(
            protection.discharge("logic", 8, True), {"rin": 1.0}, "inputpeak", id="no-resistor"
        ),
        pytest.param(
            protection.wrong("logic", 24), {"rseries": 1e3}, "seriespower", id="a-hot-resistor"
        ),
        pytest.param(actuators.dead_man(3.3), {"rhold": 1e6}, "dark", id="a-slow-dead-man"),
        pytest.param(actuators.HOLD, {"rhold": 100e6, "rleak": 1e12}, "again", id="no-hold-limit"),
        pytest.param(
            protection.discharge("logic", -8, True),
            {"rin": 1.0},
            "inputlow",
            id="none-below-ground",
        ),
        pytest.param(sense.PS_ON, {"rseries": 220e3}, "rise", id="a-slow-inverted-sense"),
        pytest.param(actuators.BUTTON, {"rseries": 220e3}, "sensed", id="a-slow-sense"),
        pytest.param(actuators.LID, {"vclamp": 60.0}, "vdsmax", id="a-high-clamp"),
        pytest.param(light.STEPS[500], {"rf": 330e3}, "t90", id="too-much-gain"),
        pytest.param(light.STEPS[5], {"cf": 150e-12}, "t50", id="a-slow-amplifier"),
    ],
)
def test_a_mistake_in_a_circuit_leaves_a_limit(
    ngspice: str, study: Study, mistake: Mapping[str, float], measure: str
) -> None:
    spoilt = Study(
        study.name,
        study.deck,
        study.measures,
        {**study.fixed, **{n: s.nominal for n, s in study.spreads.items()}, **mistake},
        {},
        study.limits,
    )
    outcome = carry_out(spoilt, lambda deck, values, names: run_deck(ngspice, deck, values, names))
    assert any(re.search(rf"nominal: {measure} (is|was)", failure) for failure in outcome.failures)


LINE = Study(
    "line",
    "none",
    ("y",),
    {"offset": 1.0},
    {"a": Spread(0.0, -2.0, 1.0), "b": Spread(0.0, -1.0, 1.0)},
    (Limit("y", -2.5, 3.5, "a reason"),),
    draws=50,
)


def line(_deck: str, values: Mapping[str, float], _names: tuple[str, ...]) -> Measures:
    return Measures({"y": values["offset"] + values["a"] + values["b"]})


def test_a_bound_counts_the_worse_end_of_each_tolerance() -> None:
    outcome = carry_out(LINE, line)
    assert outcome.failures == ()
    assert outcome.runs == 1 + 2 * 2 + 50
    found = outcome.figures["y"]
    assert (found.nominal, found.bound, found.worst) == (1.0, 3.0, "a")
    assert 0 < found.standard < found.bound


def test_a_run_that_does_not_converge_is_a_failure_and_is_counted() -> None:
    def stubborn(deck: str, values: Mapping[str, float], names: tuple[str, ...]) -> Measures:
        return Measures({}, "no") if values["a"] > 0.9 else line(deck, values, names)

    outcome = carry_out(LINE, stubborn)
    stuck = [index for index in range(50) if drawn(LINE, index)["a"] > 0.9]
    assert outcome.failures == (
        "line, a high: no",
        *(f"line, draw {index}: no" for index in stuck),
    )
    nothing = carry_out(LINE, lambda deck, values, names: Measures({}, "no"))
    assert (len(nothing.failures), nothing.figures) == (nothing.runs, {})


def test_a_limit_that_a_draw_leaves_is_told_with_its_reason() -> None:
    narrow = Study("line", "none", ("y",), LINE.fixed, LINE.spreads, (Limit("y", 0, 2, "why"),), 3)
    failures = carry_out(narrow, line).failures
    assert failures[0] == "line, a low: y is -1; allowed are 0 to 2 (why)"


def test_a_bound_that_is_too_wide_is_a_failure() -> None:
    wide = Study("line", "none", ("y",), LINE.fixed, LINE.spreads, (), 3, {"y": 2.9})
    assert carry_out(wide, line).failures == ("line: the bound of y is 3; allowed is 2.9",)


def test_draws_are_the_same_each_time_and_differ_among_themselves() -> None:
    assert drawn(LINE, 3) == drawn(LINE, 3)
    assert drawn(LINE, 3) != drawn(LINE, 4)
    for index in range(50):
        assert all(
            LINE.spreads[name].low <= value <= LINE.spreads[name].high
            for name, value in drawn(LINE, index).items()
        )


def test_a_parameter_that_a_deck_does_not_have_is_refused(ngspice: str) -> None:
    with pytest.raises(DeckError, match="deck logic-sense: no parameter 'rsieres' to set"):
        run_deck(ngspice, "logic-sense", {"rsieres": 1.0}, ("rise",))


def test_a_deck_that_is_none_gives_a_failure_and_no_figures(ngspice: str) -> None:
    found = run_text(ngspice, "* nothing\nr1 a b\n.tran 1u 1m\n.end\n", ("rise",))
    assert found.failure is not None
    assert not found.values
