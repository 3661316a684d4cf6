"""Signals of a capture, and which of them is which channel."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from resume_rig.model.channel import Channel
from resume_rig.model.errors import UsageError

_LISTED_SIGNALS = 24
_LISTED_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Signal:
    """One line of a capture.

    Attributes:
        name: dotted path from the outermost scope, e.g. "top.power.SLP_S3"; a plain name in CSV.
        key: what the file's values refer to (VCD identifier code, CSV column); signals that are
            the same line share it.
    """

    name: str
    key: str

    @property
    def leaf(self) -> str:
        """Return the name without its scopes."""
        return self.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Tap:
    """A signal taken as a channel; an inverted one shows the complement of the level."""

    channel: Channel
    key: str
    inverted: bool


def choose_taps(
    signals: Sequence[Signal], channel_map: Mapping[Channel, tuple[str, bool]], what: str
) -> tuple[Tap, ...]:
    """Return the taps of a capture: the map's, and signals that are named as a channel.

    Args:
        signals: what the capture has.
        channel_map: channel -> (signal by leaf or dotted path, inverted).
        what: the beginning of a sentence, for errors.

    Raises:
        UsageError: a mapped signal is not there or not unique, or no channel is left.
    """
    taps: list[Tap] = []
    for channel in Channel:
        wanted = channel_map.get(channel)
        name, inverted = (str(channel), False) if wanted is None else wanted
        found = _named(signals, name)
        keys = {signal.key for signal in found}
        if len(keys) > 1:
            raise UsageError(
                f"{what}: {channel} is to be {name!r}, which is the name of several signals; "
                f"allowed are {_listed(signal.name for signal in found)}."
            )
        if wanted is not None and not keys:
            raise UsageError(
                f"{what}: {channel} is to be {name!r}, which is not in it; "
                f"the signals are {_listed(signal.name for signal in signals)}."
            )
        taps += [Tap(channel, key, inverted) for key in keys]
    if not taps:
        raise UsageError(
            f"{what}: no signal is named as a channel ({', '.join(Channel)}) and none was mapped; "
            f"the signals are {_listed(signal.name for signal in signals)}."
        )
    return tuple(taps)


def _named(signals: Sequence[Signal], name: str) -> list[Signal]:
    whole = [signal for signal in signals if signal.name == name]
    return whole or [signal for signal in signals if signal.leaf == name]


def _listed(names: Iterable[str]) -> str:
    """Return names of a capture for a sentence: few, short, printable."""
    every = list(dict.fromkeys(names))
    shown = [repr(name[:_LISTED_CHARACTERS]) for name in every[:_LISTED_SIGNALS]]
    rest = len(every) - len(shown)
    return (", ".join(shown) or "none") + (f" and {rest} more" if rest else "")
