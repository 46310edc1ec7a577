"""The group coordination.k8s.io, v1, as protobuf.

Source: api/coordination/v1/generated.proto and types.go.
"""

TABLE = """
Lease: 1 metadata ObjectMeta, 2 spec LeaseSpec
LeaseList: 1 metadata ListMeta, 2 items []Lease
LeaseSpec: 1 holderIdentity *string, 2 leaseDurationSeconds *int32, 3 acquireTime *MicroTime, 4 renewTime *MicroTime,
  5 leaseTransitions *int32, 6 strategy *string, 7 preferredHolder *string
"""
