"""The tables that kernels read and write messages by, made of the description of the types, each once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Generic, TypeVar

from quarterdeck._kernels import protobufobject as kernel
from quarterdeck.apimachinery.codec.protobuf_types import Field, Message, making

T = TypeVar("T")  # a kernel's message


class Tables(Generic[T]):
    """`begin` makes a message without fields, `add` gives it one, with what was made of the field's own message."""

    def __init__(self, begin: Callable[[Message], T], add: Callable[[T, Field, T | None], None]) -> None:
        self._begin: Final = begin
        self._add: Final = add
        # By the identity of messages, which are there for ever. While one is made it is among the first only.
        self._made: dict[int, T] = {}
        self._whole: dict[int, T] = {}

    def of(self, message: Message) -> T:
        built = self._whole.get(id(message))
        if built is None:
            with making:
                built = self._make(message)
            self._whole[id(message)] = built
        return built

    def _make(self, message: Message) -> T:
        built = self._made.get(id(message))
        if built is None:
            built = self._made[id(message)] = self._begin(message)
            for field in message.by_number.values():
                self._add(built, field, self._make(field.type) if isinstance(field.type, Message) else None)
        return built


def shape_of(field: Field) -> int:
    if field.is_inline:
        return kernel.INLINE
    if field.is_list:
        return kernel.LIST
    if field.is_map:
        return kernel.MAP
    return kernel.POINTER if field.is_pointer else kernel.VALUE
