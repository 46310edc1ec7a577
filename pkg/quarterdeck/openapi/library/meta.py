"""Types of meta/v1 that every document refers to, and autoscaling's Scale."""

TEXT = """
package io.k8s.apimachinery.pkg.apis.meta.v1

ObjectMeta # Metadata that all stored objects have: name, identity, version, labels, owners.
  annotations {string} # Free key and value pairs that tools keep with the object; not used to select it.
  creationTimestamp Time # When the server created the object. Set by the system.
  deletionGracePeriodSeconds int64 # Seconds that the object may still take to end. Set with deletionTimestamp only.
  deletionTimestamp Time # When the object will be, or was asked to be, deleted. Set by the system.
  finalizers [string] @set @merge # What must be done before the object is removed; removal waits until this is empty.
  generateName string # A prefix from which the server makes a unique name when none is given.
  generation int64 # Counts the changes of the desired state. Set by the system.
  labels {string} # Key and value pairs by which objects are organized and selected.
  managedFields [ManagedFieldsEntry] @atomic # Which manager set which fields. Maintained by the system.
  name string # Unique within a namespace for a kind. Required when creating, unless generateName is given.
  namespace string # The space within which the name must be unique; empty for cluster-scoped kinds.
  ownerReferences [OwnerReference] @map(uid) @merge(uid) # The objects that this one depends on.
  resourceVersion string # Opaque version of the object, for optimistic concurrency, watches and change detection.
  selfLink string # Deprecated: no longer set by the system.
  uid string # Unique in time and space. Set by the system on creation.

ListMeta # Metadata of lists and of other answers that are not stored.
  continue string # The token that gets the next page; set when there are more items.
  remainingItemCount int64 # How many items follow this page, where that is known.
  resourceVersion string # The version of the collection that the list shows.
  selfLink string # Deprecated: no longer set by the system.
  shardInfo ShardInfo # The shard that the list shows, when one was asked for.

ShardInfo # Which part of a collection a list shows.
  selector! string ="" # The shard selector that the list answers.

ManagedFieldsEntry # The fields that one manager set by one way of writing.
  apiVersion string # The version of the resource that the field set is written in.
  fieldsType string # The format of fieldsV1: always FieldsV1.
  fieldsV1 FieldsV1 # The set of fields, as a tree.
  manager string # Who manages the fields.
  operation string # How they were written: Apply or Update.
  subresource string # The subresource through which they were written, if any.
  time Time # When the entry was last changed.

FieldsV1 = object # A set of fields as a tree: f:<name>, k:<keys>, v:<value> or i:<index>; a dot is the field itself.

OwnerReference @atomic # Enough to identify an owning object in the same namespace or at cluster scope.
  apiVersion! string ="" # API version of the owner.
  blockOwnerDeletion bool # Whether the owner's foreground deletion waits for this object.
  controller bool # Whether the owner is the managing controller.
  kind! string ="" # Kind of the owner.
  name! string ="" # Name of the owner.
  uid! string ="" # UID of the owner.

Time = string date-time # A time in RFC 3339, whole seconds.
MicroTime = string date-time # A time in RFC 3339 with microseconds.
Patch = object # A patch in one of the accepted formats.

DeleteOptions gvk=* # Options of a delete request.
  dryRun [string] @atomic # All: do everything but store the result.
  gracePeriodSeconds int64 # How long the object has before it is deleted; 0 means at once.
  ignoreStoreReadErrorWithClusterBreakingPotential bool # Delete the object even though it cannot be read.
  orphanDependents bool # Deprecated: use propagationPolicy.
  preconditions Preconditions # What must hold for the deletion to happen; else 409 Conflict.
  propagationPolicy string # What becomes of dependents: Orphan, Background or Foreground.

Preconditions # What must hold before an operation is done.
  resourceVersion string # The version that the object must have.
  uid string # The UID that the object must have.

Status gvk=/v1 # The answer of a call that gives no other object.
  code int32 # The HTTP status code; 0 if not set.
  details StatusDetails @atomic # More about the reason, for machines.
  message string # A description for people.
  metadata ListMeta ={} # Standard list metadata.
  reason string # Why the operation failed, for machines.
  status string # Success or Failure.

StatusDetails # More about a failure, as its reason defines.
  causes [StatusCause] @atomic # What is wrong with which field.
  group string # The API group of the resource.
  kind string # The resource that the operation was on.
  name string # The object's name.
  retryAfterSeconds int32 # Seconds to wait before trying again.
  uid string # UID of the object.

StatusCause # One reason of a failure.
  field string # The field in question, as it stands in JSON.
  message string # A description for people.
  reason string # What kind of error it is.

WatchEvent gvk=* # One event of a watch.
  object! any # The object; a Status for ERROR events.
  type! string ="" # ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.

LabelSelector @atomic # A query over labels; its parts are ANDed, an empty one matches everything.
  matchExpressions [LabelSelectorRequirement] @atomic # Requirements on labels.
  matchLabels {string} # Labels that must have these values.

LabelSelectorRequirement # A relation between a label and values.
  key! string ="" # The label.
  operator! string ="" # In, NotIn, Exists or DoesNotExist.
  values [string] @atomic # The values, for In and NotIn.

Condition # One aspect of the state of an object.
  lastTransitionTime! Time # When the status last changed.
  message! string ="" # Details for people.
  observedGeneration int64 # The generation that the condition was set for.
  reason! string ="" # Why, as a word in CamelCase.
  status! string ="" # True, False or Unknown.
  type! string ="" # What the condition is about, in CamelCase.

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
