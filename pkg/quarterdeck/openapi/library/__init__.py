"""The schemas of built-in types, written in a notation of their own (types.py reads it).

Each module holds one TEXT. A type begins at the left margin, its fields are indented:

    package io.k8s.api.core.v1                  # the package of the types that follow
    ConfigMap gvk=/v1 # what explain says       # a kind; its list kind is ConfigMapList
      data {string} # …                          # an optional map of strings
      name! string ="" @atomic # …               # required, with a default, and list or map words
    MicroTime = string date-time                # a type that is a plain value

Field types: string, bool, int32, int64, double, bytes (base64), any (nothing is said), object, a type's name (from
the same package or from meta/v1), `[T]` a list, `{T}` a map. Words after the type: `=JSON` a default; `@atomic`, `@set`
and `@map(key,…)` list types, `@merge(key)` the strategic merge key, `@merge` merging without one, `@replace` the
replacing strategy.
"""
