"""The page of limits and budgets: margins, what an interval's uncertainty comes from."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from resume_rig.cli.main import main
from resume_rig.gui.app.window import Window
from resume_rig.gui.desk import Remembered
from resume_rig.gui.limits.view import LimitsView
from resume_rig.gui.request import Target, ThemeName
from resume_rig.gui.state.requirement_choice import requirement_of
from resume_rig.gui.theme import Look
from resume_rig.model.errors import UsageError


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("stores") / "slow.rrs"
    words = ["--dut", "slow-bios", "--cycles", "6", "--progress", "quiet", "--out", str(path)]
    main(["run", "--rig", "sim:clock=virtual,seed=4", *words])
    return path


@pytest.fixture
def window(qtbot, tmp_path):
    window = Window(Look(ThemeName.DARK), Remembered(tmp_path / "settings.ini"))
    qtbot.addWidget(window)
    window.show()
    yield window
    window.close_at_once()


def opened(qtbot, window: Window, path: Path) -> LimitsView:
    window.go("limits", Target((path,)))
    view = window.view
    assert isinstance(view, LimitsView)
    qtbot.waitUntil(view.settled, timeout=60_000)
    return view


def column(panel, title: str) -> list[str]:
    table = panel.model.table
    number = [one.title for one in table.columns].index(title)
    return [table.cell(row, number) for row in range(len(table))]


def test_each_limit_has_its_margin(qtbot, window, store) -> None:
    view = opened(qtbot, window, store)

    worst, margin = (float(column(view.limits, title)[0]) for title in ("worst", "margin"))
    assert worst + margin == 2_000
    assert column(view.limits, "demand") == ["required", "advised", "required"]
    assert float(column(view.limits, "margin")[1]) < 0  # the BIOS takes longer than is advised
    # What a cycle came back without is no time: it has no margin, and says what nobody checked.
    assert column(view.limits, "limit")[2] == "back whole in every cycle"
    assert column(view.limits, "verdict") == ["PASS", "FAIL", "PASS"]
    assert "not checked: devices (run “Health reports”)" in column(view.limits, "rests on")[2]
    assert view.reach._reaches[1].shares[-1] > 100


def test_another_limit_is_judged(qtbot, window, store) -> None:
    view = opened(qtbot, window, store)
    assert view.verdict.badge.text() == "PASS"

    qtbot.keyClicks(view.setting.limit, "900")
    qtbot.keyClick(view.setting.limit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.verdict.badge.text() == "FAIL", timeout=60_000)


def test_the_terms_of_a_budget_sum_to_it(qtbot, window, store) -> None:
    view = opened(qtbot, window, store)

    for row, budget in enumerate(view._budgets):
        view.budgets.chosen.emit(row)
        shares = {part.name: part.share for part in view.bar._parts}
        nets = sum(part.net_ns**2 for part in view.bar._parts) ** 0.5
        assert sum(shares.values()) == pytest.approx(100, abs=0.5)
        assert nets == pytest.approx(budget.standard_ns, rel=0.01, abs=2)
        assert len(view.terms.model.table) == len(budget.rows)


def test_what_is_no_store_is_said(qtbot, window, tmp_path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("no store")

    view = opened(qtbot, window, path)

    assert str(path) in view.notice.text
    assert view.verdict.isHidden()


def test_the_guard_band_is_chosen_by_keys_and_judges_as_the_option_does(
    qtbot, window, store, capsys
) -> None:
    view = opened(qtbot, window, store)
    worst_ms = round(float(column(view.limits, "worst")[0]))
    limit = str(worst_ms + 1)  # met as reported, and within the rounding of the two times
    qtbot.keyClicks(view.setting.limit, limit)
    qtbot.keyClick(view.setting.limit, Qt.Key.Key_Return)
    qtbot.waitUntil(view.settled, timeout=60_000)
    assert view.verdict.badge.text() == "PASS"

    view.setting.guard_band.setFocus()
    qtbot.keyClick(view.setting.guard_band, Qt.Key.Key_Down)
    assert view.setting.guard_band.currentText() == "with"
    qtbot.waitUntil(view.settled, timeout=60_000)

    capsys.readouterr()
    main(["correlate", str(store), "--limit-ms", limit, "--guard-band", "--json"])
    assert view.verdict.badge.text() == "MARGINAL"
    assert json.loads(capsys.readouterr().out)["verdict"] == "MARGINAL"
    qtbot.keyClick(view.setting.guard_band, Qt.Key.Key_Down)
    qtbot.waitUntil(view.settled, timeout=60_000)
    assert view.setting.load().guard_band is False
    assert view.verdict.badge.text() == "PASS"


def test_what_is_no_rule_for_a_guard_band_is_refused() -> None:
    assert requirement_of("sysfund-0004", guard_band="with").guard_band is True
    with pytest.raises(UsageError, match="'maybe' is no rule; allowed are the profile's, with"):
        requirement_of("sysfund-0004", guard_band="maybe")
