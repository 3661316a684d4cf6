"""The mutants of a module: the same text with one thing changed.

Comparison, arithmetic, a constant by one, a condition, min and max, arguments swapped, a statement
removed. Annotations, decorators and plain enumerations are left alone: they change no answer.
"""

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SWAPS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum",
         "maximum": "minimum"}  # fmt: skip
TEXT = (ast.JoinedStr, ast.List, ast.Tuple)


@dataclass(frozen=True)
class Mutant:
    """One change; a line of the report names it by its text, so that it survives a move."""

    path: Path
    line: int
    reached_by: range
    was: str
    becomes: str
    source: bytes


def _compared(node: ast.Compare) -> Iterator[ast.AST]:
    for at, op in enumerate(node.ops):
        yield _with(node, ops=[*node.ops[:at], SWAPS[type(op)](), *node.ops[at + 1 :]])


def _calculated(node: ast.BinOp) -> Iterator[ast.AST]:
    sides = (node.left, node.right)
    text = any(isinstance(side, TEXT) or isinstance(_value(side), str) for side in sides)
    if type(node.op) in SWAPS and not text:
        yield _with(node, op=SWAPS[type(node.op)]())


def _numbered(node: ast.Constant) -> Iterator[ast.AST]:
    match node.value:
        case bool(value):
            yield ast.Constant(not value)
        case int(value) if value <= 100:
            yield from (ast.Constant(value + 1), ast.Constant(value - 1))
        case int(value):  # a nanosecond more or less than a second is no fault
            yield ast.Constant(value * 2)
        case float(value):
            yield ast.Constant(value * 2 if value else 1.0)


def _called(node: ast.Call) -> Iterator[ast.AST]:
    key = "id" if isinstance(node.func, ast.Name) else "attr"
    name = getattr(node.func, key, "")
    if name in NAMES:
        yield _with(node, func=_with(node.func, **{key: NAMES[name]}))
    elif name in ("isinstance", "suppress"):  # the one fails at once, the other takes any order
        return
    elif len(node.args) > 1 and not isinstance(node.args[0], ast.Starred):
        first, second, *others = node.args
        if ast.dump(first) != ast.dump(second):
            yield _with(node, args=[second, first, *others])


def _chosen(node: ast.If | ast.IfExp) -> Iterator[ast.AST]:
    # The others have their own changes.
    if not isinstance(node.test, ast.Compare | ast.BoolOp | ast.UnaryOp):
        yield _with(node, test=ast.UnaryOp(ast.Not(), node.test))


def _added(node: ast.AugAssign) -> Iterator[ast.AST]:
    if type(node.op) in SWAPS:
        yield _with(node, op=SWAPS[type(node.op)]())
    yield ast.Pass()


def _done(node: ast.Expr) -> Iterator[ast.AST]:
    told = ast.unparse(node.value).startswith(("logger.", "assert_never"))
    if isinstance(node.value, ast.Call) and not told:
        yield ast.Pass()


def _kept(node: ast.Assign) -> Iterator[ast.AST]:
    if isinstance(node.targets[0], ast.Attribute | ast.Subscript):
        yield ast.Pass()


def _removed(_: ast.stmt) -> Iterator[ast.AST]:
    yield ast.Pass()


CHANGES: dict[type, Callable[..., Iterator[ast.AST]]] = {
    ast.Compare: _compared,
    ast.BinOp: _calculated,
    ast.BoolOp: lambda node: iter([_with(node, op=SWAPS[type(node.op)]())]),
    ast.UnaryOp: lambda node: iter([node.operand] if isinstance(node.op, ast.Not) else []),
    ast.Constant: _numbered,
    ast.Call: _called,
    ast.If: _chosen,
    ast.IfExp: _chosen,
    ast.AugAssign: _added,
    ast.Expr: _done,
    ast.Assign: _kept,
    ast.Raise: _removed,
    ast.Continue: _removed,
    ast.Break: _removed,
}


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in the place of a node."""
    change = CHANGES.get(type(node))
    return iter(()) if change is None else change(node)


def _value(node: ast.AST) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    vars(changed).update(fields)
    return changed


def _end(node: ast.expr | ast.stmt, starts: Sequence[int]) -> int:
    """Return where a node ends in the source, given where its lines start."""
    assert node.end_lineno is not None  # it was parsed
    assert node.end_col_offset is not None
    return starts[node.end_lineno - 1] + node.end_col_offset


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Yield every mutant of a module."""
    source = path.read_bytes()
    lines = source.splitlines(keepends=True)
    starts = [sum(map(len, lines[:at])) for at in range(len(lines) + 1)]
    whole = range(1, len(lines) + 1)
    # Each node with the lines whose tests may see it: its statement's, or those of all that is
    # read when the module, a class or a signature is.
    nodes: list[tuple[ast.AST, range]] = [(ast.parse(source), whole)]
    while nodes:
        node, reach = nodes.pop()
        for name, value in ast.iter_fields(node):
            if name in {"annotation", "returns", "decorator_list", "format_spec"}:
                continue
            for child in value if isinstance(value, list) else [value]:
                if not isinstance(child, ast.AST) or _says_nothing(child):
                    continue
                lines_of = reach
                function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
                if isinstance(child, ast.stmt) and (function or reach != whole):
                    lines_of = range(child.lineno, (child.end_lineno or child.lineno) + 1)
                nodes.append((child, lines_of))
        if not isinstance(node, ast.expr | ast.stmt):
            continue
        begin, end = starts[node.lineno - 1] + node.col_offset, _end(node, starts)
        for changed in changes(node):
            text = ast.unparse(ast.fix_missing_locations(changed))
            if isinstance(node, ast.expr):
                text = f"({text})"
            elif isinstance(node, ast.If) and isinstance(changed, ast.If):
                end = _end(node.test, starts)
                text = f"{source[begin:end].split()[0].decode()} {ast.unparse(changed.test)}"
            after = source[:begin] + text.encode() + source[end:]
            first = starts[node.lineno - 1]
            last = source.find(b"\n", end)
            was = " ".join(source[first:last].decode().split())
            becomes = " ".join(after[first : last + len(after) - len(source)].decode().split())
            yield Mutant(path, node.lineno, reach, was, becomes, after)


def _says_nothing(node: ast.AST) -> bool:
    """Whether a node cannot change an answer: enumerations, what types import, zip's `strict`."""
    match node:
        case ast.ClassDef(bases=bases):
            return any(ast.unparse(base) in {"Enum", "Protocol"} for base in bases)
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.keyword(arg="strict"):
            return True
    return False
