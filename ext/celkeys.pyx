"""Keys: maps that expressions make of them, and how errors show them.

Source: cel-go's common/types/map.go, interpreter/interpretable.go (evalMap).
"""

from quarterdeck._kernels.celvalue cimport MISSING, CelErr, MapLiteral, find_entry, map_key, type_name


def build_map(list keys, list values):
    """A map from CEL keys and values: a dict where all keys are strings. The last of equal keys counts; MISSING takes
    an entry away."""
    cdef dict entries = {}
    cdef bint plain = True
    for key, value in zip(keys, values):
        if type(key) is not str:
            plain = False
        if value is MISSING:
            entries.pop(map_key(key), None)
        else:
            entries[map_key(key)] = value
    return entries if plain or not entries else MapLiteral(entries)


def insert_key(target, key, value):
    """A copy of a map with one entry more (cel.@mapInsert); the accumulator owns its map, so it is changed in place."""
    cdef dict entries = (<MapLiteral>target).entries if type(target) is MapLiteral else target
    if entries and find_entry(entries, key) is not NULL:
        return CelErr(f"insert failed: key {show_key(key)} already exists")
    if type(target) is dict and type(key) is not str:
        target = MapLiteral(entries)
    entries[map_key(key)] = value
    return target


cpdef str show_key(object key):
    """A key as Go's %v prints it in `no such key`."""
    if type(key) is bool:
        return "true" if key else "false"
    if type(key) is float:
        return _show_double(key)
    return str(key) if isinstance(key, (str, int)) else type_name(key)


cdef str _show_double(double value):
    """The shortest digits, with an exponent below 1e-4 and from 1e6 (1e+06, 123456.5)."""
    if value != value:
        return "NaN"
    if value - value != 0:
        return "+Inf" if value > 0 else "-Inf"
    mantissa, _, power = repr(value).removeprefix("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    # The place of the decimal point, counted from the first digit that is not 0.
    cdef Py_ssize_t point = len(whole) + int(power or 0) - (len(whole) + len(fraction) - len(digits))
    digits = digits.rstrip("0")
    sign = "-" if repr(value).startswith("-") else ""
    if not digits:
        return f"{sign}0"
    if not -4 < point <= 6:
        fraction = "." + digits[1:] if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{fraction}e{'-' if point <= 0 else '+'}{abs(point - 1):02d}"
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    if point >= len(digits):
        return f"{sign}{digits}{'0' * (point - len(digits))}"
    return f"{sign}{digits[:point]}.{digits[point:]}"
