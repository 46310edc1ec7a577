"""The built-in types as protobuf, one table a group; each is read when a type of its group is first met.

A line is a type and its fields: number, JSON name, type.

    []T         repeated           map[T]   a map with text keys
    *T          a pointer in Go: its zero value is a value, where that of others counts as absent
    ~           in place of a name: the fields of that message stand in the JSON object itself
    Time, MicroTime, Quantity, IntOrString, RawExtension, FieldsV1, Strings    types with a JSON form of their own

Field numbers never change, so a table that lacks a new field loses that field and nothing else.
"""
