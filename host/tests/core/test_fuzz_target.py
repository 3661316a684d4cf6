"""The fuzz target builds, and every seed made from the golden vectors plays through."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "firmware" / "tests" / "fuzz"


def fuzz(build: Path, *settings: str) -> str:
    words = ["make", "-C", FOLDER, f"PYTHON={sys.executable}", f"BUILD={build}", *settings]
    result = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_every_seed_plays_through(tmp_path: Path, vectors: dict) -> None:
    said = fuzz(tmp_path, "SECONDS=0", "RUNS=0")
    if "no clang with libFuzzer here" in said:
        pytest.skip("no clang with libFuzzer here (Debian: clang and libclang-rt-14-dev)")
    played = re.search(r"all as agreed in this many sequences: (\d+)", said)
    assert played is not None
    assert {entry["name"] for entry in vectors["exchanges"]} <= {
        path.name for path in (tmp_path / "seeds").iterdir()
    }
    assert int(played[1]) > len(vectors["exchanges"])


def test_without_libfuzzer_the_soak_runs_and_a_sentence_says_so(tmp_path: Path) -> None:
    said = fuzz(tmp_path, "SECONDS=1", "FUZZ_CC=no-such-compiler")
    assert "no no-such-compiler with libFuzzer here" in said
    assert re.search(r"soak: \d+ damaged requests", said)
