"""What a store or the settings name is not opened by the window by itself."""

import json
import os
import sqlite3
import sys
from pathlib import Path

import pytest
from campaign_pages import PATIENCE_MS, SIM, campaign_of, wait_for
from pytestqt.qtbot import QtBot

from resume_rig.cli.main import main
from resume_rig.gui.app.window import Window
from resume_rig.gui.worker.campaign_state import Phase

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the payload is a shell script")


@pytest.fixture
def payload(tmp_path: Path) -> Path:
    path = tmp_path / "payload"
    path.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def sent(path: Path, url: str) -> Path:
    """Write a store with a cycle left, whose rig a stranger named."""
    assert main(["run", "--rig", SIM, "--cycles", "2", "--out", str(path)]) in (0, 4)
    store = sqlite3.connect(path)
    for name, key, value in (("identity", "rig_url", url), ("plan", "cycles", 3)):
        (text,) = store.execute("SELECT value FROM identity WHERE name = ?", (name,)).fetchone()
        text = json.dumps(json.loads(text) | {key: value})
        store.execute("UPDATE identity SET value = ? WHERE name = ?", (text, name))
    store.commit()
    store.close()
    return path


def test_a_store_that_was_sent_resumes_on_the_rig_that_the_user_chose_alone(
    qtbot: QtBot, window: Window, payload: Path, tmp_path: Path
) -> None:
    store = sent(tmp_path / "sent.rrs", f"native:{payload}")
    view = campaign_of(window)
    view.resume_store(store)
    wait_for(qtbot, window, Phase.FAILED)
    qtbot.waitUntil(lambda: "the rig that the store names" in view.notice.text, timeout=PATIENCE_MS)
    assert "Resume a store on the rig above" in view.notice.text
    assert not (tmp_path / "ran").exists()

    view.resume_store(store, here=True)
    wait_for(qtbot, window, Phase.FINISHED)
    assert not (tmp_path / "ran").exists()


def test_a_campaign_of_this_window_resumes_on_the_rig_that_was_typed(
    qtbot: QtBot, window: Window, tmp_path: Path
) -> None:
    faults = tmp_path / "faults.toml"
    faults.write_text('[[fault]]\nkind = "unplug"\nat_s = [12]\nfor_s = 400\n', encoding="utf-8")
    view = campaign_of(window, f"sim:clock=virtual,seed=7,faults={faults}", cycles=4)
    view.setting.store.setText(str(tmp_path / "night.rrs"))
    view.start()
    wait_for(qtbot, window, Phase.FAILED)
    faults.write_text(faults.read_text("utf-8"), encoding="utf-8")
    view.setting.choice.choose("sim:", None)
    done = window.desk.state.campaign.done
    view.resume()
    qtbot.waitUntil(lambda: window.desk.state.campaign.done > done, timeout=PATIENCE_MS)
    wait_for(qtbot, window, Phase.FINISHED, Phase.FAILED)
    assert "the rig that the store names" not in view.notice.text


@pytest.fixture
def remembered(settings: Path, payload: Path, tmp_path: Path) -> str:
    """Settings that name a program as the rig, and a pipe among the documents."""
    kept = tmp_path / "kept.rrs"
    os.mkfifo(kept)  # who opened it would wait
    settings.write_text(
        f"[bench]\nrig=native:{payload}\nrigs=native:{payload}\n"
        f"[window]\ndocuments=store\\t{kept}\n[campaign]\nlog={payload}\n",
        encoding="utf-8",
    )
    return f"native:{payload}"


def test_settings_that_name_a_rig_fill_a_field_and_open_nothing(
    qtbot: QtBot, remembered: str, window: Window, tmp_path: Path
) -> None:
    view = campaign_of(window, url=remembered)
    for page in ("start", "bench", "explorer", "campaign"):
        window.go(page)
        qtbot.wait(20)
    assert view.setting.choice.rig.findText(remembered) >= 0
    assert not (tmp_path / "ran").exists()
