"""Signals of a capture, and which of them is which channel."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.model.channel import Channel
from resume_rig.model.errors import UsageError
from resume_rig.rig.capture.channel_names import channel_of_name

_LISTED_SIGNALS: Final = 24
_LISTED_CHARACTERS: Final = 60


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


@dataclass(frozen=True, slots=True)
class Chosen:
    """The taps of a capture, and sentences about what was not taken."""

    taps: tuple[Tap, ...]
    notes: tuple[str, ...] = ()


def choose_taps(
    signals: Sequence[Signal], channel_map: Mapping[Channel, tuple[str, bool]], what: str
) -> Chosen:
    """Return the taps of a capture: the map's, and signals that are named as a channel.

    Args:
        signals: what the capture has.
        channel_map: channel -> (signal by leaf or dotted path, inverted).
        what: the beginning of a sentence, for errors.

    Raises:
        UsageError: a mapped signal is not there or not unique, a name means several signals, or no
            channel is left.
    """
    index = _Index(signals)
    taps: list[Tap] = []
    for channel in Channel:
        wanted = channel_map.get(channel)
        if wanted is None:
            found = index.meant(channel)
            name, inverted = channel.value, False
        else:
            name, inverted = wanted
            found = index.named(name)
        keys = {signal.key for signal in found}
        if len(keys) > 1:
            raise UsageError(
                f"{what}: {channel} is to be {name!r}, which is the name of several signals; "
                f"allowed are {_listed(signal.name for signal in found)}; `--channel"
                f" {channel}=SIGNAL` chooses one."
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
    return Chosen(tuple(taps), _unused(signals, {tap.key for tap in taps}))


class _Index:
    """Signals by their names, of which a simulator's capture may have a hundred thousand."""

    def __init__(self, signals: Sequence[Signal]) -> None:
        self._by_form: tuple[dict[str, list[Signal]], ...] = ({}, {}, {}, {})
        self._by_channel: dict[Channel, list[Signal]] = {}
        for signal in signals:
            name, leaf = signal.name, signal.leaf
            forms = (name, leaf, name.casefold(), leaf.casefold())
            for known, form in zip(self._by_form, forms, strict=True):
                known.setdefault(form, []).append(signal)
            meant = channel_of_name(leaf)
            if meant is not None:
                self._by_channel.setdefault(meant, []).append(signal)

    def named(self, name: str) -> list[Signal]:
        """Return the signals of a name: as it is written, else whatever its capitals."""
        forms = (name, name, name.casefold(), name.casefold())
        found = (known.get(form) for known, form in zip(self._by_form, forms, strict=True))
        return next(filter(None, found), [])

    def meant(self, channel: Channel) -> list[Signal]:
        """Return the signals that are a channel by their names."""
        return self.named(channel) or self._by_channel.get(channel, [])


def _unused(signals: Sequence[Signal], taken: set[str]) -> tuple[str, ...]:
    names = list(dict.fromkeys(signal.name for signal in signals if signal.key not in taken))
    if not names:
        return ()
    return (f"Signals that were not used: {_listed(names)}; --channel NAME=SIGNAL takes one.",)


def _listed(names: Iterable[str]) -> str:
    """Return names of a capture for a sentence: few, short, printable."""
    every = list(dict.fromkeys(names))
    shown = [repr(name[:_LISTED_CHARACTERS]) for name in every[:_LISTED_SIGNALS]]
    rest = len(every) - len(shown)
    return (", ".join(shown) or "none") + (f" and {rest} more" if rest else "")
