"""Makes a CPython for Windows that runs under Wine, for `make test-windows`.

    python host/windows_python.py VERSION FOLDER

FOLDER/python.exe is the CPython that JavaCPP's authors build with MSVC and publish as a Maven
artifact. Maven fetches it; MinGW-w64 makes what it lacks, and what Wine lacks.
"""

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

# Maven artifacts. The second brings Microsoft's C and C++ run time, of which Wine has less.
PYTHONS = {
    "3.12": "org.bytedeco:cpython:3.12.1-1.5.10",
    "3.13": "org.bytedeco:cpython:3.13.5-1.5.12",
}
RUN_TIME = "org.bytedeco:javacpp:1.5.12"
RUN_TIME_FILES = ("ucrtbase.dll", "msvcp140", "vcruntime140")
CLASSIFIER = "windows-x86_64"
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"

MINGW = "x86_64-w64-mingw32-"

# Not in Wine 8: ProcessPrng, which Rust takes its random numbers from, and CM_MapCrToWin32Err,
# which pyserial looks up when it is imported and calls after a failure. Source and exports.
STUBS = {
    "bcryptprimitives.dll": (
        "unsigned char __stdcall SystemFunction036(void *, unsigned long);\n"
        "int ProcessPrng(unsigned char *data, unsigned long long size)\n"
        "{ return SystemFunction036(data, (unsigned long)size); }\n",
        ["ProcessPrng"],
    ),
    "cfgmgr32.dll": (
        "unsigned long CM_MapCrToWin32Err(unsigned long code, unsigned long error)\n"
        "{ return error; }\n",
        [
            "CM_MapCrToWin32Err",
            "CM_Get_Parent=setupapi.CM_Get_Parent",
            "CM_Get_Device_IDW=setupapi.CM_Get_Device_IDW",
        ],
    ),
}

# Wine 8 has no CopyFile2 and no WMI; the standard library has another way for both.
SITE = """\
import sys
import _winapi
if hasattr(_winapi, "CopyFile2"):
    del _winapi.CopyFile2
sys.modules["_wmi"] = None
"""

# Who waits for messages in Wine 8 is not told of an empty one that has come before. A pool of
# processes says with such a one that it is done, and never ended.
POOL = "Lib/concurrent/futures/process.py"
POOL_WAKES_BY = ('self._writer.send_bytes(b"")', 'self._writer.send_bytes(b"wake")')


def fetched(artifact: str, folder: Path) -> Path:
    """Return the jar of a Maven artifact."""
    asked = [f"-Dartifact={artifact}:jar:{CLASSIFIER}", f"-DoutputDirectory={folder}"]
    subprocess.run(
        ["mvn", "--batch-mode", "--quiet", "-Dstyle.color=never", COPY, *asked], check=True
    )
    _, name, version = artifact.split(":")
    return folder / f"{name}-{version}-{CLASSIFIER}.jar"


def unpack(jar: Path, root: str, names: tuple[str, ...], folder: Path) -> None:
    """Write into a folder what a jar has below a root, as far as its name starts with one of these.

    A jar's own folders are written small; Windows would not care, a test of paths may.
    """
    with zipfile.ZipFile(jar) as archive:
        for item in archive.infolist():
            path = item.filename.removeprefix(root)
            if item.is_dir() or path == item.filename or not path.startswith(names):
                continue
            if path.startswith("lib/"):
                within = Path(path).relative_to("lib")
                loose = len(within.parts) == 1 and within.suffix in {".pyd", ".dll"}
                path = str(Path("DLLs" if loose else "Lib", within))
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.read(item))


def stable_names(import_library: Path) -> set[str]:
    """Return what python3.lib imports: functions and data."""
    words = [MINGW + "nm", str(import_library)]
    shown = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    names = {line.split()[-1] for line in shown.splitlines() if " I " in line}
    return {name.removeprefix("__imp_") for name in names}


def exported_names(library: Path) -> set[str]:
    """Return what a DLL exports."""
    words = [MINGW + "objdump", "--private-headers", str(library)]
    shown = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    table = shown.partition("[Ordinal/Name Pointer] Table")[2].splitlines()
    return {line.split()[-1] for line in table if line.strip().startswith("[")}


def make_library(library: Path, source: str, exports: list[str]) -> None:
    """Make a DLL of a few lines of C and a list of exports, `NAME` or `NAME=LIBRARY.NAME`."""
    with tempfile.TemporaryDirectory() as folder:
        code, definition = Path(folder, "library.c"), Path(folder, "library.def")
        code.write_text(source, "utf-8")
        lines = [f"LIBRARY {library.name}", "EXPORTS", *exports]
        definition.write_text("\n".join(lines) + "\n", "utf-8")
        words = ["gcc", "-shared", "-s", "-o", library, code, definition, "-ladvapi32"]
        subprocess.run([MINGW + words[0], *map(str, words[1:])], check=True)


def main(version: str, folder: Path) -> None:
    """Make the folder anew."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    core = f"python{version.replace('.', '')}"
    wanted = ("python.exe", f"{core}.dll", "lib/", f"libs/{core}.lib", "libs/python3.lib")
    with tempfile.TemporaryDirectory() as jars:
        python = fetched(PYTHONS[version], Path(jars))
        unpack(python, f"org/bytedeco/cpython/{CLASSIFIER}/", wanted, folder)
        run_time = fetched(RUN_TIME, Path(jars))
        unpack(run_time, f"org/bytedeco/javacpp/{CLASSIFIER}/", RUN_TIME_FILES, folder)
    names = stable_names(folder / "libs/python3.lib") & exported_names(folder / f"{core}.dll")
    make_library(folder / "python3.dll", "", [f"{name}={core}.{name}" for name in sorted(names)])
    for name, (source, exports) in STUBS.items():
        make_library(folder / name, source, exports)
    pool = (folder / POOL).read_text("utf-8")
    assert POOL_WAKES_BY[0] in pool
    (folder / POOL).write_text(pool.replace(*POOL_WAKES_BY), "utf-8")
    (folder / "Lib/sitecustomize.py").write_text(SITE, "utf-8")


main(sys.argv[1], Path(sys.argv[2]))
