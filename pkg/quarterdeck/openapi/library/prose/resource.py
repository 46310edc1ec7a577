"""What is said of the types of resource."""

TEXT = """
resource.DeviceClass # A kind of devices that requests name.
  metadata # Standard object metadata.
  spec # Which devices are of the class, and how they are configured.
resource.ResourceClaim # A request for devices, and which were given.
  metadata # Standard object metadata.
  spec # What is asked for. It does not change.
  status # What was given, to whom, and what drivers tell of it.
resource.ResourceClaimTemplate # What claims are made of, one for each pod.
  metadata # Standard object metadata.
  spec # Labels, annotations and spec of the claims. It does not change.
resource.ResourceSlice # Some of the devices of a driver's pool.
  metadata # Standard object metadata.
  spec # The devices, where they can be used, and the pool that they belong to.
"""
