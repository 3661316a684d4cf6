"""Every deck keeps its limits, and the delays that the host reads are those of the decks."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from frontend.circuit.facts import Facts
from frontend.simulation import actuators, delay_table, light, protection, sense, small
from frontend.simulation.campaign import ALL_STUDIES, idle_tolerances, one_run, with_draws
from frontend.simulation.delay_table import PATHS
from frontend.simulation.elements import Circuit, name_of, values_of
from frontend.simulation.ngspice import DECKS, Measures, checked, run_text, with_parameters
from frontend.simulation.sense import DRAWS
from frontend.simulation.spread import DeckError, Spread
from frontend.simulation.study import Limit, Outcome, Study, carry_out, deck_of, drawn

ROOT = Path(__file__).resolve().parents[3]
DELAYS = tomllib.loads((ROOT / "hardware" / "delays.toml").read_text("utf-8"))["delay"]
Circuits = tuple[object, dict[str, Facts], object]


@pytest.mark.parametrize("study", with_draws(ALL_STUDIES, 0), ids=lambda study: study.name)
def test_a_study_with_nominal_parts_keeps_its_limits(
    ngspice: str, front_ends: Circuits, study: Study
) -> None:
    outcome = carry_out(study, front_ends[1][study.circuit.variant], one_run(ngspice))
    assert outcome.failures == ()
    assert set(outcome.figures) == set(study.measures)


@pytest.mark.parametrize("study", ALL_STUDIES, ids=lambda study: study.name)
def test_a_deck_has_each_part_of_its_circuit_with_the_circuits_value(
    front_ends: Circuits, study: Study
) -> None:
    facts = front_ends[1][study.circuit.variant]
    text = deck_of(study, facts)
    parts = study.circuit.parts(facts)
    for name, (value, _share) in values_of(parts).items():
        if name in study.fixed:
            continue
        assert re.search(rf"^\.param {name}={value:.9g}$", text, re.MULTILINE), name
        assert text.count(f"{{{name}}}") + text.count(f"{{{name}*") >= 1, name


def test_a_value_that_changes_in_the_circuit_changes_in_the_deck(wired: Facts) -> None:
    parts = tuple(
        replace(part, value="5.6k") if part.tag == "SLP_S4/R_SERIES" else part
        for part in wired.parts
    )
    name = name_of("SLP_S4/R_SERIES")
    assert f".param {name}=3900\n" in deck_of(sense.LOGIC_3V3, wired)
    assert f".param {name}=5600\n" in deck_of(sense.LOGIC_3V3, Facts(parts))


def test_a_parameter_that_is_defined_twice_is_refused() -> None:
    text = "* title\n.param vth=1\nr1 a 0 1k\n.param vth=0.808\n.end\n"
    with pytest.raises(DeckError, match="deck x: parameter 'vth' is defined 2 times"):
        checked(text, "x")


def test_a_word_that_nothing_stands_for_is_refused() -> None:
    with pytest.raises(DeckError, match="deck x: nothing stands for @PIN@"):
        checked("* title\nr1 @PIN@ 0 1k\n", "x")


@pytest.mark.parametrize("study", ALL_STUDIES, ids=lambda study: study.name)
def test_no_deck_defines_a_parameter_twice_and_each_spread_is_one(
    front_ends: Circuits, study: Study
) -> None:
    text = deck_of(study, front_ends[1][study.circuit.variant])
    with_parameters(text, {name: s.high for name, s in study.spreads.items()}, study.name)


def test_every_deck_is_used() -> None:
    assert {study.bench for study in ALL_STUDIES} == {path.stem for path in DECKS.glob("*.bench")}


@pytest.mark.parametrize("place", range(len(delay_table.PATHS)))
def test_a_delay_of_the_table_is_that_of_its_deck(
    ngspice: str, front_ends: Circuits, place: int
) -> None:
    path, told = delay_table.PATHS[place], DELAYS[place]
    assert (told["path"], told["edge"], told.get("ramp_ns")) == (
        path.path,
        path.edge,
        path.ramp_ns,
    )
    for study in path.studies:
        text = deck_of(study, front_ends[1][study.circuit.variant])
        found = run_text(ngspice, text, (path.measure,))
        off_ns = abs(found.values[path.measure] * 1e9 - told["value_ns"])
        assert off_ns <= (1 if len(path.studies) == 1 else told["half_width_ns"])
    assert told["deck"] == f"hardware/decks/{path.studies[0].bench}.bench"
    assert (ROOT / told["deck"]).is_file()
    assert "not measured" in told["origin"]


def test_the_table_has_just_the_paths_of_the_decks() -> None:
    assert len(DELAYS) == len(delay_table.PATHS)
    for told in DELAYS:
        assert told["half_width_ns"] >= 2 * told["standard_ns"] > 0


def test_logic_is_sensed_within_a_microsecond_and_to_a_tenth() -> None:
    for told in DELAYS:
        if told["path"] in ("logic-3v3", "logic-1v8", "open-drain"):
            assert told["value_ns"] + told["half_width_ns"] < 1_000
            assert told["half_width_ns"] <= (500 if told["path"] == "open-drain" else 100)
    press = next(told for told in DELAYS if told["path"] == "button" and told["edge"] == "fall")
    assert press["value_ns"] + press["half_width_ns"] < 20_000


@pytest.mark.parametrize(
    ("study", "mistake", "measure"),
    [
        pytest.param(
            protection.BACK_POWER, {"level_r_level": 4.7e3}, "rail", id="a-strong-threshold"
        ),
        pytest.param(
            protection.pwr_ok(True), {"pwr_ok_r_high_bleed": 47e3}, "taken", id="a-low-bleed"
        ),
        pytest.param(
            protection.wrong("logic", 24), {"slp_s4_r_series": 220.0}, "seriespower", id="hot"
        ),
        pytest.param(
            protection.standby("nothing flows", 0.0, 5.0),
            {"standby_current_r_p1": 4.7e3},
            "off",
            id="unlike-sense-resistors",
        ),
        pytest.param(
            protection.standby("1 A", 1.0, 5.0),
            {"standby_current_r_shunt1": 20.0},
            "off",
            id="a-shunt-of-20-ohm",
        ),
        pytest.param(
            actuators.dead_man(3.3), {"dead_man_r_armed": 560e3}, "dropped", id="a-slow-dead-man"
        ),
        pytest.param(
            actuators.HOLD,
            {"power_button_r_hold": 10e6},
            "again",
            id="a-long-hold",
        ),
        pytest.param(
            actuators.HOLD, {"power_button_c_hold": 0.47e-6}, "again", id="a-hold-below-a-press"
        ),
        pytest.param(actuators.LID, {"vclamp": 60.0}, "vdsmax", id="a-high-clamp"),
        pytest.param(sense.LED, {"led_c_fast": 1e-12}, "fall", id="no-fast-way"),
        pytest.param(light.STEPS[500], {"photodiode_r_f": 330e3}, "t90", id="too-much-gain"),
        pytest.param(light.STEPS[5], {"photodiode_c_f": 150e-12}, "t50", id="a-slow-amplifier"),
        pytest.param(
            light.FADES[500],
            {"photodiode_r_zero_l": 240e3},
            "t50",
            id="an-amplifier-at-its-end",
        ),
        pytest.param(small.HOLD, {"small_start_r_hold": 15e6}, "limit", id="a-long-small-hold"),
    ],
)
def test_a_mistake_in_a_circuit_leaves_a_limit(
    ngspice: str, front_ends: Circuits, study: Study, mistake: Mapping[str, float], measure: str
) -> None:
    spoilt = replace(study, fixed={**study.fixed, **mistake}, draws=0)
    outcome = carry_out(spoilt, front_ends[1][study.circuit.variant], one_run(ngspice))
    assert any(re.search(rf"nominal: {measure} (is|was)", failure) for failure in outcome.failures)


NO_CIRCUIT = Circuit("none", ())
NOTHING = Facts(())
LINE = Study(
    "line",
    "light-noise",
    NO_CIRCUIT,
    ("y",),
    {},
    {"en": 1.0},
    {"current": Spread(0.0, -2.0, 1.0), "cpd": Spread(0.0, -1.0, 1.0)},
    (Limit("y", -2.5, 3.5, "a reason"),),
    draws=50,
)


def line(_deck: str, values: Mapping[str, float], _names: tuple[str, ...]) -> Measures:
    return Measures({"y": 1.0 + values["current"] + values["cpd"]})


def spreads_of_line() -> dict[str, Spread]:
    return {"celsius": Spread(27.0, 0.0, 60.0), **LINE.all_spreads(NOTHING)}


def test_a_bound_counts_the_worse_end_of_each_tolerance() -> None:
    outcome = carry_out(LINE, NOTHING, line)
    assert outcome.failures == ()
    assert outcome.runs == 1 + 3 * 2 + 50
    found = outcome.figures["y"]
    assert (found.nominal, found.bound, found.worst) == (1.0, 3.0, "current")
    assert 0 < found.standard < found.bound


def test_a_tolerance_of_the_bench_that_changes_nothing_is_a_failure() -> None:
    idle = replace(LINE, spreads={**LINE.spreads, "ccable": Spread(0.0, -1.0, 1.0)})
    assert carry_out(idle, NOTHING, line).failures == (
        "line: the tolerance of ccable changes nothing",
    )


def test_a_tolerance_that_changes_nothing_in_any_study_is_named() -> None:
    outcome = Outcome(replace(sense.LOGIC_3V3, draws=1), {}, 1, (), frozenset({"ctvs"}))
    facts = {"pico-wired": Facts(())}
    assert idle_tolerances([outcome], facts) == []


def test_a_run_that_does_not_converge_is_a_failure_and_is_counted() -> None:
    def stubborn(deck: str, values: Mapping[str, float], names: tuple[str, ...]) -> Measures:
        if values["current"] > 0.9:
            return Measures({}, "no")
        return line(deck, values, names)

    outcome = carry_out(LINE, NOTHING, stubborn)
    spreads = spreads_of_line()
    stuck = [index for index in range(50) if drawn("line", spreads, index)["current"] > 0.9]
    assert outcome.failures == (
        "line, current high: no",
        *(f"line, draw {index}: no" for index in stuck),
    )
    nothing = carry_out(LINE, NOTHING, lambda deck, values, names: Measures({}, "no"))
    assert (len(nothing.failures), nothing.figures) == (nothing.runs, {})


def test_a_limit_that_a_draw_leaves_is_told_with_its_reason() -> None:
    narrow = replace(LINE, limits=(Limit("y", 0, 2, "why"),), draws=3)
    failures = carry_out(narrow, NOTHING, line).failures
    assert failures[0] == "line, current low: y is -1; allowed are 0 to 2 (why)"


def test_a_bound_that_is_too_wide_is_a_failure() -> None:
    wide = replace(LINE, limits=(), draws=3, bounds={"y": 2.9})
    assert carry_out(wide, NOTHING, line).failures == ("line: the bound of y is 3; allowed is 2.9",)


def test_draws_are_the_same_each_time_and_differ_among_themselves() -> None:
    spreads = spreads_of_line()
    assert drawn("line", spreads, 3) == drawn("line", spreads, 3)
    assert drawn("line", spreads, 3) != drawn("line", spreads, 4)
    for index in range(50):
        assert all(
            spreads[name].low <= value <= spreads[name].high
            for name, value in drawn("line", spreads, index).items()
        )


def test_a_parameter_that_a_deck_does_not_have_is_refused(wired: Facts) -> None:
    text = deck_of(sense.LOGIC_3V3, wired)
    with pytest.raises(DeckError, match="deck logic: no parameter 'rsieres' to set"):
        with_parameters(text, {"rsieres": 1.0}, "logic")


def test_a_deck_that_is_none_gives_a_failure_and_no_figures(ngspice: str) -> None:
    found = run_text(ngspice, "* nothing\nr1 a b\n.tran 1u 1m\n.end\n", ("rise",))
    assert found.failure is not None
    assert not found.values


def test_every_delay_is_drawn_often_enough_for_its_standard_uncertainty() -> None:
    few = {
        study.name: study.draws for path in PATHS for study in path.studies if study.draws < DRAWS
    }
    assert few == {}
    # One part in the root of twice the draws: 15 %.
    assert (2 * DRAWS) ** -0.5 < 0.15
