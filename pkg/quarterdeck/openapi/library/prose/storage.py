"""What is said of the types of storage."""

TEXT = """
storage.CSIDriver # What a CSI driver asks of those who attach and mount its volumes. Named like the driver.
  metadata # Standard object metadata. The name is what the driver calls itself.
  spec # What the driver needs and supports.
storage.CSINode # The CSI drivers that run on a node. Named like the node.
  metadata # Standard object metadata. The name is the node's.
  spec # The drivers of the node.
storage.CSIStorageCapacity # How much room a storage class has in a part of the cluster.
  capacity # How much is free, as the driver told last.
  maximumVolumeSize # How large one volume can be.
  metadata # Standard object metadata.
  nodeTopology # The nodes that reach the storage; all where absent.
  storageClassName # The class that was asked about. It does not change.
storage.StorageClass # A kind of storage that claims ask for by name, and how volumes of it are made.
  allowVolumeExpansion # Whether volumes may grow.
  allowedTopologies # Where volumes may be made.
  metadata # Standard object metadata.
  mountOptions # Options of mounts of the volumes.
  parameters # What the provisioner is told. They do not change.
  provisioner # Who makes the volumes. It does not change.
  reclaimPolicy # What becomes of a volume that is released: Delete or Retain.
  volumeBindingMode # When volumes are made and bound: Immediate or WaitForFirstConsumer.
storage.VolumeAttachment # The wish that a volume is attached to a node, and what came of it.
  metadata # Standard object metadata.
  spec # What is to be attached, where, and by whom. It does not change.
  status # What the attacher has told.
storage.VolumeAttributesClass # Attributes of volumes that a driver can change while they are in use.
  driverName # The driver that knows the parameters. It does not change.
  metadata # Standard object metadata.
  parameters # What the driver is told. They do not change.
"""
