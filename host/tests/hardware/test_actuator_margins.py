"""Solenoid, servo and magnet: what their makers' figures leave, and that a worse one is told."""

from dataclasses import replace
from itertools import pairwise

import pytest

from frontend.circuit.facts import Facts
from frontend.mechanics import actuator_margins as of
from frontend.mechanics.actuator_margins import broken_margins, margins


def with_value(facts: Facts, tag: str, value: str) -> Facts:
    return Facts(
        tuple(replace(part, value=value) if part.tag == tag else part for part in facts.parts)
    )


def test_all_figures_are_within_their_limits(no_access: Facts) -> None:
    found = margins(no_access)
    assert broken_margins(found) == []
    assert len(found) > 20
    assert all(one.low <= one.high for one in found)


@pytest.mark.parametrize(
    ("tag", "value", "told"),
    [
        ("finger/L1", "48", "push"),  # what the finger had: a third of the current
        ("finger/L1", "10", "the wall adapter"),
        ("lid_servo/R_SHORT", "4.7k", "pulse, lid driven"),
        ("lid_servo/R_LONG", "22k", "pulse, lid at rest"),
        ("lid_servo/R_LONG", "6.8k", "swing"),
        ("lid_servo/C_T", "220n", "pulse, lid at rest"),
    ],
)
def test_a_circuit_that_does_not_fit_the_data_sheet_is_told(
    no_access: Facts, tag: str, value: str, told: str
) -> None:
    sentences = broken_margins(margins(with_value(no_access, tag, value)))
    assert any(told in sentence for sentence in sentences)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("SUPPLY_V", (9.0, 12.6), "push"),
        ("KEY_N", 1.5, "push"),
        ("LEFT_MM", 1.5, "push"),
        ("HELD_MOST_S", 60.0, "held until the limit"),  # with the jumper FORCE OFF
        ("PRESS_EACH_S", 1.0, "mean power"),
        ("SERVO_SUPPLY_V", (4.75, 5.25), "voltage at the servo"),
        ("STALL_A", (1.0, 1.2), "stalled"),
        ("ARM_MM", 400.0, "torque"),
        ("NEAR_MM", 30.0, "field at 30 mm"),
        ("AWAY_MM", 35.0, "field at 35 mm"),
        ("ARMATURE_G", 30.0, "spring"),
    ],
)
def test_a_worse_figure_is_told(
    no_access: Facts, monkeypatch: pytest.MonkeyPatch, name: str, value: object, told: str
) -> None:
    monkeypatch.setattr(of, name, value)
    assert any(told in sentence for sentence in broken_margins(margins(no_access)))


@pytest.mark.parametrize("left_mm", [0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0])
def test_the_forces_bound_is_below_the_line_between_its_neighbours(left_mm: float) -> None:
    strokes = sorted(of.FORCE_N)
    below = max(stroke for stroke in strokes if stroke <= left_mm)
    above = min(stroke for stroke in strokes if stroke >= left_mm)
    share = (left_mm - below) / (above - below) if above > below else 0.0
    line = of.FORCE_N[below] + share * (of.FORCE_N[above] - of.FORCE_N[below])
    assert of.FORCE_N[above] <= of.force_n(left_mm) <= line


def test_the_table_of_forces_is_convex_which_the_bound_needs() -> None:
    strokes = sorted(of.FORCE_N)
    slopes = [
        (of.FORCE_N[far] - of.FORCE_N[near]) / (far - near) for near, far in pairwise(strokes)
    ]
    # Two of the data sheet's steps are equal to a tenth of a newton.
    assert all(later >= earlier - 0.1 for earlier, later in pairwise(slopes))


@pytest.mark.parametrize("left_mm", [-0.1, 3.5])
def test_a_stroke_outside_of_the_table_is_refused(left_mm: float) -> None:
    with pytest.raises(ValueError, match="are in the table"):
        of.force_n(left_mm)


def dipole_mt(away_mm: float) -> float:
    """Far away, a magnet is a dipole: its volume's moment, without a ring or sheets."""
    area = 3.141592653589793 * (of.RING_OUTER_MM**2 - of.RING_INNER_MM**2)
    middle = away_mm + of.RING_HIGH_MM / 2
    return 1000 * 1.24 * area * of.RING_HIGH_MM / (2 * 3.141592653589793 * middle**3)


def test_far_from_the_magnet_its_field_is_a_dipoles() -> None:
    assert of.on_axis_mt(200.0, 1.24) == pytest.approx(dipole_mt(200.0), rel=0.01)


def test_the_page_says_which_switches_are_too_stiff(no_access: Facts) -> None:
    page = of.table_of_margins(no_access)
    assert "| Omron B3F, 2.55 N | 3.24 N |" in page
    assert all(f"| {one.what} |" in page for one in margins(no_access))
