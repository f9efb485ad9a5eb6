# SPDX-License-Identifier: Apache-2.0
"""Messages of ``linkage.proto`` from and to Python, by the descriptors that the client library has of them: a field
that is new in the protocol needs no word here."""
from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

from ._library import ffi, get_client, text_of

__all__ = ['Message', 'build', 'read']

_NUMBERS = {'INT32': 'int32_t', 'SINT32': 'int32_t', 'SFIXED32': 'int32_t', 'INT64': 'int64_t', 'SINT64': 'int64_t',
            'SFIXED64': 'int64_t', 'UINT32': 'uint32_t', 'FIXED32': 'uint32_t', 'UINT64': 'uint64_t',
            'FIXED64': 'uint64_t', 'FLOAT': 'float', 'DOUBLE': 'double', 'BOOL': 'protobuf_c_boolean', 'ENUM': 'int',
            'STRING': 'char *', 'BYTES': 'ProtobufCBinaryData', 'MESSAGE': 'void *'}
_ONEOF = 4
_WIDTH, _SHOWN = 100, 8
_words: dict[str, dict[int, str]] = {}


class Message(SimpleNamespace):
    """A message of the protocol: a field is an attribute. Enumerations are words ("wrong-state"), repeated fields
    lists; a message that is absent is None."""

    def to_dict(self) -> dict[str, Any]:
        """The same as plain dicts and lists."""
        def plain(value: Any) -> Any:
            if isinstance(value, Message):
                return value.to_dict()
            return [plain(v) for v in value] if isinstance(value, list) else value
        return {name: plain(value) for name, value in vars(self).items()}

    def __repr__(self) -> str:
        """The fields that have something in them; in a line, or one below each other."""
        parts = [f'{name}={_show(value)}' for name, value in vars(self).items() if value not in (None, '', b'', [])]
        line = f'{type(self).__name__}({", ".join(parts)})'
        if len(line) <= _WIDTH and '\n' not in line:
            return line
        return f'{type(self).__name__}(\n    ' + ',\n'.join(parts).replace('\n', '\n    ') + ')'


def _show(value: Any) -> str:
    """The first elements of a long list, and how many there are."""
    if not isinstance(value, list) or len(value) <= _SHOWN:
        return repr(value)
    return f'{repr(value[:_SHOWN])[:-1]}, ... {len(value)} in all]'


class _Field:
    """A field of a message type."""

    def __init__(self, c) -> None:
        self.name = text_of(c.name)
        self.number, self.offset, self.count, self.flags = c.id, c.offset, c.quantifier_offset, c.flags
        kind = ffi.string(ffi.cast('ProtobufCType', c.type)).removeprefix('PROTOBUF_C_TYPE_')
        self.kind, self.ctype = kind, ffi.typeof(_NUMBERS[kind])
        self.pointer = ffi.getctype(self.ctype, '*')
        self.is_repeated = c.label == get_client().PROTOBUF_C_LABEL_REPEATED
        self.is_choice = bool(c.flags & _ONEOF)
        self.words: dict[int, str] = {}
        if kind == 'ENUM':
            self.words = _read_words(ffi.cast('ProtobufCEnumDescriptor *', c.descriptor))
        self.message = ffi.cast('ProtobufCMessageDescriptor *', c.descriptor) if kind == 'MESSAGE' else None


def _read_words(enum) -> dict[int, str]:
    """The values of an enumeration, without what they have in common in front: "wrong-state"."""
    name = text_of(enum.name)
    if name not in _words:
        values = {enum.values[i].value: text_of(enum.values[i].name) for i in range(enum.n_values)}
        common = os.path.commonprefix(list(values.values())).rpartition('_')[0]
        front = len(common) + 1 if common else 0
        _words[name] = {number: word[front:].lower().replace('_', '-') for number, word in values.items()}
    return _words[name]


_fields: dict[Any, list[_Field]] = {}


def _fields_of(descriptor) -> list[_Field]:
    if descriptor not in _fields:
        _fields[descriptor] = [_Field(descriptor.fields[i]) for i in range(descriptor.n_fields)]
    return _fields[descriptor]


_types: dict[Any, type[Message]] = {}


def _type_of(descriptor) -> type[Message]:
    """A message type of its own, for its name."""
    if descriptor not in _types:
        _types[descriptor] = type(text_of(descriptor.short_name), (Message,), {})
    return _types[descriptor]


def _to_python(field: _Field, value) -> Any:
    if field.kind == 'MESSAGE':
        return read(value) if value else None
    if field.kind == 'STRING':
        return text_of(value)
    if field.kind == 'BYTES':
        return bytes(ffi.buffer(value.data, value.len)) if value.len else b''
    if field.kind == 'ENUM':
        return field.words.get(value, str(value))
    return bool(value) if field.kind == 'BOOL' else value


def read(message) -> Message:
    """A message with all that it refers to, copied."""
    base = ffi.cast('char *', message)
    descriptor = ffi.cast('ProtobufCMessage *', message).descriptor
    result = _type_of(descriptor)()
    for field in _fields_of(descriptor):
        at = base + field.offset
        if field.is_repeated:
            n = ffi.cast('size_t *', base + field.count)[0]
            array = ffi.cast(ffi.getctype(field.ctype, '**'), at)[0]
            value = [_to_python(field, array[i]) for i in range(n)]
        elif field.is_choice and ffi.cast('uint32_t *', base + field.count)[0] != field.number:
            value = None
        else:
            value = _to_python(field, ffi.cast(field.pointer, at)[0])
        setattr(result, field.name, value)
    return result


def _to_c(field: _Field, value: Any, keep: list) -> Any:
    if field.kind == 'MESSAGE':
        return build(field.message, value, keep)
    if field.kind in ('STRING', 'BYTES'):
        data = value.encode() if isinstance(value, str) else bytes(value)
        keep.append(ffi.new('char[]', data))
        if field.kind == 'STRING':
            return keep[-1]
        return {'len': len(data), 'data': ffi.cast('uint8_t *', keep[-1])}
    if field.kind == 'ENUM' and isinstance(value, str):
        for number, word in field.words.items():
            if word == value:
                return number
        words = [word for word in field.words.values() if word != 'unspecified']
        raise ValueError(f"{field.name} is '{value}', expected one of: {', '.join(words)}")
    return value


def build(descriptor, values: dict[str, Any], keep: list):
    """A message of that type.

    Parameters
    ----------
    descriptor : ProtobufCMessageDescriptor *
    values : dict
        Fields by name; those that are None are left out.
    keep : list
        Takes the memory: it lives as long as this list.
    """
    memory = ffi.new('char[]', descriptor.sizeof_message)
    keep.append(memory)
    descriptor.message_init(ffi.cast('ProtobufCMessage *', memory))
    by_name = {field.name: field for field in _fields_of(descriptor)}
    for name, value in values.items():
        field = by_name[name]
        if value is None:
            continue
        at = memory + field.offset
        if field.is_repeated:
            array = ffi.new(ffi.getctype(field.ctype, '[]'), [_to_c(field, v, keep) for v in value])
            keep.append(array)
            ffi.cast('size_t *', memory + field.count)[0] = len(value)
            ffi.cast('void **', at)[0] = array
            continue
        if field.is_choice:
            ffi.cast('uint32_t *', memory + field.count)[0] = field.number
        ffi.cast(field.pointer, at)[0] = _to_c(field, value, keep)
    return ffi.cast('void *', memory)
