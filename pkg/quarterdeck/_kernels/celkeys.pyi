"""Keys of maps that expressions make. Body: ext/celkeys.pyx."""

from typing import Any

def build_map(keys: list[Any], values: list[Any]) -> Any:
    """Raises celvalue.Panic."""

def insert_key(target: object, key: object, value: object) -> Any: ...
def show_key(key: object) -> str: ...
