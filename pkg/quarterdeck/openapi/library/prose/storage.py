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

storage.CSIDriverSpec # What a CSI driver can do and wants.
  attachRequired # Whether volumes are attached before they are mounted; true by default and fixed.
  podInfoOnMount # Whether the driver is told about the pod when it mounts; false by default.
  volumeLifecycleModes # Persistent, Ephemeral (inline in pods) or both; Persistent by default and fixed.
  storageCapacity # Whether the scheduler heeds the capacity that the driver reports; false by default.
  fsGroupPolicy # Whether files get the pod's fsGroup: ReadWriteOnceWithFSType (default), File or None.
  tokenRequests # Service account tokens of the pod that the driver gets when it mounts; one per audience.
  requiresRepublish # Whether the kubelet repeats NodePublishVolume now and then; false by default.
  seLinuxMount # Whether volumes can be mounted with -o context each for itself; false by default.
  nodeAllocatableUpdatePeriodSeconds # Seconds between updates of a node's limit, at least 10; none if absent.
  serviceAccountTokenInSecrets # Whether tokens come among the secrets, not in the volume context; false by default.
  preventPodSchedulingIfMissing # Whether pods with its volumes keep off nodes that lack it; false by default.

storage.CSINodeDriver # A CSI driver on a node.
  name # What the driver calls itself over CSI.
  nodeID # The driver's own name for the node.
  topologyKeys # Labels of the node by which the driver tells where volumes are in reach; empty for none.
  allocatable # How many volumes of the driver the node can take.

storage.CSINodeSpec # The CSI drivers of a node.
  drivers # The drivers, one entry each; an empty list once all are gone.

storage.TokenRequest # A service account token that a CSI driver wants.
  audience # Whom the token is for; empty for the API server.
  expirationSeconds # Seconds that it is good for; an hour by default.

storage.VolumeAttachmentSource # The volume to attach: exactly one of the two.
  persistentVolumeName # A persistent volume, by name.
  inlineVolumeSpec # A volume inline in a pod, translated to CSI for migration.

storage.VolumeAttachmentSpec # Which volume is attached to which node.
  attacher # The CSI driver that has to do it.
  source # The volume.
  nodeName # The node.

storage.VolumeAttachmentStatus # How far attaching or detaching has come; set by the attacher.
  attached # Whether it is attached.
  attachmentMetadata # What the attacher tells about it, for use when mounting.
  attachError # The last failure to attach; gone on success.
  detachError # The last failure to detach; gone on success.

storage.VolumeError # A failure to attach or detach.
  time # When it happened.
  message # Details for people; may end up in logs, so no secrets.
  errorCode # The gRPC code of the failure.

storage.VolumeNodeResources # How much storage a node can take.
  count # Volumes of the driver at the same time, each counted once per node; no limit if absent.
"""
