"""All text for a terminal goes through one writer, `cli/terminal/console.py`."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import resume_rig

PACKAGE = Path(resume_rig.__file__).parent
WRITER = "cli/terminal/console.py"
PAINTER = "report/text/terminal_text.py"
EXEMPT = {
    WRITER: "writes",
    "cli/main.py": "prints the version, before anything else is loaded",
    "gui/worker/process.py": "a child's pipe to its parent, in pickle",
    "lake/asking.py": "a child's file for its parent, in pickle",
    "rig/native/launcher.py": "a child's pipe to its parent",
}
STREAMS = {"stdout", "stderr", "__stdout__", "__stderr__"}
HANDLERS = {"StreamHandler", "basicConfig", "lastResort", "captureWarnings", "print_exc"}


def faults(tree: ast.AST, *, writes: bool, paints: bool) -> Iterator[str]:
    """Yield what of a module writes to a terminal, or makes what is not cleaned."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="print" | "input" as name)) if not writes:
                yield f"{name}, line {node.lineno}"
            case ast.Attribute(value=ast.Name(id="sys"), attr=name) if (
                name in STREAMS and not writes
            ):
                yield f"sys.{name}, line {node.lineno}"
            case ast.ImportFrom(module="sys", names=names) if not writes:
                yield from (f"sys.{n.name}" for n in names if n.name in STREAMS)
            case ast.Attribute(attr=name) | ast.Name(id=name) if name in HANDLERS and not writes:
                yield f"{name}, line {node.lineno}"
            case ast.Call(func=ast.Attribute(value=ast.Name(id="os"), attr="write"), args=args) if (
                args and isinstance(args[0], ast.Constant) and args[0].value in {1, 2}
            ):
                yield f"os.write, line {node.lineno}"
            case ast.Call(func=ast.Name(id="Painted")) if not paints:
                yield f"Painted(...), line {node.lineno}"
            case ast.Constant(value=str(text)) if not paints and "\x1b[" in text:
                yield f"an escape, line {node.lineno}"


def modules() -> list[str]:
    return sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("name", modules())
def test_no_module_but_the_writer_writes_to_a_terminal(name: str) -> None:
    tree = ast.parse((PACKAGE / name).read_text("utf-8"))
    found = faults(tree, writes=name in EXEMPT, paints=name == PAINTER)
    assert list(found) == []


def test_the_entry_point_prints_nothing_but_the_version() -> None:
    tree = ast.parse((PACKAGE / "cli/main.py").read_text("utf-8"))
    printed = [
        ast.unparse(node.args[0])
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "print"
    ]
    assert printed == ["f'resume-rig {__version__}'"]


@pytest.mark.parametrize(
    "line",
    [
        "print(dut)",
        "sys.stderr.write(text)",
        "input('name? ')",
        "from sys import stdout",
        "logging.StreamHandler()",
        "logging.basicConfig()",
        "os.write(2, text)",
        "Painted(text)",
        "row = '\\x1b[1m' + name",
    ],
)
def test_each_way_past_the_writer_is_found(line: str) -> None:
    assert list(faults(ast.parse(line), writes=False, paints=False))
