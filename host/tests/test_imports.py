"""What tests and benchmarks import of the project is there, also where no test runs the import.

Benchmarks, and what makes golden inputs, run once in weeks: a name that moved would be seen then.
"""

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
ON_PATH = [
    ROOT / "host/src",
    *(ROOT / each for each in CONFIG["tool"]["pytest"]["ini_options"]["pythonpath"]),
    ROOT / "benchmarks",
]
OURS = {"resume_rig", "golden", "oslog", "world"}
COMPILED = {"_core"}
FILES = [*sorted((ROOT / "host/tests").rglob("*.py")), *sorted((ROOT / "benchmarks").glob("*.py"))]


def found(dotted: str) -> Path | None:
    """Return the file of one of the project's modules; None where it is somebody else's."""
    for folder in ON_PATH:
        place = folder.joinpath(*dotted.split("."))
        for file in (place.with_suffix(".py"), place / "__init__.py"):
            if file.is_file():
                return file
    return None


@cache
def names_of(file: Path) -> frozenset[str]:
    """Return what a module defines or imports, wherever it does."""
    names = {path.stem for path in file.parent.iterdir()} if file.stem == "__init__" else set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.ImportFrom(names=imported) | ast.Import(names=imported):
                names |= {each.asname or each.name for each in imported}
    return frozenset(names)


def lacking(file: Path) -> Iterator[str]:
    """Yield what a file imports and nobody has."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if not isinstance(node, ast.ImportFrom) or node.module is None or node.level:
            continue
        of = found(node.module)
        if of is not None:
            names = {each.name for each in node.names} - names_of(of) - COMPILED
            yield from (f"{node.module}.{name}, line {node.lineno}" for name in sorted(names))
        elif node.module.split(".")[0] in OURS and not COMPILED & {*node.module.split(".")}:
            yield f"{node.module}, line {node.lineno}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_what_is_imported_is_there(file: Path) -> None:
    assert list(lacking(file)) == []
