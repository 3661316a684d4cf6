"""Compiles firmware/core into the package as `resume_rig._core` (cffi, API mode).

The declarations are read from the firmware's own headers, so that a struct which drifts from them
fails the build instead of the measurement. zcbor's C sources come from its Python package; they
need GCC or Clang (on Windows: MinGW-w64). Without either the package is built without the core,
unless RESUME_RIG_CORE=required.
"""

import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path

from cffi import FFI

ROOT = Path(__file__).resolve().parents[1]
CORE = Path("firmware/core")  # relative to ROOT, as setuptools wants the sources to be
# The public ones, each before those that include it.
HEADERS = (
    *("rig_time.h", "rig_calibration.h", "rig_replay.h", "rig_loopback.h", "rig_onset.h"),
    "rig_core.h",
)

# The core calls its shell through pointers; these are the host's shell.
CALLBACKS = """
extern "Python" uint64_t resume_rig_now_ns(void *);
extern "Python" void resume_rig_drive(void *, uint32_t, bool);
extern "Python" uint32_t resume_rig_selftest(void *, struct rig_check *, uint32_t);
extern "Python" void resume_rig_keyboard(void *, struct rig_keyboard *);
extern "Python" int resume_rig_store(void *, const struct rig_calibration *);
"""


def declarations(header: str) -> str:
    """Return what cffi understands of a header: no comments, no guard, no includes."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    text = re.sub(r"^#\s*(ifndef|endif|include|define\s+\w+\s*$).*$", "", text, flags=re.MULTILINE)
    return re.sub(r"\n\s*\n+", "\n", text)


def zcbor_folder() -> Path:
    """Return the folder of the zcbor package, without importing it."""
    spec = find_spec("zcbor")
    if spec is None or spec.origin is None:
        sys.exit("building resume_rig._core needs zcbor's C sources: pip install zcbor==0.8.1")
    return Path(spec.origin).parent


def core_builder() -> FFI:
    """Return the cffi builder of `resume_rig._core`."""
    zcbor = zcbor_folder()
    core_sources = sorted(path.name for path in (ROOT / CORE).glob("*.c"))
    builder = FFI()
    headers = [(ROOT / CORE / name).read_text("utf-8") for name in HEADERS]
    builder.cdef("".join(map(declarations, headers)) + CALLBACKS)
    builder.set_source(
        "resume_rig._core",
        '#include "rig_core.h"',
        sources=[(CORE / name).as_posix() for name in core_sources]
        + [str(path) for path in sorted((zcbor / "src").glob("*.c"))],
        include_dirs=[CORE.as_posix(), str(zcbor / "include")],
        depends=[path.relative_to(ROOT).as_posix() for path in (ROOT / CORE).glob("*.h")],
        # zcbor's float conversions break aliasing, though none is used.
        extra_compile_args=["-fno-strict-aliasing"],
        py_limited_api=True,
        # Only sim: runs the core, and says what is missing; a release must not lack it.
        optional=os.environ.get("RESUME_RIG_CORE") != "required",
    )
    return builder


builder = core_builder()
