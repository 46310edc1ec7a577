"""The variables of a container, looked at quickly. Body: ext/variables.pyx."""

from typing import Any

def odd(variables: list[Any]) -> list[int]:
    """The positions of those that are more than a name of ASCII letters, digits and underscores and a text `value`, or
    less. Their types are as decoded."""

def has_repeated(variables: list[dict[str, Any]]) -> bool:
    """Whether two have the same name. One without a name has an empty one."""
