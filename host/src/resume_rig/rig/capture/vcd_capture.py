"""Reads Value Change Dump files (IEEE 1364-2001, clause 18), as logic analysers write them."""

from collections.abc import Iterator, Mapping
from io import BufferedIOBase

from vcd.reader import (
    ScalarChange,
    ScopeDecl,
    Token,
    TokenKind,
    VarDecl,
    VCDParseError,
    VectorChange,
    tokenize,
)

from resume_rig.model.channel import Channel
from resume_rig.model.errors import RecordError
from resume_rig.rig.capture.gathering import TIME_MAX_NS, Capture, Gathering
from resume_rig.rig.capture.signals import Signal, choose_taps
from resume_rig.rig.capture.vcd_dialect import StandardVcd

_UNIT_FS = {"s": 10**15, "ms": 10**12, "us": 10**9, "ns": 10**6, "ps": 10**3, "fs": 1}
_FS_A_NS = 10**6


def read_vcd(
    file: BufferedIOBase, channel_map: Mapping[Channel, tuple[str, bool]], what: str
) -> Capture:
    """Return the edges of a VCD stream.

    Args:
        file: from its first byte.
        channel_map: as in `read_capture`.
        what: the beginning of a sentence, for errors.

    Raises:
        RecordError: it is not VCD, breaks off, goes back in time, or has no timescale.
        UsageError: the channel map does not fit.
    """
    try:
        tokens = tokenize(StandardVcd(file))
        signals, tick_fs = _header(tokens, what)
        gathering = Gathering(choose_taps(signals, channel_map, what))
        _body(tokens, gathering, tick_fs, what)
    except VCDParseError as error:
        raise RecordError(f"{what}: it is not valid VCD ({_short(error)}).") from error
    except (UnicodeDecodeError, ValueError) as error:
        raise RecordError(f"{what}: it is not VCD text ({_short(error)}).") from error
    return gathering.finish(tick_fs // _FS_A_NS)


def _short(error: Exception) -> str:
    return "".join(c if c.isprintable() else "?" for c in str(error)[:120])


def _header(tokens: Iterator[Token], what: str) -> tuple[list[Signal], int]:
    """Return the single-line signals and the femtoseconds of a tick."""
    scopes: list[str] = []
    signals: list[Signal] = []
    tick_fs: int | None = None
    for token in tokens:
        if token.kind is TokenKind.SCOPE and isinstance(token.data, ScopeDecl):
            scopes.append(token.data.ident)
        elif token.kind is TokenKind.UPSCOPE and scopes:
            scopes.pop()
        elif token.kind is TokenKind.TIMESCALE:
            scale = token.timescale
            tick_fs = int(scale.magnitude) * _UNIT_FS[str(scale.unit.value)]
        elif token.kind is TokenKind.VAR and isinstance(token.data, VarDecl):
            if token.data.size == 1:
                name = ".".join([*filter(None, scopes), token.data.ref_str])
                signals.append(Signal(name, token.data.id_code))
        elif token.kind is TokenKind.ENDDEFINITIONS:
            break
    else:
        raise RecordError(f"{what}: the VCD header breaks off before $enddefinitions.")
    if tick_fs is None:
        raise RecordError(f"{what}: the VCD header has no $timescale, so its times have no unit.")
    return signals, tick_fs


def _body(tokens: Iterator[Token], gathering: Gathering, tick_fs: int, what: str) -> None:
    tick, t_ns = 0, 0
    for token in tokens:
        match token.data:
            case int(later) if token.kind is TokenKind.CHANGE_TIME:
                if later < tick:
                    raise RecordError(
                        f"{what}: time goes back from #{tick} to #{later}; it may only grow."
                    )
                # Half a nanosecond up, in integers: an hour in ps is beyond float64.
                tick, t_ns = later, (later * tick_fs + _FS_A_NS // 2) // _FS_A_NS
                if t_ns > TIME_MAX_NS:
                    raise RecordError(f"{what}: the time #{later} is beyond 30 years.")
                gathering.moment(t_ns)
            case ScalarChange(id_code=key, value=value):
                gathering.value(key, t_ns, value)
            case VectorChange(id_code=key, value=value):
                gathering.value(key, t_ns, str(value))
            case _:
                continue
