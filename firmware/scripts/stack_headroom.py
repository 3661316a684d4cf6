"""Tells how much stack each thread can need, and how much RAM is left: stack_headroom.py BUILD.

Reads what GCC writes beside each object (-fcallgraph-info=su): the frame of every function and the
calls between them. Calls through pointers are not in there; `stack_calls.toml` says where they can
lead. What neither tells is named in the result, with the worst it could be called: a lower bound.
"""

import json
import re
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

NODE = re.compile(r'^node: \{ title: "([^"]+)" label: "([^"]*)"')
EDGE = re.compile(r'^edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"')
FRAME = re.compile(r"(\d+) bytes \((static|dynamic|dynamic,bounded)\)")
INDIRECT = "__indirect_call"


@dataclass
class Graph:
    """The image's functions, by GCC's titles: `name`, or `path:name` where the name is static.

    Attributes:
        frames: bytes of stack of each function that was compiled with the option.
        unbounded: functions whose frame has no bound of its own (alloca, arrays of any length).
        calls: of each function, whom it calls; `__indirect_call` stands for a pointer.
        patterns: what `named` found before.
    """

    frames: dict[str, int] = field(default_factory=dict)
    unbounded: set[str] = field(default_factory=set)
    calls: dict[str, set[str]] = field(default_factory=dict)
    patterns: dict[str, list[str]] = field(default_factory=dict)

    def read(self, text: str) -> None:
        """Add what one .ci file tells."""
        for line in text.splitlines():
            if node := NODE.match(line):
                if frame := FRAME.search(node[2]):
                    self.frames[node[1]] = max(int(frame[1]), self.frames.get(node[1], 0))
                    if frame[2] == "dynamic":
                        self.unbounded.add(node[1])
            elif edge := EDGE.match(line):
                self.calls.setdefault(edge[1], set()).add(edge[2])

    def named(self, pattern: str) -> list[str]:
        """Return the titles that `pattern` means: `name` or `file.c:name`, `*` for any part."""
        if pattern in self.patterns:
            return self.patterns[pattern]
        expression = re.compile(
            r"(?:.*/)?" + re.escape(pattern).replace(r"\*", "[^/:]*") + r"(?:\.\w+\.\d+)?"
        )
        alone = re.compile(r".*:" + re.escape(pattern).replace(r"\*", "[^/:]*"))
        found = [
            title
            for title in self.frames
            if expression.fullmatch(title) or (":" not in pattern and alone.fullmatch(title))
        ]
        self.patterns[pattern] = found
        return found


@dataclass
class Depth:
    """The deepest way down from one function.

    Attributes:
        stack_bytes: of all frames on it.
        way: the functions on it, from the top.
        open_ends: what could not be followed: pointers, recursion, code without figures.
    """

    stack_bytes: int
    way: tuple[str, ...]
    open_ends: frozenset[str]


@dataclass
class Search:
    """Finds depths; each function is looked at once."""

    graph: Graph
    pointers: list[dict[str, list[str]]]
    outside: dict[str, int]
    found: dict[str, Depth] = field(default_factory=dict)
    above: list[str] = field(default_factory=list)

    def depth(self, title: str) -> Depth:
        """Return the deepest way from `title`; a function that is above already ends it."""
        if title in self.found:
            return self.found[title]
        if title in self.above:
            return Depth(0, (), frozenset({f"recursion: {short(title)}"}))
        if title not in self.graph.frames:
            known = self.outside.get(title)
            ends = frozenset() if known is not None else frozenset({f"no figures: {title}"})
            return Depth(known or 0, (title,), ends)
        self.above.append(title)
        deepest, ends = Depth(0, (), frozenset()), set[str]()
        if title in self.graph.unbounded:
            ends.add(f"frame without a bound: {short(title)}")
        for callee in sorted(self.graph.calls.get(title, set())):
            below = self._through_pointer(title) if callee == INDIRECT else self.depth(callee)
            ends |= below.open_ends
            if below.stack_bytes > deepest.stack_bytes:
                deepest = below
        self.above.pop()
        result = Depth(
            self.graph.frames[title] + deepest.stack_bytes,
            (title, *deepest.way),
            frozenset(ends),
        )
        # Below a function that is still open the answer may be cut short by it.
        if not any(end.startswith("recursion") for end in ends) or not self.above:
            self.found[title] = result
        return result

    def _through_pointer(self, caller: str) -> Depth:
        for rule in self.pointers:
            if not any(caller in self.graph.named(pattern) for pattern in rule["callers"]):
                continue
            titles = {title for target in rule["targets"] for title in self.graph.named(target)}
            depths = [self.depth(title) for title in sorted(titles)]
            if not depths:
                # A rule that leads nowhere in this image tells nothing about it.
                lost = {f"pointer: {short(caller)}"} if rule["targets"] else set[str]()
                return Depth(0, (), frozenset(lost))
            ends = frozenset[str]().union(*(depth.open_ends for depth in depths))
            deepest = max(depths, key=lambda depth: depth.stack_bytes)
            return Depth(deepest.stack_bytes, deepest.way, ends)
        return Depth(0, (), frozenset({f"pointer: {short(caller)}"}))


def short(title: str) -> str:
    """Return a title without its folders."""
    return title.rsplit("/", 1)[-1]


def options_of(build: Path) -> dict[str, str]:
    """Return the build's Kconfig options."""
    lines = (build / "zephyr/.config").read_text(encoding="utf-8").splitlines()
    pairs = (line.partition("=") for line in lines if not line.startswith("#"))
    return {name: value.strip('"') for name, equals, value in pairs if equals}


def read_graph(build: Path) -> Graph:
    """Return the graph of every object of the build."""
    graph = Graph()
    for path in sorted(build.rglob("*.ci")):
        graph.read(path.read_text(encoding="utf-8", errors="replace"))
    return graph


def report(build: Path, rules: Path) -> list[dict[str, object]]:
    """Return one row a thread: configured, needed and left stack [bytes], and what is open."""
    with rules.open("rb") as stream:
        told = tomllib.load(stream)
    options, graph = options_of(build), read_graph(build)
    search = Search(graph, told["pointers"], told["outside_bytes"])
    rows: list[dict[str, object]] = []
    for name, thread in told["threads"].items():
        entries = [title for entry in thread["entries"] for title in graph.named(entry)]
        told_bytes = (int(options[key]) for key in thread["stack"] if key in options)
        configured = next(told_bytes, thread.get("stack_bytes"))
        if not entries or configured is None:
            continue
        depths = [search.depth(entry) for entry in entries]
        if thread.get("together"):
            needed = sum(depth.stack_bytes for depth in depths)
        else:
            needed = max(depth.stack_bytes for depth in depths)
        deepest = max(depths, key=lambda depth: depth.stack_bytes)
        rows.append(
            {
                "thread": name,
                "configured_bytes": configured,
                "needed_bytes": needed + thread["entry_bytes"],
                "left_bytes": configured - needed - thread["entry_bytes"],
                "way": [short(title) for title in deepest.way],
                "open_ends": sorted(frozenset[str]().union(*(d.open_ends for d in depths))),
            }
        )
    return rows


def ram(build: Path, options: dict[str, str]) -> tuple[int, int]:
    """Return bytes of RAM that the image takes and that the board has, by the linker's map."""
    text = (build / "zephyr/zephyr.map").read_text(encoding="utf-8", errors="replace")
    ends = {
        name: int(value, 16)
        for value, name in re.findall(
            r"0x0*([0-9a-f]+)\s+(_image_ram_start|_image_ram_end) =", text
        )
    }
    if len(ends) < 2:
        raise SystemExit(
            f"{build}: its map has no _image_ram_start and _image_ram_end, as an image for the "
            "host has none; give a board: make firmware-headroom BOARD=rpi_pico"
        )
    return ends["_image_ram_end"] - ends["_image_ram_start"], int(
        options["CONFIG_SRAM_SIZE"]
    ) * 1024


def main() -> int:
    """Print the table, or JSON with --json; 1 where a stack is too small."""
    build = Path(sys.argv[1])
    rows = report(build, Path(__file__).with_name("stack_calls.toml"))
    used_bytes, all_bytes = ram(build, options_of(build))
    if "--json" in sys.argv:
        document = {"threads": rows, "ram_used_bytes": used_bytes, "ram_bytes": all_bytes}
        sys.stdout.write(json.dumps(document, indent=1) + "\n")
    else:
        for row in rows:
            ends = row["open_ends"]
            assert isinstance(ends, list)
            sign = ">=" if ends else "  "
            sys.stdout.write(
                f"{row['thread']:<22} {row['configured_bytes']:>6} B, needs {sign} "
                f"{row['needed_bytes']:>5} B, left {row['left_bytes']:>5} B\n"
            )
            if "--ways" in sys.argv:
                way = row["way"]
                assert isinstance(way, list)
                sys.stdout.write(f"    way: {' > '.join(way)}\n")
            for end in ends:
                sys.stdout.write(f"    {end}\n")
        sys.stdout.write(
            f"RAM: {used_bytes} of {all_bytes} B taken, {all_bytes - used_bytes} B left\n"
        )
    return int(any(int(str(row["left_bytes"])) < 0 for row in rows))


if __name__ == "__main__":
    sys.exit(main())
