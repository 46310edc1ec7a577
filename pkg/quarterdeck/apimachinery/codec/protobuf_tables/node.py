"""The group node.k8s.io, v1, as protobuf.

Source: api/node/v1/generated.proto and types.go.
"""

TABLE = """
Overhead: 1 podFixed map[Quantity]
RuntimeClass: 1 metadata ObjectMeta, 2 handler string, 3 overhead *Overhead, 4 scheduling *Scheduling
RuntimeClassList: 1 metadata ListMeta, 2 items []RuntimeClass
Scheduling: 1 nodeSelector map[string], 2 tolerations []Toleration
"""
