"""The two things that pyproject.toml cannot say: the compiled core, and data from fixtures/."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent


class BuildCore(build_ext):
    def get_source_files(self) -> list[str]:
        # zcbor's sources lie outside of the project; a source distribution must not carry them.
        files = (Path(name) for name in super().get_source_files())
        return [str(path) for path in files if not path.is_absolute() and path.exists()]


class BuildPackage(build_py):
    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            self._copy_dut_profiles()
            self._copy_delays()

    def _copy_dut_profiles(self) -> None:
        folder = Path(self.build_lib) / "resume_rig" / "data" / "duts"
        folder.mkdir(parents=True, exist_ok=True)
        for profile in sorted((ROOT / "fixtures" / "duts").glob("*.toml")):
            shutil.copyfile(profile, folder / profile.name)

    def _copy_delays(self) -> None:
        folder = Path(self.build_lib) / "resume_rig" / "data"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / "hardware" / "delays.toml", folder / "delays.toml")


setup(
    cffi_modules=["host/build_core.py:builder"],
    cmdclass={"build_ext": BuildCore, "build_py": BuildPackage},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
