"""Readers of values with named parts."""

import collections
import functools
import keyword
from typing import Any, Final

from evaluator.inside.decode_plain import read_mapping
from evaluator.inside.decoded import Record
from evaluator.inside.decoder import BadClaim, Decoder, reads
from evaluator.inside.encode_records import FACTORIES, is_field

_MAX_FIELDS: Final = 255


def _fields(decoder: Decoder, names: Any) -> tuple[str, ...]:
    fields = tuple(decoder.items(names))
    if not (0 < len(fields) <= _MAX_FIELDS and all(map(is_field, fields)) and len(set(fields)) == len(fields)):
        raise BadClaim("no names of parts")
    return fields


@reads("named", 3)
def _named_tuple(decoder: Decoder, path: Any, names: Any, items: Any) -> tuple[Any, ...]:
    fields, values = _fields(decoder, names), decoder.sequence(items)
    if len(fields) != len(values):
        raise BadClaim("a named tuple has other names than items")
    kind = _tuple_class(decoder.string(path), fields)
    return tuple(values) if kind is None else kind(*values)


@functools.lru_cache(maxsize=500)
def _tuple_class(path: str, fields: tuple[str, ...]) -> Any:
    """Return the class that stands for a class of named tuples; None where Python forbids its names."""
    module, _, name = path.rpartition(".")
    if not is_field(name) or any(keyword.iskeyword(part) or part.startswith("_") for part in (name, *fields)):
        return None
    return collections.namedtuple(name, fields, module=module)  # it is made at run time


@reads("record", 3)
def _record(decoder: Decoder, path: Any, names: Any, items: Any) -> Record:
    fields, values = _fields(decoder, names), decoder.sequence(items)
    if len(fields) != len(values):
        raise BadClaim("a record has other names than parts")
    return Record(decoder.string(path), dict(zip(fields, values, strict=True)))


@reads("mapping", 4)
def _mapping(decoder: Decoder, kind: Any, factory: Any, keys: Any, values: Any) -> Any:
    rebuilt = read_mapping(decoder, keys, values)
    if kind == "Counter":
        counter: collections.Counter[Any] = collections.Counter()
        dict.update(counter, rebuilt)
        return counter
    if kind == "OrderedDict":
        return collections.OrderedDict(rebuilt)
    if kind == "defaultdict" and (factory is None or type(factory) is str):
        return collections.defaultdict(None if factory is None else FACTORIES.get(factory), rebuilt)
    raise BadClaim("no mapping")


@reads("view", 2)
def _view(decoder: Decoder, kind: Any, items: Any) -> Any:
    values = decoder.sequence(items)
    if kind == "keys":
        return dict.fromkeys(values).keys()
    if kind == "values":
        return dict(enumerate(values)).values()
    if kind == "items" and all(type(pair) is tuple and len(pair) == 2 for pair in values):
        return dict(values).items()
    raise BadClaim("no view of a dict")
