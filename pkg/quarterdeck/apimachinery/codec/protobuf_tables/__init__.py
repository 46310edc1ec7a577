"""The built-in types as protobuf, one table a group; each is read when a type of its group is first met.

A line is a type and its fields: number, JSON name, type. tools/protobuf_tables.py writes them.

    T           stands by value in Go: always written, and its zero value counts as absent
    *T          a pointer in Go: written where it is there, its zero value is a value
    []T         repeated
    map[T]      a map with text keys
    ~           in place of a name: the fields of that message stand in the JSON object itself
    Time, MicroTime, Quantity, IntOrString, RawExtension, FieldsV1, JSON, Strings    types with a JSON form of their own

Field numbers never change, so a table that lacks a new field loses that field and nothing else.
"""
