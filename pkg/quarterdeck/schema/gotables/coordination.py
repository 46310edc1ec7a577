"""The Go types of api/coordination/v1/types.go. Written by tools/make_go_types.py."""

TABLE = """
CoordinatedLeaseStrategy = string
Lease: metadata meta.ObjectMeta?, spec LeaseSpec?
LeaseSpec: holderIdentity *string?, leaseDurationSeconds *int32?, acquireTime *meta.MicroTime?,
  renewTime *meta.MicroTime?, leaseTransitions *int32?, strategy *CoordinatedLeaseStrategy?, preferredHolder *string?
"""
