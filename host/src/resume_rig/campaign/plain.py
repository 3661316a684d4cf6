"""Frozen dataclasses as plain JSON values, and back with every type checked.

The store keeps facts so; a field that an older version did not write takes its default, a key
that this version does not know is ignored.
"""

import dataclasses
import functools
import types
from collections.abc import Mapping
from enum import Enum
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from resume_rig.model.errors import RecordError

Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]

_T = TypeVar("_T")
_SIMPLE = frozenset({type(None), bool, int, float, str})
_NOTHING = object()


def to_plain(value: object) -> Plain:
    """Return a fact as JSON values; fields that have their default are left out.

    Raises:
        TypeError: the value is of a type that facts do not have; a fault of the program.
    """
    kind: Any = type(value)
    if kind in _SIMPLE:
        return cast(Plain, value)
    if (fields := _defaults(kind)) is not None:
        return {
            name: held if type(held) in _SIMPLE else to_plain(held)
            for name, default in fields
            if (held := getattr(value, name)) is not default and held != default
        }
    if isinstance(value, Enum):
        return to_plain(value.value)
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [to_plain(item) for item in value]
    raise TypeError(f"{type(value).__name__} is not a plain fact")


def from_plain(kind: type[_T], value: Plain) -> _T:
    """Return the fact of type `kind` that `to_plain` wrote.

    Raises:
        RecordError: the value is not of that type; the sentence names the field.
    """
    made = _read(kind, value, kind.__name__)
    if not isinstance(made, kind):
        raise RecordError(f"{kind.__name__} is {value!r:.80}, which is not one")
    return made


def _read(kind: Any, value: Plain, name: str) -> object:
    origin = get_origin(kind)
    if origin in {Union, types.UnionType}:
        return _read_union(get_args(kind), value, name)
    if origin is tuple and isinstance(value, list):
        return tuple(_read(get_args(kind)[0], item, name) for item in value)
    if origin is not None and issubclass(origin, Mapping) and isinstance(value, dict):
        key_kind, item_kind = get_args(kind)
        return {
            _read(key_kind, key, name): _read(item_kind, item, f"{name}.{key}")
            for key, item in value.items()
        }
    if isinstance(kind, type):
        return _read_simple(kind, value, name)
    raise RecordError(f"{name} is {value!r:.80}, which is not allowed there")


def _read_simple(kind: type, value: Plain, name: str) -> object:
    if dataclasses.is_dataclass(kind) and isinstance(value, dict):
        return _read_fact(kind, value, name)
    if issubclass(kind, Enum) and isinstance(value, str | int):
        try:
            return kind(value)
        except ValueError:
            raise RecordError(f"{name} is {value!r:.80}, which is no {kind.__name__}") from None
    # A bool is an int to isinstance, and must not pass for one here.
    if type(value) is kind or (kind is float and type(value) is int):
        return value
    raise RecordError(f"{name} is {value!r:.80}; allowed is {kind.__name__}")


def _read_union(kinds: tuple[Any, ...], value: Plain, name: str) -> object:
    if value is None and type(None) in kinds:
        return None
    for kind in kinds:
        try:
            return _read(kind, value, name)
        except RecordError:
            continue
    raise RecordError(f"{name} is {value!r:.80}, which is not allowed there")


def _read_fact(kind: type, value: dict[str, Plain], name: str) -> object:
    fields = {
        field: (
            value[field]
            if type(value[field]) in plain
            else _read(hint, value[field], f"{name}.{field}")
        )
        for field, hint, plain in _fields(kind)
        if field in value
    }
    try:
        return kind(**fields)
    except (TypeError, ValueError) as error:
        raise RecordError(f"{name} lacks a field or holds a wrong one ({error})") from error


@functools.cache
def _fields(kind: type) -> tuple[tuple[str, Any, frozenset[type]], ...]:
    """Return the fields of a fact: name, type, and of which types a value stays as it is."""
    return tuple((name, hint, _plain(hint)) for name, hint in get_type_hints(kind).items())


def _plain(hint: Any) -> frozenset[type]:
    if get_origin(hint) in {Union, types.UnionType}:
        return frozenset().union(*(_plain(kind) for kind in get_args(hint)))
    if hint is float:
        return frozenset({float, int})
    return frozenset({hint}) if hint in _SIMPLE else frozenset()


@functools.cache
def _defaults(kind: type) -> tuple[tuple[str, object], ...] | None:
    """Return the fields of a fact with their defaults; what has none equals nothing else."""
    if not dataclasses.is_dataclass(kind):
        return None
    return tuple((field.name, _default_of(field)) for field in dataclasses.fields(kind))


def _default_of(field: "dataclasses.Field[Any]") -> object:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return _NOTHING if field.default is dataclasses.MISSING else field.default
