"""Writes the golden vectors as a C header: vectors_to_h.py vectors.json vectors.h.

The header defines the structs that it fills, so that any C test can include it alone.
"""

import json
import sys
from pathlib import Path
from typing import Any

TYPES = """\
/* Made from fixtures/wire/vectors.json; do not edit. */
#ifndef RIG_VECTORS_H
#define RIG_VECTORS_H

#include "rig_core.h"

enum vector_step_kind {
\tVECTOR_EDGE,
\tVECTOR_SAMPLE,
\tVECTOR_SAMPLES,
\tVECTOR_TICK,
\tVECTOR_POWER,
\tVECTOR_EXCHANGE,
};

/**
 * An edge {channel, level, t_ns}, a sample {t_ns, counts}, samples {t_ns, times, number of them}
 * and their counts, a tick {t_ns}, power {t_ns, uV, uA}, or an exchange {index}.
 */
struct vector_step {
\tenum vector_step_kind kind;
\tuint64_t value[3];
\tconst uint16_t *counts;
};

struct vector_board {
\tstruct rig_config config;
\tuint32_t levels;
\tconst struct rig_check *checks;
\tuint32_t check_count;
\tbool is_keyboard;
\tstruct rig_keyboard keyboard;
\tbool bootloader;
\tconst struct vector_step *history;
\tuint32_t history_len;
};

struct vector_exchange {
\tconst char *name;
\tuint32_t board;
\tuint32_t command;
\tbool write;
\tint smp_rc;
\tuint64_t rx_ns;
\tuint64_t now_ns;
\tconst struct vector_step *before;
\tuint32_t before_len;
\tconst uint8_t *request;
\tsize_t request_len;
\tconst uint8_t *reply;
\tsize_t reply_len;
};
"""

TEXTS = ("firmware", "board", "clock_source", "reset_reason", "dut_log")
OPTIONAL_TEXTS = ("edge_source", "store_name")
NUMBERS = (
    "clock_hz",
    "clock_tolerance_ppb",
    "boot_id",
    "watchdog_resets",
    "lease_ns",
    "edge_capacity",
    "light_capacity",
)


def text(value: str | None) -> str:
    """Return a C string, or NULL."""
    return "NULL" if value is None else json.dumps(value)


def array(c_type: str, name: str, items: list[str]) -> str:
    """Return a C array; an empty one gets an element that nobody counts, as C wants one."""
    body = ", ".join(items) if items else "0" if c_type == "uint8_t" else "{0}"
    return f"static const {c_type} {name}[] = {{{body}}};\n"


def octets(name: str, digits: str) -> str:
    """Return a byte array from hexadecimal digits."""
    return array("uint8_t", name, [f"0x{byte:02x}" for byte in bytes.fromhex(digits)])


def step(entry: Any, index: dict[str, int]) -> str:
    """Return one step as an initialiser."""
    counts = "NULL"
    match entry:
        case {"edge": values}:
            kind = "VECTOR_EDGE"
        case {"sample": values}:
            kind = "VECTOR_SAMPLE"
        case {"samples": [t_ns, times, *row]}:
            kind, values = "VECTOR_SAMPLES", [t_ns, times, len(row)]
            counts = f"(const uint16_t[]){{{', '.join(map(str, row))}}}"
        case {"tick": t_ns}:
            kind, values = "VECTOR_TICK", [t_ns]
        case {"power": [t_ns, *figures]}:
            kind, values = "VECTOR_POWER", [t_ns, *(figure % 2**64 for figure in figures)]
        case str():
            kind, values = "VECTOR_EXCHANGE", [index[entry]]
        case _:
            raise ValueError(
                f"a step is an edge, a sample, samples, a tick, power or an exchange, not {entry!r}"
            )
    return f"{{{kind}, {{{', '.join(f'UINT64_C({value})' for value in values)}}}, {counts}}}"


def channel(entry: list[Any]) -> str:
    """Return a channel as an initialiser; the front end's two figures are 0 where left out."""
    name, *figures = entry
    return f"{{{text(name)}, {', '.join(map(str, [*figures, 0, 0][:5]))}}}"


def actuator(entry: list[Any]) -> str:
    """Return an actuator as an initialiser; limits are 0 where left out."""
    name, kind, *limits = entry
    times = [f"UINT64_C({value})" for value in [*limits, 0, 0, 0, 0][:6]]
    return f"{{{text(name)}, RIG_ACTUATOR_{kind.upper()}, {', '.join(times)}}}"


def calibration(entry: Any) -> str:
    """Return what a board had stored as an initialiser."""
    clock = entry.get("clock_ppb")
    latencies = [f"{{{', '.join(map(str, row))}}}" for row in entry.get("latencies", [])]
    return (
        f"{{.has_clock = {str(clock is not None).lower()}, .clock_ppb = {clock or 0}, "
        f".held_ns = {entry.get('held_ns', 0)}u, .latency_count = {len(latencies)}, "
        f".latencies = {{{', '.join(latencies) or '{0}'}}}}}"
    )


def past(entry: list[Any]) -> str:
    """Return an earlier boot as an initialiser."""
    boot, reason, up_ns, *counters = entry
    return f"{{{boot}u, {text(reason)}, UINT64_C({up_ns}), {', '.join(map(str, counters))}}}"


def power(entry: list[int] | None) -> str:
    """Return the configuration of a power monitor; the memory of its ring is the test's."""
    if entry is None:
        return ".power = {0}"
    capacity, *figures = entry
    return f".power = {{NULL, {capacity}u, {', '.join(f'{figure}u' for figure in figures)}}}"


def keyboard(entry: list[Any] | None) -> str:
    """Return what the DUT makes of a board as its keyboard, as initialisers."""
    if entry is None:
        return ".is_keyboard = false"
    state, armed, *counters = entry
    figures = ", ".join(map(str, counters))
    return f".is_keyboard = true, .keyboard = {{{state}, {str(armed).lower()}, {figures}}}"


def board(number: int, entry: Any, index: dict[str, int]) -> tuple[str, str]:
    """Return the arrays of a board, and its initialiser."""
    channels = [channel(row) for row in entry["channels"]]
    actuators = [actuator(row) for row in entry["actuators"]]
    checks = [
        f"{{{text(name)}, {str(ok).lower()}, {value}}}" for name, ok, value in entry["selftest"]
    ]
    history = [step(item, index) for item in entry["history"]]
    boots = [past(row) for row in entry.get("past", [])]
    arrays = (
        array("struct rig_channel_config", f"channels_{number}", channels)
        + array("struct rig_actuator_config", f"actuators_{number}", actuators)
        + array("struct rig_check", f"checks_{number}", checks)
        + array("struct vector_step", f"history_{number}", history)
        + array("struct rig_past", f"past_{number}", boots)
    )
    config = [f".{name} = {text(entry[name])}" for name in TEXTS]
    config += [f".{name} = {text(entry.get(name))}" for name in OPTIONAL_TEXTS]
    config += [f".{name} = {entry[name]}u" for name in NUMBERS]
    config += [
        f".nonce = UINT64_C({entry['nonce']})",
        f".crystal = {str(entry.get('crystal', False)).lower()}",
        f".calibration = {calibration(entry.get('calibration', {}))}",
        f".past = {f'past_{number}' if 'past' in entry else 'NULL'}, .past_count = {len(boots)}",
        f".onset = {{NULL, {', '.join(f'{value}u' for value in entry.get('onset', (0, 0, 0)))}}}",
        power(entry.get("power")),
        f".channels = channels_{number}, .channel_count = {len(channels)}",
        f".actuators = actuators_{number}, .actuator_count = {len(actuators)}",
    ]
    initialiser = (
        f"{{.config = {{{', '.join(config)}}}, .levels = {entry['levels']}, "
        f".checks = checks_{number}, .check_count = {len(checks)}, "
        f"{keyboard(entry.get('keyboard'))}, "
        f".bootloader = {str(entry.get('bootloader', False)).lower()}, "
        f".history = history_{number}, .history_len = {len(history)}}}"
    )
    return arrays, initialiser


def exchange(number: int, entry: Any, boards: list[str], index: dict[str, int]) -> tuple[str, str]:
    """Return the arrays of an exchange, and its initialiser."""
    before = [step(item, index) for item in entry.get("before", [])]
    request = entry["request"]["hex"]
    reply = entry["reply"]["hex"] if "reply" in entry else ""
    arrays = (
        array("struct vector_step", f"before_{number}", before)
        + octets(f"request_{number}", request)
        + octets(f"reply_{number}", reply)
    )
    initialiser = (
        f"{{.name = {text(entry['name'])}, .board = {boards.index(entry['board'])}, "
        f".command = {entry['command']}, .write = {str(entry['op'] == 'write').lower()}, "
        f".smp_rc = {entry.get('smp_rc', 0)}, "
        f".rx_ns = UINT64_C({entry['rx_ns']}), .now_ns = UINT64_C({entry['now_ns']}), "
        f".before = before_{number}, .before_len = {len(before)}, "
        f".request = request_{number}, .request_len = {len(request) // 2}, "
        f".reply = reply_{number}, .reply_len = {len(reply) // 2}}}"
    )
    return arrays, initialiser


def header(vectors: Any) -> str:
    """Return the whole header."""
    names = list(vectors["boards"])
    index = {entry["name"]: number for number, entry in enumerate(vectors["exchanges"])}
    boards = [board(number, vectors["boards"][name], index) for number, name in enumerate(names)]
    exchanges = [
        exchange(number, entry, names, index) for number, entry in enumerate(vectors["exchanges"])
    ]
    parts = [TYPES]
    parts += [arrays for arrays, _ in boards + exchanges]
    parts.append(array("struct vector_board", "vector_boards", ["\n" + item for _, item in boards]))
    parts.append(
        array("struct vector_exchange", "vector_exchanges", ["\n" + item for _, item in exchanges])
    )
    parts.append(f"#define VECTOR_BOARDS {len(boards)}u\n")
    parts.append(f"#define VECTOR_EXCHANGES {len(exchanges)}u\n")
    parts.append("#endif\n")
    return "\n".join(parts)


def main() -> None:
    """Convert the file named first into the file named second."""
    source, target = map(Path, sys.argv[1:3])
    target.write_text(header(json.loads(source.read_text("utf-8"))), "utf-8")


if __name__ == "__main__":
    main()
