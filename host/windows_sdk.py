"""Makes what MinGW-w64 needs to compile `resume_rig._core` for Windows on another system.

    python host/windows_sdk.py FOLDER

FOLDER/include gets this Python's headers with a pyconfig.h for Windows, FOLDER/libpython3.a the
import library of python3.dll. Under the stable ABI nothing else of a Python for Windows is seen by
the compiler, and a symbol that is not in the ABI fails the link.
"""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from abi3info import DATAS, FUNCTIONS
from abi3info.models import PyVersion

OLDEST = PyVersion(3, 11)  # requires-python, and the wheel's tag

# 64-bit Windows is LLP64: long has 4 bytes, wchar_t 2. The names are those that CPython's headers
# test under Py_LIMITED_API.
PYCONFIG = """\
#define MS_WINDOWS
#define MS_WIN32
#define MS_WIN64
#define HAVE_DECLSPEC_DLL
#define Py_ENABLE_SHARED 1
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_FLOAT 4
#define SIZEOF_DOUBLE 8
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_WCHAR_T 2
#define ALIGNOF_LONG 4
#define ALIGNOF_SIZE_T 8
#define WITH_DOC_STRINGS 1
"""


def main(folder: Path) -> None:
    """Write headers and import library into a new folder."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(sysconfig.get_path("include"), folder / "include")
    (folder / "include" / "pyconfig.h").write_text(PYCONFIG, "utf-8")
    functions = [item.symbol.name for item in FUNCTIONS.values() if item.added <= OLDEST]
    data = [f"{item.symbol.name} DATA" for item in DATAS.values() if item.added <= OLDEST]
    definition = folder / "python3.def"
    lines = ["LIBRARY python3.dll", "EXPORTS", *sorted(functions), *sorted(data)]
    definition.write_text("\n".join(lines) + "\n", "utf-8")
    made = ["--input-def", definition, "--output-lib", folder / "libpython3.a"]
    subprocess.run(["x86_64-w64-mingw32-dlltool", *map(str, made)], check=True)


main(Path(sys.argv[1]))
