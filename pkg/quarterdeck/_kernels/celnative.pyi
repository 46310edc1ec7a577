"""Go's own values of CEL's values. Body: ext/celnative.pyx."""

from collections.abc import Callable

class NullMember: ...

def set_native_of_other(function: Callable[[object], object]) -> None: ...
