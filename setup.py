"""The two things that pyproject.toml cannot say: the compiled core, and data from fixtures/."""

import os
import shutil
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
# Set by `make wheels`, which builds for Windows elsewhere, with MinGW-w64.
FOR_WINDOWS = os.environ.get("SETUPTOOLS_EXT_SUFFIX") == ".pyd"


class BuildCore(build_ext):
    def get_source_files(self) -> list[str]:
        # zcbor's sources lie outside of the project; a source distribution must not carry them.
        files = (Path(name) for name in super().get_source_files())
        return [str(path) for path in files if not path.is_absolute() and path.exists()]

    def get_ext_filename(self, fullname: str) -> str:
        # setuptools takes abi3's suffix from the Python that it runs on.
        name = super().get_ext_filename(fullname)
        return str(Path(*fullname.split(".")).with_suffix(".pyd")) if FOR_WINDOWS else name

    def get_libraries(self, ext: Extension) -> list[str]:
        # A DLL names where each of its symbols comes from: python3.dll forwards the stable ABI.
        return [*super().get_libraries(ext), *(["python3"] if FOR_WINDOWS else [])]


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
