"""Types of meta/v1 that every document refers to, and autoscaling's Scale."""

TEXT = """
package io.k8s.apimachinery.pkg.apis.meta.v1

ObjectMeta # Metadata that all stored objects have: name, identity, version, labels, owners.
  name string # Unique within a namespace for a kind. Required when creating, unless generateName is given.
  generateName string # A prefix from which the server makes a unique name when none is given.
  namespace string # The space within which the name must be unique; empty for cluster-scoped kinds.
  selfLink string # Deprecated: no longer set by the system.
  uid string # Unique in time and space. Set by the system on creation.
  resourceVersion string # Opaque version of the object, for optimistic concurrency, watches and change detection.
  generation int64 # Counts the changes of the desired state. Set by the system.
  creationTimestamp Time # CreationTimestamp is a timestamp of the server's: when it made the object. Set by the system.
  deletionTimestamp Time # When the object will be, or was asked to be, deleted. Set by the system.
  deletionGracePeriodSeconds int64 # Seconds that the object may still take to end. Set with deletionTimestamp only.
  labels {string} # Key and value pairs by which objects are organized and selected.
  annotations {string} # Free key and value pairs that tools keep with the object; not used to select it.
  ownerReferences [OwnerReference] @map(uid) @merge(uid) # The objects that this one depends on.
  finalizers [string] @set @merge # What must be done before the object is removed; removal waits until this is empty.
  managedFields [ManagedFieldsEntry] @atomic # Which manager set which fields. Maintained by the system.

ListMeta # Metadata of lists and of other answers that are not stored.
  selfLink string # Deprecated: no longer set by the system.
  resourceVersion string # The version of the collection that the list shows.
  continue string # The token that gets the next page; set when there are more items.
  remainingItemCount int64 # How many items follow this page, where that is known.
  shardInfo ShardInfo # The shard that the list shows, when one was asked for.

ShardInfo # Which part of a collection a list shows.
  selector! string ="" # The shard selector that the list answers.

ManagedFieldsEntry # The fields that one manager set by one way of writing.
  manager string # Who manages the fields.
  operation string # How they were written: Apply or Update.
  apiVersion string # The version of the resource that the field set is written in.
  time Time # When the entry was last changed.
  fieldsType string # The format of fieldsV1: always FieldsV1.
  fieldsV1 FieldsV1 # The set of fields, as a tree.
  subresource string # The subresource through which they were written, if any.

FieldsV1 = object # A set of fields as a tree: f:<name>, k:<keys>, v:<value> or i:<index>; a dot is the field itself.

OwnerReference @atomic # Enough to identify an owning object in the same namespace or at cluster scope.
  apiVersion! string ="" # API version of the owner.
  kind! string ="" # Kind of the owner.
  name! string ="" # Name of the owner.
  uid! string ="" # UID of the owner.
  controller bool # Whether the owner is the managing controller.
  blockOwnerDeletion bool # Whether the owner's foreground deletion waits for this object.

Time = string date-time # A time in RFC 3339, whole seconds.
MicroTime = string date-time # A time in RFC 3339 with microseconds.
Patch = object # A patch in one of the accepted formats.

DeleteOptions gvk=* # Options of a delete request.
  gracePeriodSeconds int64 # How long the object has before it is deleted; 0 means at once.
  preconditions Preconditions # What must hold for the deletion to happen; else 409 Conflict.
  orphanDependents bool # Deprecated: use propagationPolicy.
  propagationPolicy string # What becomes of dependents: Orphan, Background or Foreground.
  dryRun [string] @atomic # All: do everything but store the result.
  ignoreStoreReadErrorWithClusterBreakingPotential bool # Delete the object even though it cannot be read.

Preconditions # What must hold before an operation is done.
  uid string # The UID that the object must have.
  resourceVersion string # The version that the object must have.

Status gvk=/v1 # The answer of a call that gives no other object.
  metadata ListMeta ={} # Standard list metadata.
  status string # Success or Failure.
  message string # A description for people.
  reason string # Why the operation failed, for machines.
  details StatusDetails # More about the reason, for machines.
  code int32 # The HTTP status code; 0 if not set.

StatusDetails # More about a failure, as its reason defines.
  name string # The object's name.
  group string # The API group of the resource.
  kind string # The resource that the operation was on.
  uid string # UID of the object.
  causes [StatusCause] @atomic # What is wrong with which field.
  retryAfterSeconds int32 # Seconds to wait before trying again.

StatusCause # One reason of a failure.
  reason string # What kind of error it is.
  message string # A description for people.
  field string # The field in question, as it stands in JSON.

WatchEvent gvk=* # One event of a watch.
  type! string ="" # ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.
  object! io.k8s.apimachinery.pkg.runtime.RawExtension # The object; a Status for ERROR events.

LabelSelector @atomic # A query over labels; its parts are ANDed, an empty one matches everything.
  matchLabels {string} # Labels that must have these values.
  matchExpressions [LabelSelectorRequirement] @atomic # Requirements on labels.

LabelSelectorRequirement # A relation between a label and values.
  key! string ="" # The label.
  operator! string ="" # In, NotIn, Exists or DoesNotExist.
  values [string] @atomic # The values, for In and NotIn.

FieldSelectorRequirement # A relation between a field and values.
  key! string ="" # The field.
  operator! string ="" # In, NotIn, Exists or DoesNotExist.
  values [string] @atomic # The values, for In and NotIn.

APIResourceList gvk=/v1 # The resources of a version of a group.
  groupVersion! string ="" # The group and its version.
  resources! [APIResource] @atomic # The resources, and their subresources.

APIResource # A resource, or a part of one.
  name! string ="" # The plural name, as in the path.
  singularName! string ="" # The singular name.
  namespaced! bool =false # Whether its objects are in namespaces.
  group string # The group of its kind, where it is another one than that of the list.
  version string # The version of its kind, where it is another one than that of the list.
  kind! string ="" # Its kind.
  verbs! [string] # What may be done with it.
  shortNames [string] @atomic # Shorter names.
  categories [string] @atomic # The groups of resources that it is in, such as all.
  storageVersionHash string # Changes with the version in which objects are stored.

APIVersions gvk=/v1 # The versions of the core group.
  versions! [string] @atomic # The versions.
  serverAddressByClientCIDRs! [ServerAddressByClientCIDR] @atomic # Where the server is for whom.

APIGroupList gvk=/v1 # The groups that are served.
  groups! [APIGroup] @atomic # The groups.

APIGroup gvk=/v1 # A group with its versions.
  name! string ="" # The name.
  versions! [GroupVersionForDiscovery] @atomic # Its versions, the preferred ones first.
  preferredVersion GroupVersionForDiscovery ={} # The version to use.
  serverAddressByClientCIDRs [ServerAddressByClientCIDR] @atomic # Where the server is for whom.

GroupVersionForDiscovery # A version of a group.
  groupVersion! string ="" # The group and the version, as in paths.
  version! string ="" # The version.

ServerAddressByClientCIDR # The address of a server for clients of a network.
  clientCIDR! string ="" # The network.
  serverAddress! string ="" # The address: a host or host:port.

Condition # One aspect of the state of an object.
  type! string ="" # What the condition is about, in CamelCase.
  status! string ="" # True, False or Unknown.
  observedGeneration int64 # The generation that the condition was set for.
  lastTransitionTime! Time # When the status last changed.
  reason! string ="" # Why, as a word in CamelCase.
  message! string ="" # Details for people.

package io.k8s.apimachinery.pkg.version

Info # The version of a server.
  major! string ="" # The major version.
  minor! string ="" # The minor version.
  emulationMajor string # The major version that is emulated.
  emulationMinor string # The minor version that is emulated.
  minCompatibilityMajor string # The major version that is still understood.
  minCompatibilityMinor string # The minor version that is still understood.
  gitVersion! string ="" # The whole version.
  gitCommit! string ="" # The commit that it was built from.
  gitTreeState! string ="" # Whether there was more than the commit.
  buildDate! string ="" # When it was built.
  goVersion! string ="" # The Go that it was built with.
  compiler! string ="" # The compiler.
  platform! string ="" # What it was built for.

package io.k8s.api.autoscaling.v1

Scale gvk=autoscaling/v1 # A scaling request for a resource.
  metadata ObjectMeta ={} # Standard object metadata.
  spec ScaleSpec ={} # The desired size.
  status ScaleStatus ={} # The current size. Read-only.

ScaleSpec # The desired size.
  replicas int32 =0 # The desired number of instances.

ScaleStatus # The current size.
  replicas! int32 =0 # The observed number of instances.
  selector string # The label selector of the instances, as text.
"""

# The versions that know DeleteOptions and WatchEvent, as upstream publishes them.
EVERY_GROUP_VERSION = """
/v1 admissionregistration.k8s.io/v1,v1alpha1,v1beta1 apps/v1,v1beta1,v1beta2 authentication.k8s.io/v1,v1alpha1,v1beta1
authorization.k8s.io/v1,v1beta1 autoscaling/v1,v2 batch/v1,v1beta1 certificates.k8s.io/v1,v1alpha1,v1beta1
coordination.k8s.io/v1,v1alpha2,v1beta1 discovery.k8s.io/v1,v1beta1 events.k8s.io/v1,v1beta1 extensions/v1beta1
flowcontrol.apiserver.k8s.io/v1,v1beta1,v1beta2,v1beta3 internal.apiserver.k8s.io/v1alpha1 networking.k8s.io/v1,v1beta1
node.k8s.io/v1,v1alpha1,v1beta1 policy/v1,v1beta1 rbac.authorization.k8s.io/v1,v1alpha1,v1beta1
resource.k8s.io/v1,v1alpha3,v1beta1,v1beta2 scheduling.k8s.io/v1,v1alpha2,v1beta1 storage.k8s.io/v1,v1alpha1,v1beta1
storagemigration.k8s.io/v1beta1
"""

# Further ones, which the document of version 2 alone tells of: it is put together from those of several servers.
ONLY_IN_VERSION_2 = """
admission.k8s.io/v1,v1beta1 apiextensions.k8s.io/v1,v1beta1 apiregistration.k8s.io/v1,v1beta1
imagepolicy.k8s.io/v1alpha1
"""

# Fields that upstream says nothing of, by their types: their references stand alone.
SILENT = {
    "JSONSchemaProps": ("additionalItems", "additionalProperties", "example", "externalDocs", "items", "not"),
    "IngressRule": ("http",),
}
