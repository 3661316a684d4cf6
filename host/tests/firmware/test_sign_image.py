"""Images are signed with the user's own key; one that everybody has is refused."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[3] / "firmware/scripts/sign_image.py"


def sign(folder: Path, out: str) -> subprocess.CompletedProcess[str]:
    mcuboot = folder / "mcuboot"
    (mcuboot / "scripts").mkdir(parents=True)
    (mcuboot / "root-ec-p256.pem").write_text("BEGIN\nknown to all\nEND\n", encoding="ascii")
    (folder / "mine.pem").write_text("BEGIN\r\nknown to all\r\nEND", encoding="ascii")
    build, imgtool = str(folder / "build"), str(mcuboot / "scripts/imgtool.py")
    return subprocess.run(
        [sys.executable, str(SCRIPT), build, imgtool, str(folder / "mine.pem"), out],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_published_key_is_refused_whatever_its_file_is_called(tmp_path: Path) -> None:
    ran = sign(tmp_path, "board.signed.bin")
    assert ran.returncode == 2
    assert "MCUboot publishes that key" in ran.stderr
    assert ran.stdout == ""


def test_a_demonstration_gets_past_the_key(tmp_path: Path) -> None:
    # It then misses the build, which this test does not have.
    assert "publishes" not in sign(tmp_path, "board-demo.signed.bin").stderr
