"""Boards that lie in well-formed replies: an answer or a sentence, and a store that opens."""

import random
from pathlib import Path

import pytest
from campaign.lying_board import lying

from resume_rig.campaign.store.salvage import check_store
from resume_rig.cli.main import main


@pytest.mark.timeout(60)  # a host that believes it waits for ever
@pytest.mark.parametrize("seed", range(12))
def test_a_lie_is_found_out_or_does_no_harm(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, seed: int
) -> None:
    store = str(tmp_path / "s.rrs")
    rig = ("--rig", f"sim:clock=virtual,seed={seed}", "--cycles", "3", "--progress", "quiet")
    with lying(random.Random(f"lie {seed}")) as liar:
        status = main(["run", *rig, "--out", store])

    said = "".join(capsys.readouterr())
    assert status in (0, 1, 2, 3, 4), said
    assert "internal error" not in said
    assert "\x1b" not in said
    if Path(store).exists():
        assert not check_store(Path(store)).problems
    if status == 0:
        assert main(["correlate", store]) == 0, f"{liar.lies} lies"
