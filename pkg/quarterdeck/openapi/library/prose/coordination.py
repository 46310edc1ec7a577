"""What is said of the types of coordination."""

TEXT = """
coordination.Lease # A lease that one of several holds, for leader election and heartbeats.
  metadata # Standard object metadata.
  spec # The lease.

coordination.LeaseSpec # The lease.
  acquireTime # When the current lease was acquired.
  holderIdentity # Who holds the lease.
  leaseDurationSeconds # How long candidates wait after renewTime before they take the lease.
  leaseTransitions # How often the lease changed hands.
  preferredHolder # Who should take the lease next (coordinated leader election).
  renewTime # When the holder last renewed the lease.
  strategy # How the holder is picked (coordinated leader election).
"""
