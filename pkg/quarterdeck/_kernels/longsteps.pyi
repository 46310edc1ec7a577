"""What long steps in a thread beside the event loop do for those who wait. Body: ext/longsteps.pyx."""

from collections.abc import Callable, Iterable
from typing import TypeVar

Text = TypeVar("Text", str, tuple[str, int])
T = TypeVar("T")

def let_go(roots: list[object]) -> None:
    """Empty the list, and free the dicts, lists and sets in it that nobody else holds, of any depth, in pieces: another
    thread gets the interpreter's lock in between. A tree is else freed in one piece, when its last reference goes."""

def take_used(values: list[object]) -> list[object]:
    """The dicts, lists and sets of it that somebody else holds as well. They are taken out of the list."""

def pause() -> None:
    """Give up the interpreter's lock where a thread beside the loop's has held it for a millisecond. For long loops of
    compiled Python, which give it up nowhere by themselves; takes 40 ns."""

def sort(values: Iterable[Text]) -> list[Text]:
    """`sorted` in pieces, between which the lock is given up."""

def keep_heap_small() -> None:
    """Once, at the start: large blocks go back to the system as soon as they are free, whatever was freed before, and
    all threads share two heaps. Without it glibc keeps blocks of up to 32 MiB in its heap once one has been freed, and
    what is small and lives on between them holds them there."""

def take_memory_apart() -> None:
    """Once, at the start, where Python's own allocator is in use: from now on `run` takes memory from the C library.
    Nothing changes in builds without the interpreter's lock."""

def run(step: Callable[[], T]) -> T:
    """What the step returns; raises what it raises. Its small objects are allocated by the C library: Python's
    allocator gives back to the system only 1 MiB that is wholly free, and what others allocate beside a large tree
    keeps that from being so; `trim_heap` gives back every free page. Other threads allocate as ever, an instruction or
    two more while a step runs; nothing costs more while none does."""

def trim_heap() -> None:
    """Give back to the system what is free, without the interpreter's lock."""
