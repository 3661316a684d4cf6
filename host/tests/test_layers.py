"""The house's rules: imports run down, inside a package too, and its rooms stay few and whole.

docs/explanation/architecture.md draws what is tested here.
"""

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import resume_rig

PACKAGE = Path(resume_rig.__file__).parent

# Packages on one floor do not know each other.
FLOORS = {
    "model": 0,
    "guard": 1,
    "oslog": 1,
    "timing": 1,
    "rig": 2,
    "analysis": 2,
    "campaign": 3,
    "report": 3,
    "acceptance": 4,
    "gui": 5,
    "lake": 5,  # what it keeps is what acceptance judged
    "pytest_rig": 5,
    "relay": 5,
    "robot": 5,
    "labgrid_rig": 6,  # its campaigns are those of a pytest test
    "cli": 6,  # `resume-rig gui` opens the window
}
# The wings of a package, from below: its folders, or modules beside them; what has no place here
# lies on top. The wings of other packages have no order of their own, only no circle.
WINGS = {
    "analysis": [
        {"stats"},
        {"cycles", "reconcile", "ledger"},
        {"findings"},
        {"verdict"},
        {"answer"},
        {"match", "compare"},
    ],
    "campaign": [{"plan"}, {"store"}, {"dut"}, {"run"}, {"answer"}],
    "oslog": [
        {"source"},
        {"event", "linux", "powercfg", "pwrtest", "xperf"},
        {"etl", "evtx"},
    ],
}

# Ratchets: they go down as rooms are put together, and up only with a reason.
MODULES_AT_MOST = 379
# Lines of code of each package; docstrings, comments and blank lines are free.
CODE_AT_MOST = {
    "acceptance": 2_290,
    "analysis": 16_630,
    "campaign": 10_150,
    "cli": 4_600,
    "guard": 390,
    "gui": 10_230,
    "labgrid_rig": 410,
    "lake": 1_280,
    "model": 2_610,
    "oslog": 8_470,
    "pytest_rig": 260,
    "relay": 260,
    "report": 7_520,
    "rig": 8_790,
    "robot": 760,
    "timing": 1_360,
}
MODULES_IN_A_FOLDER = 16
LINES_OF_A_MODULE = 650
SMALL_LINES = 60
SMALL_WITH_ONE_IMPORTER = 4


def name_of(path: Path) -> str:
    """Return a file's module below `resume_rig`; a package's is the package."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py")) if path.parent != PACKAGE}
ROOMS = {name: path for name, path in MODULES.items() if path.name != "__init__.py"}


def _statements(node: ast.AST, types: bool) -> Iterator[ast.AST]:
    """Yield the statements of a source; those that only a type checker reads are for `types`."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for child in getattr(node, part, ()):
            match child:
                case ast.If(test=ast.Name(id="TYPE_CHECKING")) if not types:
                    continue
            yield child
            yield from _statements(child, types)


@cache
def _parsed(source: str) -> ast.Module:
    return ast.parse(source)


@cache
def imported(source: str, *, types: bool = True) -> frozenset[str]:
    """Return what a source imports of the project, anywhere in it, as dotted names below it.

    Args:
        source: a module's text.
        types: also what only a type checker reads.
    """
    found: set[str] = set()
    for node in _statements(_parsed(source), types):
        match node:
            case ast.Import(names=names):
                dotted = [name.name for name in names]
            case ast.ImportFrom(module=str(module), level=0, names=names):
                dotted = [f"{module}.{name.name}" for name in names]
            case ast.ImportFrom(level=level) if level > 0:
                dotted = ["resume_rig.<relative>"]
            case _:
                continue
        found |= {name.removeprefix("resume_rig.") for name in dotted if name[:11] == "resume_rig."}
    return frozenset(found)


def imported_packages(source: str) -> set[str]:
    """Return the project's packages that a source imports."""
    return {name.split(".")[0] for name in imported(source)}


def forbidden(source: str, package: str) -> set[str]:
    """Return the packages that a source of `package` imports and must not."""
    floor = FLOORS[package]
    allowed = {name for name, height in FLOORS.items() if height < floor} | {package}
    return imported_packages(source) - allowed - {"_core", "__version__"}


def module_in(name: str, modules: Mapping[str, object]) -> str | None:
    """Return the module of an imported name: itself, or the one that defines it."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name or None


def graph(*, types: bool) -> dict[str, set[str]]:
    """Return which module imports which."""
    found = {}
    for name, path in MODULES.items():
        names = imported(path.read_text("utf-8"), types=types)
        found[name] = {module for one in names if (module := module_in(one, MODULES))} - {name}
    return found


def circle(arrows: Mapping[str, set[str]]) -> list[str]:
    """Return a circle of arrows, its first name again at its end; empty where there is none."""
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def folder_of(module: str) -> str:
    """Return the dotted folder that a module's file lies in."""
    path = MODULES[module]
    return ".".join(path.parent.relative_to(PACKAGE).parts)


@pytest.fixture(scope="module")
def arrows() -> dict[str, set[str]]:
    return graph(types=True)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_imports_only_what_lies_below_it(name: str) -> None:
    package = name.partition(".")[0]
    assert package in FLOORS, f"{package} has no floor; give it one in this test and in the docs"
    assert forbidden(MODULES[name].read_text("utf-8"), package) == set()


def test_the_root_imports_nothing_of_the_house() -> None:
    for path in PACKAGE.glob("*.py"):
        assert imported_packages(path.read_text("utf-8")) == set(), path.name


@pytest.mark.parametrize(
    ("package", "source", "expected"),
    [
        ("model", "import resume_rig.timing.clocks", {"timing"}),
        ("oslog", "from resume_rig.timing import clocks", {"timing"}),
        ("rig", "def f():\n    from resume_rig.analysis import match", {"analysis"}),
        ("rig", "from ..model import edge", {"<relative>"}),
        ("cli", "from resume_rig.campaign import store", set()),
    ],
    ids=["up", "sideways", "inside a function", "relative", "down"],
)
def test_the_check_itself_sees_a_wrong_arrow(package: str, source: str, expected: set[str]) -> None:
    assert forbidden(source, package) == expected


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circle(graph(types=False)) == []


def test_no_folders_import_each_other_in_a_circle(arrows: dict[str, set[str]]) -> None:
    folders: dict[str, set[str]] = {}
    for name, targets in arrows.items():
        if name in ROOMS:
            home = folder_of(name)
            folders.setdefault(home, set()).update(
                other for one in targets if one in ROOMS and (other := folder_of(one)) != home
            )
    assert circle(folders) == []


def test_the_check_itself_sees_a_circle() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) != []
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


@pytest.mark.parametrize("package", WINGS)
def test_a_wing_imports_only_what_lies_below_it(package: str, arrows: dict[str, set[str]]) -> None:
    height = {wing: floor for floor, wings in enumerate(WINGS[package]) for wing in wings}
    wrong = []
    for name, targets in arrows.items():
        here, *inner = name.split(".")
        if here != package or not inner or inner[0] not in height:
            continue
        for target in targets:
            there, *other = target.split(".")
            if there != package or not other or other[0] == inner[0]:
                continue
            # What stands beside the wings lies on top of them.
            if height.get(other[0], len(WINGS[package])) >= height[inner[0]]:
                wrong.append(f"{name} -> {target}")
    assert wrong == []


def test_only_the_simulated_bench_touches_the_compiled_core() -> None:
    users = {
        name
        for name, path in MODULES.items()
        if "_core" in imported_packages(path.read_text("utf-8"))
    }
    assert all(user.startswith("rig.sim.") for user in users), users


LISTENS = re.compile(
    r"\b(create_server|start_server|start_http_server|make_server|HTTPServer|TCPServer)\b"
    r"|\.listen\([^)]"
)


def test_only_the_guard_listens_on_tcp() -> None:
    """A web page reaches every TCP port of its reader's machine."""
    listening = {name for name, path in MODULES.items() if LISTENS.search(path.read_text("utf-8"))}
    assert listening == {"guard.door", "guard.http"}


def test_no_folder_holds_more_than_one_can_overlook() -> None:
    counts = Counter(folder_of(name) for name in ROOMS)
    assert {name: n for name, n in counts.items() if n > MODULES_IN_A_FOLDER} == {}


def test_no_module_is_longer_than_an_idea() -> None:
    lines = {name: len(path.read_text("utf-8").splitlines()) for name, path in MODULES.items()}
    assert {name: n for name, n in lines.items() if n > LINES_OF_A_MODULE} == {}


def test_small_modules_with_one_importer_stay_few(arrows: dict[str, set[str]]) -> None:
    importers = Counter(target for targets in arrows.values() for target in targets)
    small = [
        name
        for name, path in ROOMS.items()
        if importers[name] == 1 and len(path.read_text("utf-8").splitlines()) < SMALL_LINES
    ]
    assert len(small) <= SMALL_WITH_ONE_IMPORTER, small


def test_the_house_has_no_more_rooms_than_it_needs() -> None:
    assert len(ROOMS) <= MODULES_AT_MOST


def code_lines(source: str) -> int:
    """Return how many lines of a source are code: no docstring, no comment, not blank."""
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in skipped | {tokenize.ENDMARKER}:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(_parsed(source)):
        # A text that stands by itself is a docstring, below a constant too.
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def test_the_count_of_code_leaves_out_what_explains_it() -> None:
    source = (
        '"""Doc."""\n\n# why\nA = 1  # so\n"""Of A."""\n\n\ndef f():\n    """Do."""\n    return A\n'
    )
    assert code_lines(source) == 3


def test_no_package_has_more_code_than_it_needs() -> None:
    code: Counter[str] = Counter()
    for name, path in MODULES.items():
        code[name.partition(".")[0]] += code_lines(path.read_text("utf-8"))
    assert {name: n for name, n in code.items() if n > CODE_AT_MOST.get(name, 0)} == {}
