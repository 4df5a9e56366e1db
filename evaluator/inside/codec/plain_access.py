"""Reading objects without running code of their classes: no property, descriptor or metaclass method is called."""

import types
from typing import Any, Final

MISSING: Final = object()
_mro = type.__dict__["__mro__"].__get__  # bound before any cell runs
_class_dict = type.__dict__["__dict__"].__get__
_MAX_NAME: Final = 200


def class_attribute(kind: type, name: str) -> Any:
    """Return what a class or the nearest of its bases holds under a name, unbound; `MISSING` if none does."""
    for base in _mro(kind):
        found = _class_dict(base).get(name, MISSING)
        if found is not MISSING:
            return found
    return MISSING


def instance_dict(value: Any) -> dict[str, Any] | None:
    """Return an object's own attributes; None for one that has no plain `__dict__`."""
    holder = class_attribute(type(value), "__dict__")
    if type(holder) not in (
        types.GetSetDescriptorType,
        types.MemberDescriptorType,
    ):  # a class may define a `__dict__` of its own
        return None
    attributes = holder.__get__(value)
    return attributes if type(attributes) is dict else None


def field_value(value: Any, name: str) -> Any:
    """Return an attribute kept in the object's `__dict__` or in a slot; `MISSING` if there is none."""
    attributes = instance_dict(value)
    if attributes is not None and name in attributes:
        return attributes[name]
    slot = class_attribute(type(value), name)
    if type(slot) is not types.MemberDescriptorType:
        return MISSING
    try:
        return slot.__get__(value)
    except AttributeError:
        return MISSING


def has_metaclass(kind: type, metaclass: type) -> bool:
    """Return whether a class was made by a metaclass."""
    return metaclass in _mro(type(kind))


def signature(function: types.FunctionType) -> str:
    """Return the names of a function's parameters as they stand in its head, without defaults and annotations."""
    code = function.__code__
    names, positional, keywords = code.co_varnames, code.co_argcount, code.co_kwonlyargcount
    parts = [*names[:positional]]
    if code.co_posonlyargcount:
        parts.insert(code.co_posonlyargcount, "/")
    rest = positional + keywords
    if code.co_flags & 0x04:  # CO_VARARGS
        parts.append(f"*{names[rest]}")
    elif keywords:
        parts.append("*")
    parts += names[positional:rest]
    if code.co_flags & 0x08:  # CO_VARKEYWORDS
        parts.append(f"**{names[rest + bool(code.co_flags & 0x04)]}")
    return f"({', '.join(name[:_MAX_NAME] for name in parts[:_MAX_NAME])})"
