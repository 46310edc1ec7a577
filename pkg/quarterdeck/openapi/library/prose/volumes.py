"""What is said of volumes and claims, of core."""

TEXT = """
core.AWSElasticBlockStoreVolumeSource # Where a volume comes from: a disk of Amazon EBS, in the zone of the node.
  volumeID # The ID that AWS gave the disk.
  fsType # The file system to mount it with; ext4 when empty.
  partition # The number of the partition to mount; 0 or absent means the whole disk.
  readOnly # Whether it can only be read; false by default.

core.AttachedVolume # A volume that is attached to a node.
  name # The unique name of the volume, made of its plugin and its ID.
  devicePath # Where the node finds the device, if known.

core.AzureDiskVolumeSource # Where a volume comes from: a data disk of Azure.
  diskName # The name of the disk.
  diskURI # The resource ID of a managed disk, or the address of its blob otherwise.
  cachingMode # How the host caches the disk; ReadWrite by default.
  fsType # The file system to mount it with; ext4 by default.
  readOnly # Whether it can only be read; false by default.
  kind # Managed for a managed disk, else how its storage account is used; Shared by default.

core.AzureFilePersistentVolumeSource # Where a persistent volume comes from: a share of Azure Files.
  secretName # The secret that holds the name and the key of the storage account.
  shareName # The share to mount.
  readOnly # Whether it can only be read; false by default.
  secretNamespace # The namespace of the secret; by default that of the pod.

core.AzureFileVolumeSource # Where a volume comes from: a share of Azure Files.
  secretName # The secret that holds the name and the key of the storage account.
  shareName # The share to mount.
  readOnly # Whether it can only be read; false by default.

core.CSIPersistentVolumeSource # Where a persistent volume comes from: storage that a CSI driver manages.
  driver # The CSI driver to use, by name.
  volumeHandle # The ID by which the driver knows the volume, as it gave it on creation.
  readOnly # Whether it can only be read; false by default.
  fsType # The file system to mount it with; what an empty value means is up to the driver.
  volumeAttributes # Parameters of the volume, handed to the driver when it publishes it.
  controllerPublishSecretRef # The secret for the driver's controller to attach and detach the volume.
  nodeStageSecretRef # The secret for staging the volume on a node, once for all its pods.
  nodePublishSecretRef # The secret for mounting the volume for a pod.
  controllerExpandSecretRef # The secret for the driver's controller to enlarge the volume.
  nodeExpandSecretRef # The secret for enlarging the file system on the node.

core.CSIVolumeSource # Where a volume comes from: a CSI driver that makes it for the pod and removes it after.
  driver # The CSI driver to use, by name.
  readOnly # Whether it can only be read; false by default.
  fsType # The file system to mount it with; what an empty value means is up to the driver.
  volumeAttributes # Parameters of the volume, handed to the driver when it publishes it.
  nodePublishSecretRef # The secret for mounting the volume for a pod.

core.CephFSPersistentVolumeSource # Where a persistent volume comes from: a file system of Ceph.
  monitors # The addresses of Ceph's monitors.
  path # The directory of the file system to mount; / by default.
  user # The Ceph user to mount as; admin by default.
  secretFile # A file on the node with the user's key; /etc/ceph/user.secret by default.
  secretRef # The secret with the user's key; goes before secretFile.
  readOnly # Whether it can only be read; false by default.

core.CephFSVolumeSource # Where a volume comes from: a file system of Ceph.
  monitors # The addresses of Ceph's monitors.
  path # The directory of the file system to mount; / by default.
  user # The Ceph user to mount as; admin by default.
  secretFile # A file on the node with the user's key; /etc/ceph/user.secret by default.
  secretRef # The secret with the user's key; goes before secretFile.
  readOnly # Whether it can only be read; false by default.

core.CinderPersistentVolumeSource # Where a persistent volume comes from: a volume of OpenStack's Cinder.
  volumeID # The ID that Cinder gave the volume.
  fsType # The file system to mount it with; ext4 when empty.
  readOnly # Whether it can only be read; false by default.
  secretRef # The secret with what is needed to log in to OpenStack.

core.CinderVolumeSource # Where a volume comes from: a volume of OpenStack's Cinder.
  volumeID # The ID that Cinder gave the volume.
  fsType # The file system to mount it with; ext4 when empty.
  readOnly # Whether it can only be read; false by default.
  secretRef # The secret with what is needed to log in to OpenStack.

core.ClusterTrustBundleProjection # A file of a projected volume with the certificates of trust bundles.
  name # The one bundle to take; excludes signerName and labelSelector.
  signerName # Takes all bundles of this signer that labelSelector picks; excludes name.
  labelSelector # Which of the signer's bundles to take: none when absent, all when empty.
  optional # Whether the pod may start though no such bundle exists; the file is then empty.
  path # The file to write, relative to the root of the volume.

core.ConfigMapProjection # Files of a projected volume made from a config map.
  name # The name of the config map, in the pod's namespace.
  items # The keys to take, and their files; by default every key becomes a file of that name.
  optional # Whether the pod may start though the object or one of its keys is missing.

core.ConfigMapVolumeSource # Where a volume comes from: a config map, its keys as files.
  name # The name of the config map, in the pod's namespace.
  items # The keys to take, and their files; by default every key becomes a file of that name.
  defaultMode # The permission bits of files that set none; 0644 by default. JSON needs it in decimal.
  optional # Whether the pod may start though the object or one of its keys is missing.

core.DownwardAPIProjection # Files of a projected volume that tell about the pod itself.
  items # The files to write.

core.DownwardAPIVolumeFile # A file that holds a fact about the pod.
  path # The file to write, relative to the root of the volume; without '..'.
  fieldRef # The field of the pod to write, such as a label; excludes resourceFieldRef.
  resourceFieldRef # The limit or request of a container to write; excludes fieldRef.
  mode # The permission bits of this file; defaultMode of the volume when absent.

core.DownwardAPIVolumeSource # Where a volume comes from: facts about the pod itself, as files.
  items # The files to write.
  defaultMode # The permission bits of files that set none; 0644 by default. JSON needs it in decimal.

core.EmptyDirVolumeSource # Where a volume comes from: a fresh directory on the node, deleted with the pod.
  medium # What it is kept on: the node's disk when empty, Memory, or HugePages with or without a size.
  sizeLimit # How much it may hold, or the pod is evicted; no limit when absent.

core.EphemeralVolumeSource # Where a volume comes from: a claim made for the pod and deleted with it.
  volumeClaimTemplate # The claim to make; its name is the pod's, a hyphen and the volume's.

core.FCVolumeSource # Where a volume comes from: a disk on Fibre Channel.
  targetWWNs # The world wide names of the targets; needs lun, excludes wwids.
  lun # The number of the disk at the target; needed with targetWWNs.
  fsType # The file system to mount it with; ext4 when empty.
  readOnly # Whether it can only be read; false by default.
  wwids # The world wide identifiers of the disk, in place of targetWWNs and lun.

core.FlexPersistentVolumeSource # Where a persistent volume comes from: a FlexVolume driver, a program on the node.
  driver # The FlexVolume driver to use, by name.
  fsType # The file system to mount it with; what an empty value means is up to the driver.
  secretRef # The secret of which the data is handed to the driver.
  readOnly # Whether it can only be read; false by default.
  options # Further options for the driver.

core.FlexVolumeSource # Where a volume comes from: a FlexVolume driver, a program on the node.
  driver # The FlexVolume driver to use, by name.
  fsType # The file system to mount it with; what an empty value means is up to the driver.
  secretRef # The secret of which the data is handed to the driver.
  readOnly # Whether it can only be read; false by default.
  options # Further options for the driver.

core.FlockerVolumeSource # Where a volume comes from: a dataset of Flocker. No longer supported.
  datasetName # The dataset by name; deprecated, excludes datasetUUID.
  datasetUUID # The dataset by UUID; excludes datasetName.

core.GCEPersistentDiskVolumeSource # Where a volume comes from: a persistent disk of Google Compute Engine.
  pdName # The name of the disk in GCE.
  fsType # The file system to mount it with; ext4 when empty.
  partition # The number of the partition to mount; 0 or absent means the whole disk.
  readOnly # Whether it can only be read; false by default.

core.GitRepoVolumeSource # Where a volume comes from: a clone of a git repository. Deprecated.
  repository # The URL to clone from.
  revision # The commit to check out; the default branch's newest when absent.
  directory # The directory to clone into, '.' for the volume itself; named after the repository when absent.

core.GlusterfsPersistentVolumeSource # Where a persistent volume comes from: a volume of GlusterFS.
  endpoints # The Endpoints object that lists the GlusterFS servers.
  path # The name of the GlusterFS volume.
  readOnly # Whether it can only be read; false by default.
  endpointsNamespace # The namespace of the Endpoints object; by default that of the claim.

core.GlusterfsVolumeSource # Where a volume comes from: a volume of GlusterFS.
  endpoints # The Endpoints object that lists the GlusterFS servers.
  path # The name of the GlusterFS volume.
  readOnly # Whether it can only be read; false by default.

core.HostPathVolumeSource # Where a volume comes from: a file or directory of the node.
  path # The path on the node; symbolic links are followed.
  type # What must be at the path, or is created there; nothing is checked when empty.

core.ISCSIPersistentVolumeSource # Where a persistent volume comes from: a disk of an iSCSI target.
  targetPortal # The address of the target, with a port unless it is 3260.
  iqn # The qualified name of the target.
  lun # The number of the disk at the target.
  iscsiInterface # The initiator's interface to use; default, which is TCP, when absent.
  fsType # The file system to mount it with; ext4 when empty.
  readOnly # Whether it can only be read; false by default.
  portals # More addresses of the same target, for multipath.
  chapAuthDiscovery # Whether finding the target takes CHAP authentication.
  chapAuthSession # Whether logging in to the target takes CHAP authentication.
  secretRef # The secret with the CHAP users and passwords.
  initiatorName # The name to log in under, through an interface made for it; the node's own when absent.

core.ISCSIVolumeSource # Where a volume comes from: a disk of an iSCSI target.
  targetPortal # The address of the target, with a port unless it is 3260.
  iqn # The qualified name of the target.
  lun # The number of the disk at the target.
  iscsiInterface # The initiator's interface to use; default, which is TCP, when absent.
  fsType # The file system to mount it with; ext4 when empty.
  readOnly # Whether it can only be read; false by default.
  portals # More addresses of the same target, for multipath.
  chapAuthDiscovery # Whether finding the target takes CHAP authentication.
  chapAuthSession # Whether logging in to the target takes CHAP authentication.
  secretRef # The secret with the CHAP users and passwords.
  initiatorName # The name to log in under, through an interface made for it; the node's own when absent.

core.ImageVolumeSource # Where a volume comes from: the files of an OCI image or artifact, to be read only.
  reference # The image, written as for a container.
  pullPolicy # When to pull it; Always if the tag is latest or missing, else IfNotPresent.

core.ImageVolumeStatus # What an image volume really mounts.
  imageRef # The image in use, with its digest.

core.KeyToPath # A key of the data and the file it becomes.
  key # The key to take.
  path # The file to write, relative to the root of the volume; without '..'.
  mode # The permission bits of this file; defaultMode of the volume when absent.

core.LocalVolumeSource # Where a persistent volume comes from: a directory or block device of one node.
  path # The path on the node, of a directory or a block device.
  fsType # The file system to mount a block device with; found out when absent.

core.ModifyVolumeStatus # How far a claim's change to another VolumeAttributesClass has come.
  targetVolumeAttributesClassName # The class that the volume is being changed to.
  status # Pending while the class is missing, InProgress, or Infeasible when the driver refuses it.

core.NFSVolumeSource # Where a volume comes from: an export of an NFS server.
  server # The server's host name or IP address.
  path # The directory that the server exports.
  readOnly # Whether it can only be read; false by default.

core.NodeAllocatableResourceClaimStatus # What a claim of a pod takes from the allocatable resources of its node.
  resourceClaimName # The ResourceClaim in the pod's namespace whose devices take them.
  containers # The containers of the pod that use the claim.
  resources # How much is taken of each resource, such as cpu and memory.

core.PersistentVolumeClaimCondition # One aspect of the state of a claim.
  type # What the condition is about.
  status # True, False or Unknown.
  lastProbeTime # When the condition was last checked.
  lastTransitionTime # When the status last changed.
  reason # Why, as a word in CamelCase.
  message # Details for people.

core.PersistentVolumeClaimSpec # The storage a claim asks for.
  accessModes # How nodes and pods must be able to mount the volume at once.
  selector # Only volumes with matching labels are bound. Rules out dynamic provisioning.
  resources # The least, and possibly the most, storage. The request may grow later if the class allows it.
  volumeName # The PersistentVolume to bind, or the one bound already.
  storageClassName # The class to take the volume from; the default class when absent, none at all when empty.
  volumeMode # Whether pods get a file system or a raw block device; Filesystem by default.
  dataSource # A claim or VolumeSnapshot in the same namespace to fill the new volume from.
  dataSourceRef # Like dataSource, but may name other kinds of populators and, if enabled, other namespaces.
  volumeAttributesClassName # The VolumeAttributesClass whose parameters apply to the volume. May be changed later.

core.PersistentVolumeClaimStatus # What a claim has got.
  phase # Pending until a volume is found, Bound with one, Lost when the bound volume has gone.
  accessModes # The access modes of the bound volume.
  capacity # The real size of the bound volume.
  conditions # The latest observations, such as a resize that goes on.
  allocatedResources # The size a resize goes for. May exceed the capacity, and counts for quota.
  allocatedResourceStatuses # How far a resize has come, by resource. Absent when none goes on.
  currentVolumeAttributesClassName # The VolumeAttributesClass in effect. Absent when none has been applied.
  modifyVolumeStatus # How far the change to another VolumeAttributesClass has come. Absent when none goes on.

core.PersistentVolumeClaimTemplate # What claims for ephemeral volumes are made from.
  metadata # Standard object metadata.
  spec # Copied to the new claim as it is.

core.PersistentVolumeClaimVolumeSource # Where a volume comes from: the volume bound to a claim.
  claimName # The PersistentVolumeClaim, in the pod's namespace.
  readOnly # Makes every mount read-only; false by default.

core.PersistentVolumeSpec # What a persistent volume offers and where its storage is. Exactly one source is needed.
  capacity # The size of the volume, under storage.
  gcePersistentDisk # A persistent disk of Google Compute Engine. Deprecated: the CSI driver serves it.
  awsElasticBlockStore # An EBS disk of AWS. Deprecated: the CSI driver serves it.
  hostPath # A path of the node. Fit for clusters of a single node only.
  glusterfs # A Gluster volume. No longer supported.
  nfs # A directory of an NFS server.
  rbd # A block device image of Ceph. No longer supported in-tree.
  iscsi # A disk of an iSCSI target.
  cinder # A Cinder disk of OpenStack. Deprecated: the CSI driver serves it.
  cephfs # A directory of CephFS. No longer supported in-tree.
  fc # A disk reached over Fibre Channel.
  flocker # A Flocker dataset. No longer supported.
  flexVolume # A volume of a driver run by exec. Deprecated in favour of CSI.
  azureFile # A share of Azure Files. Deprecated: the CSI driver serves it.
  vsphereVolume # A virtual disk of vSphere. Deprecated: the CSI driver serves it.
  quobyte # A Quobyte volume. No longer supported.
  azureDisk # A data disk of Azure. Deprecated: the CSI driver serves it.
  photonPersistentDisk # A disk of the Photon Controller. No longer supported.
  portworxVolume # A Portworx volume. Deprecated: the CSI driver serves it.
  scaleIO # A ScaleIO volume. No longer supported.
  local # A disk, partition or directory of one node. Needs nodeAffinity.
  storageos # A StorageOS volume. No longer supported.
  csi # A volume of a CSI driver.
  accessModes # How nodes and pods are able to mount the volume at once.
  claimRef # The claim it is bound to or reserved for. Set by the binder if not by hand.
  persistentVolumeReclaimPolicy # What happens to the volume when its claim goes; Retain by default.
  storageClassName # The class the volume belongs to. Empty for none.
  mountOptions # Options to mount with, such as ro or soft. Not checked; a mount with a wrong one fails.
  volumeMode # Whether pods get a file system or a raw block device; Filesystem by default.
  nodeAffinity # From which nodes the volume can be reached; all when absent. Pods are scheduled to these only.
  volumeAttributesClassName # The VolumeAttributesClass in effect, as in the bound claim. Empty for none.

core.PersistentVolumeStatus # The state of a persistent volume.
  phase # Available, Bound to a claim, Released by one that is gone, Failed to be reclaimed, or Pending.
  message # Details for people.
  reason # Why it failed, as a word in CamelCase.
  lastPhaseTransitionTime # When the phase last changed.

core.PhotonPersistentDiskVolumeSource # Where a volume comes from: a Photon Controller disk. No longer supported.
  pdID # The id of the disk.
  fsType # The file system of the volume; ext4 by default.

core.PodCertificateProjection # A private key and a certificate for the pod, renewed by the kubelet, as files.
  signerName # Who is to sign the certificate.
  keyType # The kind of key to make, such as RSA3072, ECDSAP256 or ED25519.
  maxExpirationSeconds # The longest lifetime to accept; 24 hours by default, at least one. Signers may choose less.
  credentialBundlePath # The file for both key and chain, in PEM. Better than two files, which may change apart.
  keyPath # The file for the private key, in PEM.
  certificateChainPath # The file for the certificate chain, in PEM.
  userAnnotations # Extra data for the signer, copied to the PodCertificateRequest. Keys need a domain prefix.

core.PodExtendedResourceClaimStatus # The claim made for extended resources that are backed by DRA.
  requestMappings # Which request of the claim stands for which resource of which container.
  resourceClaimName # The ResourceClaim made, in the pod's namespace.

core.PodResourceClaim # A ResourceClaim a pod needs, existing or made for it. Containers opt in by its name.
  name # What containers call it; unique in the pod.
  resourceClaimName # An existing ResourceClaim in the pod's namespace. Excludes resourceClaimTemplateName.
  resourceClaimTemplateName # The template to make a claim from that goes with the pod. Excludes resourceClaimName.

core.PodResourceClaimStatus # The ResourceClaim that was made for an entry of resourceClaims.
  name # The entry in the pod's resourceClaims.
  resourceClaimName # The ResourceClaim made, in the pod's namespace. Absent when none was needed.

core.PortworxVolumeSource # Where a volume comes from: a Portworx volume.
  volumeID # The id of the volume.
  fsType # The file system of the volume; ext4 by default.
  readOnly # Makes every mount read-only; false by default.

core.ProjectedVolumeSource # Where a volume comes from: several sources put into one directory.
  sources # The sources. Paths must not collide.
  defaultMode # The mode bits of files that set none; 0644 by default. JSON takes decimal only.

core.QuobyteVolumeSource # Where a volume comes from: a Quobyte volume. No longer supported.
  registry # The registries, as host:port, separated by commas.
  volume # The name of an existing Quobyte volume.
  readOnly # Makes every mount read-only; false by default.
  user # The user to map access to; the service account's by default.
  group # The group to map access to; none by default.
  tenant # The Quobyte tenant the volume belongs to. Set by the provisioner.

core.RBDPersistentVolumeSource # Where a volume comes from: a block device image of Ceph. No longer supported in-tree.
  monitors # The addresses of the Ceph monitors.
  image # The name of the image.
  fsType # The file system of the volume; ext4 by default.
  pool # The pool of the image; rbd by default.
  user # The Ceph user; admin by default.
  keyring # The file with the user's key; /etc/ceph/keyring by default.
  secretRef # The Secret with the user's key. Used instead of the keyring.
  readOnly # Makes every mount read-only; false by default.

core.RBDVolumeSource # Where a volume comes from: a block device image of Ceph. No longer supported in-tree.
  monitors # The addresses of the Ceph monitors.
  image # The name of the image.
  fsType # The file system of the volume; ext4 by default.
  pool # The pool of the image; rbd by default.
  user # The Ceph user; admin by default.
  keyring # The file with the user's key; /etc/ceph/keyring by default.
  secretRef # The Secret with the user's key. Used instead of the keyring.
  readOnly # Makes every mount read-only; false by default.

core.ResourceClaim # A claim of the pod that a container uses.
  name # The entry in the pod's resourceClaims.
  request # The one request of the claim the container gets; everything in the claim when absent.

core.ScaleIOPersistentVolumeSource # Where a volume comes from: a ScaleIO volume. No longer supported.
  gateway # Where the ScaleIO gateway is, as a URL.
  system # The ScaleIO system, by name.
  secretRef # The Secret with the credentials to log in with.
  sslEnabled # Whether to talk TLS to the gateway; false by default.
  protectionDomain # The protection domain to use.
  storagePool # The pool of the protection domain.
  storageMode # ThickProvisioned or ThinProvisioned, the default.
  volumeName # The name of an existing ScaleIO volume.
  fsType # The file system of the volume; xfs by default.
  readOnly # Makes every mount read-only; false by default.

core.ScaleIOVolumeSource # Where a volume comes from: a ScaleIO volume. No longer supported.
  gateway # Where the ScaleIO gateway is, as a URL.
  system # The ScaleIO system, by name.
  secretRef # The Secret with the credentials to log in with.
  sslEnabled # Whether to talk TLS to the gateway; false by default.
  protectionDomain # The protection domain to use.
  storagePool # The pool of the protection domain.
  storageMode # ThickProvisioned or ThinProvisioned, the default.
  volumeName # The name of an existing ScaleIO volume.
  fsType # The file system of the volume; xfs by default.
  readOnly # Makes every mount read-only; false by default.

core.SecretProjection # The data of a Secret as files of a projected volume.
  name # A Secret of the pod's namespace.
  items # Which keys become files, and where. Every key does, under its own name, when absent.
  optional # Whether the pod starts even without the Secret or a listed key; false by default.

core.SecretVolumeSource # Where a volume comes from: the data of a Secret, a file for each key.
  secretName # A Secret of the pod's namespace.
  items # Which keys become files, and where. Every key does, under its own name, when absent.
  defaultMode # The mode bits of files that set none; 0644 by default. JSON takes decimal only.
  optional # Whether the pod starts even without the Secret or a listed key; false by default.

core.ServiceAccountTokenProjection # A token of the pod's service account, renewed by the kubelet, as a file.
  audience # Who the token is meant for; the API server by default.
  expirationSeconds # How long a token is to be valid; 3600 by default, at least 600. Renewed at 80% of it.
  path # The file for the token, relative to the volume.

core.StorageOSPersistentVolumeSource # Where a volume comes from: a StorageOS volume. No longer supported.
  volumeName # The StorageOS volume, unique in its namespace.
  volumeNamespace # The StorageOS namespace of the volume; the pod's by default.
  fsType # The file system of the volume; ext4 by default.
  readOnly # Makes every mount read-only; false by default.
  secretRef # The Secret with the credentials for the StorageOS API. Defaults are tried when absent.

core.StorageOSVolumeSource # Where a volume comes from: a StorageOS volume. No longer supported.
  volumeName # The StorageOS volume, unique in its namespace.
  volumeNamespace # The StorageOS namespace of the volume; the pod's by default.
  fsType # The file system of the volume; ext4 by default.
  readOnly # Makes every mount read-only; false by default.
  secretRef # The Secret with the credentials for the StorageOS API. Defaults are tried when absent.

core.TypedLocalObjectReference # Names an object of any kind in the same namespace.
  apiGroup # The API group of the object. Absent for the core group.
  kind # The kind of the object.
  name # The name of the object.

core.TypedObjectReference # Names an object of any kind, possibly in another namespace.
  apiGroup # The API group of the object. Absent for the core group.
  kind # The kind of the object.
  name # The name of the object.
  namespace # The namespace of the object; the same one when absent. Another one needs a ReferenceGrant.

core.Volume # A volume of a pod, which its containers may mount. At most one source; emptyDir when none is given.
  name # What containers call it; a DNS label, unique in the pod.
  hostPath # A file or directory of the node. Rarely needed by applications, and a risk.
  emptyDir # A directory that starts empty and goes with the pod.
  gcePersistentDisk # A persistent disk of Google Compute Engine. Deprecated: the CSI driver serves it.
  awsElasticBlockStore # An EBS disk of AWS. Deprecated: the CSI driver serves it.
  gitRepo # A clone of a git repository. Deprecated and off by default; let an init container clone into an emptyDir.
  secret # The data of a Secret, as files.
  nfs # A directory of an NFS server.
  iscsi # A disk of an iSCSI target.
  glusterfs # A Gluster volume. No longer supported.
  persistentVolumeClaim # The volume bound to a claim in the pod's namespace.
  rbd # A block device image of Ceph. No longer supported in-tree.
  flexVolume # A volume of a driver run by exec. Deprecated in favour of CSI.
  cinder # A Cinder disk of OpenStack. Deprecated: the CSI driver serves it.
  cephfs # A directory of CephFS. No longer supported in-tree.
  flocker # A Flocker dataset. No longer supported.
  downwardAPI # Fields of the pod itself, as files.
  fc # A disk reached over Fibre Channel.
  azureFile # A share of Azure Files. Deprecated: the CSI driver serves it.
  configMap # The data of a ConfigMap, as files.
  vsphereVolume # A virtual disk of vSphere. Deprecated: the CSI driver serves it.
  quobyte # A Quobyte volume. No longer supported.
  azureDisk # A data disk of Azure. Deprecated: the CSI driver serves it.
  photonPersistentDisk # A disk of the Photon Controller. No longer supported.
  projected # Secrets, ConfigMaps, tokens and the like in one directory.
  portworxVolume # A Portworx volume. Deprecated: the CSI driver serves it.
  scaleIO # A ScaleIO volume. No longer supported.
  storageos # A StorageOS volume. No longer supported.
  csi # An ephemeral volume that a CSI driver makes for the pod.
  ephemeral # The volume of a claim that is made for the pod and goes with it.
  image # The files of an OCI image or artifact, read-only.

core.VolumeDevice # A raw block device given to a container.
  name # The volume of the pod, a persistentVolumeClaim or ephemeral one of mode Block.
  devicePath # Where the device appears in the container.

core.VolumeMount # Where a container sees a volume.
  name # The volume of the pod.
  readOnly # Whether the container may not write to it; false by default.
  recursiveReadOnly # Whether mounts below are read-only too: Disabled by default, IfPossible or Enabled.
  mountPath # Where it appears in the container. No colons.
  subPath # The path in the volume to mount; its root by default. Excludes subPathExpr.
  mountPropagation # Whether later mounts show on the other side, host or container; None by default.
  subPathExpr # Like subPath, with $(NAME) replaced by the container's environment. Excludes subPath.

core.VolumeMountStatus # How a volume has been mounted in a container.
  name # The volume of the pod.
  mountPath # Where it appears in the container.
  readOnly # Whether the container may not write to it; false by default.
  recursiveReadOnly # Whether mounts below came out read-only too: Disabled or Enabled.
  volumeStatus # What more is known, by the kind of volume.

core.VolumeNodeAffinity # From which nodes a volume can be reached.
  required # What the node must match.

core.VolumeProjection # One source of a projected volume. Exactly one member must be set.
  secret # The data of a Secret, as files.
  downwardAPI # Fields of the pod itself, as files.
  configMap # The data of a ConfigMap, as files.
  serviceAccountToken # A token of the pod's service account, as a file.
  clusterTrustBundle # The certificates of one or more ClusterTrustBundles, as a file.
  podCertificate # A private key and a certificate for the pod, as files.

core.VolumeResourceRequirements # How much storage a claim needs.
  limits # The most that is accepted of each resource.
  requests # The least that is needed of each resource; the limit when absent.

core.VolumeStatus # What is known of a mounted volume, by its kind.
  image # The image that was mounted, of an image volume.

core.VsphereVirtualDiskVolumeSource # Where a volume comes from: a virtual disk of vSphere.
  volumePath # The path of the vmdk file, with its datastore.
  fsType # The file system of the volume; ext4 by default.
  storagePolicyName # The name of the vSphere storage policy (SPBM) of the disk.
  storagePolicyID # The id of the policy storagePolicyName names.
"""
