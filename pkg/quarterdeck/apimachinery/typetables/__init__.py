"""The one description of the built-in types: their fields as Go, JSON, protobuf, OpenAPI and patches know them.

A table of groups/ holds the types of one version of a group, a line for each:

    Name = TYPE enum(A|B)                    a named type that is no struct; the values that it has, `_` for a blank
    Name WORD …: FIELD, FIELD, ~Name 1       a struct: its fields in Go's order; `~` a struct that is embedded
    =TABLE: Name Name …                      the types that are those of another table, under this one's package; of
                                             types without a table's name before them this one's are meant
    =TABLE                                   all of another table

A FIELD is `name TYPE[?] NUMBER[!] WORD …`, by its JSON name:

    TYPE       Go's: `*` a pointer, `[]` a list, `map[KEY]` a map, a scalar, or the name of a type, with its table where
               that is another one (`meta.Time`)
    ? ??       omitempty; omitempty and omitzero
    NUMBER     of the field in protobuf; `!` OpenAPI requires the field
    =JSON      the default that OpenAPI tells, where it is another one than that of the type: {} for a struct, the zero
               value for a scalar that is always written; none for a pointer
    atomic     a list or a map that is owned whole
    set        a list that merges by value; `map(KEY|KEY)` one that merges by keys
    granular   a map whose members are owned one by one, as they are without a word
    patch(STRATEGY|KEY)    strategic merge patch; the merge key where there is one; `+` joins two strategies

Words of a struct: `kind` an object of its own, with a list, which the table has only where it is unlike the others
(metadata 1, items 2); `atomic` owned whole; `union(DISCRIMINATOR|FIELD|…)`.

Field numbers never change, so that a table which lacks a new field loses that field and nothing else.
tests/unit/apimachinery/test_type_tables.py compares the tables with what a kube-apiserver tells of its types.
"""
