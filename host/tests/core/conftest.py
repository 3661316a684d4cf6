"""A board that is the compiled core and nothing else: its clock stands where a test puts it."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cbor2
import pytest
from resume_rig._core import ffi, lib

S = 1_000_000_000
TEXTS = (
    *("firmware", "board", "clock_source", "reset_reason", "dut_log"),
    *("edge_source", "store_name"),
)
NUMBERS = ("crystal", "clock_hz", "clock_tolerance_ppb", "boot_id", "nonce", "watchdog_resets")
ALL_CHANNELS = tuple((name, 1000, 0, 500) for name in ("PWR_OK", "SLP_S3", "SLP_S4"))


@dataclass(frozen=True)
class BoardPlan:
    """What a board is made of; the words are those of vectors.json."""

    firmware: str = "1.2.3"
    board: str = "test"
    boot_id: int = 7
    nonce: int = 0x5EED
    reset_reason: str = "power-on"
    watchdog_resets: int = 0
    clock_source: str = "xtal"
    clock_hz: int = 1_000_000
    clock_tolerance_ppb: int = 30_000
    crystal: bool = False
    edge_source: str | None = None
    store_name: str | None = None  # None: the board keeps nothing
    calibration: Mapping[str, Any] = field(default_factory=dict)
    past: tuple[tuple[Any, ...], ...] | None = None
    dut_log: str | None = None
    bootloader: bool = False
    lease_ns: int = 3 * S
    edge_capacity: int = 8
    light_capacity: int = 4
    onset: tuple[int, int, int] = (0, 0, 0)  # samples kept, samples in a second, full scale
    levels: int = 0
    channels: tuple[tuple[str, *tuple[int, ...]], ...] = ALL_CHANNELS
    actuators: tuple[tuple[str, str, *tuple[int, ...]], ...] = (
        ("BUTTON", "press", S, 12 * S),
        ("LID", "hold", 0, 0),
    )
    selftest: tuple[tuple[str, bool, int], ...] = ()
    keyboard: tuple[int, ...] | None = None  # None: the board is none
    power: tuple[int, ...] | None = None  # samples kept, period, window, shunt, its tolerance


@dataclass(frozen=True)
class Reply:
    rc: int
    payload: bytes

    @property
    def fields(self) -> dict:
        return cbor2.loads(self.payload)

    @property
    def error(self) -> int:
        """The group's error code, 0 when it is no error."""
        return self.fields["err"]["rc"] if "err" in self.fields else 0


@dataclass
class Board:
    """The core, wired to Python; `drives` and `stored` are every call of those callbacks."""

    plan: BoardPlan
    now_ns: int = 0
    drives: list[tuple[int, bool]] = field(default_factory=list)
    stored: list[dict[str, Any]] = field(default_factory=list)
    store_rc: int = 0
    leaves: int = 0

    def __post_init__(self) -> None:
        self._kept: list[object] = []
        self.core = ffi.new("struct rig_core *")
        assert lib.rig_core_init(self.core, self._config(), self.plan.levels) == 0
        self.drives.clear()

    def _keep(self, thing):
        self._kept.append(thing)
        return thing

    def _text(self, text: str | None):
        return ffi.NULL if text is None else self._keep(ffi.new("char[]", text.encode()))

    def _config(self):
        plan = self.plan
        kinds = {
            kind: getattr(lib, f"RIG_ACTUATOR_{kind.upper()}")
            for kind in ("press", "hold", "key", "contact")
        }
        channels = [(self._text(name), *numbers) for name, *numbers in plan.channels]
        actuators = [(self._text(name), kinds[kind], *most) for name, kind, *most in plan.actuators]
        light = self._keep(ffi.new("struct rig_light_block[]", max(plan.light_capacity, 1)))
        onset = self._keep(ffi.new("uint16_t[]", plan.onset[0])) if plan.onset[0] else ffi.NULL
        values = {name: self._text(getattr(plan, name)) for name in TEXTS} | {
            name: getattr(plan, name) for name in NUMBERS
        }
        return self._keep(
            ffi.new(
                "struct rig_config *",
                values
                | {
                    **self._memory(),
                    "lease_ns": plan.lease_ns,
                    "channels": self._keep(ffi.new("struct rig_channel_config[]", channels)),
                    "channel_count": len(channels),
                    "actuators": self._keep(ffi.new("struct rig_actuator_config[]", actuators)),
                    "actuator_count": len(actuators),
                    "edge_slots": self._keep(ffi.new("struct rig_edge[]", plan.edge_capacity)),
                    "edge_capacity": plan.edge_capacity,
                    "light_slots": light if plan.light_capacity else ffi.NULL,
                    "light_capacity": plan.light_capacity,
                    "onset": (onset, *plan.onset),
                    "power": self._power(),
                    **self._callbacks(),
                },
            )
        )

    def _power(self) -> tuple[object, ...]:
        if self.plan.power is None:
            return (ffi.NULL, 0, 0, 0, 0, 0)
        slots = self._keep(ffi.new("struct rig_power_sample[]", self.plan.power[0]))
        return (slots, *self.plan.power)

    def _memory(self) -> dict[str, object]:
        """Return what outlives a reset: the calibration, and the boots before."""
        stored, past = self.plan.calibration, self.plan.past
        clock_ppb, rows = stored.get("clock_ppb"), stored.get("latencies", ())
        boots = [(boot, self._text(reason), *numbers) for boot, reason, *numbers in past or ()]
        return {
            "calibration": {
                "has_clock": clock_ppb is not None,
                "clock_ppb": clock_ppb or 0,
                "held_ns": stored.get("held_ns", 0),
                "latency_count": len(rows),
                "latencies": [tuple(row) for row in rows],
            },
            "past": ffi.NULL if past is None else self._keep(ffi.new("struct rig_past[]", boots)),
            "past_count": len(boots),
        }

    def _callbacks(self) -> dict[str, object]:
        # The callbacks that the build declares belong to the simulated bench; these are a test's.
        def selftest(_context, checks, most: int) -> int:
            for place, (name, ok, value) in enumerate(self.plan.selftest[:most]):
                checks[place] = (self._text(name), ok, value)
            return len(self.plan.selftest)

        def drive(_context, actuator: int, driven: bool) -> None:
            self.drives.append((actuator, driven))

        def keyboard(_context, found) -> None:
            found[0] = self.plan.keyboard

        def store(_context, calibration) -> int:
            if self.store_rc == 0:
                self.stored.append(
                    {
                        "clock_ppb": calibration.clock_ppb if calibration.has_clock else None,
                        "held_ns": calibration.held_ns,
                        "latencies": [
                            (row.channel, row.mean_ns, row.sd_ns, row.dev_ns, row.count)
                            for row in calibration.latencies[0 : calibration.latency_count]
                        ],
                    }
                )
            return self.store_rc

        def leave(_context) -> None:
            self.leaves += 1

        keeps = self.plan.store_name is not None
        stores = ffi.callback("int(void *, const struct rig_calibration *)", store)
        leaves = ffi.callback("void(void *)", leave)
        return {
            "store": self._keep(stores) if keeps else ffi.NULL,
            "keyboard": ffi.NULL
            if self.plan.keyboard is None
            else self._keep(ffi.callback("void(void *, struct rig_keyboard *)", keyboard)),
            "leave": self._keep(leaves) if self.plan.bootloader else ffi.NULL,
            "now_ns": self._keep(ffi.callback("uint64_t(void *)", lambda _context: self.now_ns)),
            "drive": self._keep(ffi.callback("void(void *, uint32_t, bool)", drive)),
            "selftest": self._keep(
                ffi.callback("uint32_t(void *, struct rig_check *, uint32_t)", selftest)
            ),
        }

    def request(
        self,
        command: int,
        payload: bytes,
        *,
        write: bool = False,
        rx_ns: int | None = None,
        room: int = 1024,
    ) -> Reply:
        out = ffi.new("uint8_t[]", room)
        length = ffi.new("size_t *")
        rc = lib.rig_core_request(
            self.core,
            command,
            write,
            self.now_ns if rx_ns is None else rx_ns,
            payload,
            len(payload),
            out,
            room,
            length,
        )
        return Reply(rc, bytes(ffi.buffer(out, length[0])))

    def tick(self, now_ns: int) -> None:
        self.now_ns = now_ns
        lib.rig_core_tick(self.core, now_ns)

    def deadline_ns(self) -> int:
        return lib.rig_core_deadline(self.core)

    def edge(self, channel: int, level: int, t_ns: int) -> None:
        lib.rig_core_edge(self.core, channel, bool(level), t_ns)

    def power(self, t_ns: int, bus_uv: int, current_ua: int) -> None:
        sample = ffi.new("struct rig_power_sample *", (t_ns, bus_uv, current_ua))
        lib.rig_core_power(self.core, sample)

    def sample(self, t_ns: int, counts: int) -> None:
        lib.rig_light_sample(ffi.addressof(self.core, "light"), t_ns, counts)

    def samples(self, t_ns: int, counts: Sequence[int]) -> None:
        data = ffi.new("uint16_t[]", counts)
        lib.rig_light_samples(ffi.addressof(self.core, "light"), t_ns, data, len(counts))


@pytest.fixture(scope="session")
def make_board() -> Callable[..., Board]:
    """Make a board; arguments are fields of BoardPlan."""
    return lambda **plan: Board(BoardPlan(**plan))


@pytest.fixture(scope="session")
def wire_dir() -> Path:
    return Path(__file__).resolve().parents[3] / "fixtures" / "wire"


@pytest.fixture(scope="session")
def vectors(wire_dir: Path) -> dict:
    return json.loads((wire_dir / "vectors.json").read_text("utf-8"))


@pytest.fixture(scope="session")
def cddl(wire_dir: Path) -> str:
    return (wire_dir / "rig.cddl").read_text("utf-8")


@pytest.fixture(scope="session")
def conforms(cddl: str) -> Iterator[Callable[[str, dict], bool]]:
    """Whether fields are what a rule of rig.cddl asks for, by zcbor's own reading of it."""
    with pytest.MonkeyPatch.context() as patch:
        # zcbor 0.8.1 imports a name that cbor2 6 dropped; it is one kind of CBORDecodeError.
        patch.setattr(cbor2, "CBORDecodeValueError", cbor2.CBORDecodeError, raising=False)
        from zcbor import CddlValidationError, DataTranslator

        # It names tuples after keys, and "from" is a keyword of Python.
        rules = DataTranslator.from_cddl(cddl.replace('"from"', '"from_"'), 1000).my_types

        def check(message: str, fields: dict) -> bool:
            renamed = {"from_" if key == "from" else key: value for key, value in fields.items()}
            try:
                rules[message].validate_str(cbor2.dumps(renamed))
            except CddlValidationError:
                return False
            return True

        yield check
