"""The group scheduling.k8s.io, v1, as protobuf.

Source: api/scheduling/v1/generated.proto and types.go.
"""

TABLE = """
PriorityClass: 1 metadata ObjectMeta, 2 value int32, 3 globalDefault bool, 4 description string,
  5 preemptionPolicy *string
PriorityClassList: 1 metadata ListMeta, 2 items []PriorityClass
"""
