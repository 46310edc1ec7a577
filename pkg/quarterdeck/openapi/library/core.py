"""Types of the core group, of coordination.k8s.io and of events.k8s.io."""

TEXT = """
package io.k8s.api.core.v1

Namespace gvk=/v1 # A scope for names. Deleting it deletes what is in it.
  metadata ObjectMeta ={} # Standard object metadata.
  spec NamespaceSpec ={} # The behaviour of the namespace.
  status NamespaceStatus ={} # The current state of the namespace.

NamespaceSpec # The behaviour of a namespace.
  finalizers [string] @atomic # What must be empty before the namespace is removed.

NamespaceStatus # The current state of a namespace.
  conditions [NamespaceCondition] @map(type) @merge(type) # What holds up its deletion.
  phase string # Active or Terminating.

NamespaceCondition # One aspect of the state of a namespace.
  lastTransitionTime Time # When the status last changed.
  message string # Details for people.
  reason string # Why, as a word in CamelCase.
  status! string ="" # True, False or Unknown.
  type! string ="" # What the condition is about.

ConfigMap gvk=/v1 # Configuration data for pods and others to consume.
  binaryData {bytes} # Data that need not be UTF-8; its keys must not be in data.
  data {string} # Text data. Keys consist of alphanumeric characters, '-', '_' or '.'.
  immutable bool # Whether data and binaryData can no longer be changed.
  metadata ObjectMeta ={} # Standard object metadata.

Secret gvk=/v1 # Data of which the bytes are kept from casual view.
  data {bytes} # The data, in base64. Keys consist of alphanumeric characters, '-', '_' or '.'.
  immutable bool # Whether the data can no longer be changed.
  metadata ObjectMeta ={} # Standard object metadata.
  stringData {string} # Data as text, for writing only: it is merged into data.
  type string # Tells programs how the data is meant; Opaque by default.

ServiceAccount gvk=/v1 # An identity for processes.
  automountServiceAccountToken bool # Whether pods get a token mounted by default.
  imagePullSecrets [LocalObjectReference] @atomic # Secrets for pulling images.
  metadata ObjectMeta ={} # Standard object metadata.
  secrets [ObjectReference] @map(name) @merge(name) # Secrets that pods of this account may use.

LocalObjectReference @atomic # Names an object in the same namespace.
  name string ="" # Name of the object.

ObjectReference @atomic # Names an object, or a part of one.
  apiVersion string # API version of the object.
  fieldPath string # A part of the object, as a JSON path.
  kind string # Kind of the object.
  name string # Name of the object.
  namespace string # Namespace of the object.
  resourceVersion string # The version of the object that is meant.
  uid string # UID of the object.

Event gvk=/v1 # A report of something that happened to an object; kept for a limited time.
  action string # What was done or failed to be done.
  count int32 # How often this happened.
  eventTime MicroTime # When it was first observed.
  firstTimestamp Time # When it was first recorded.
  involvedObject! ObjectReference ={} # The object that the event is about.
  lastTimestamp Time # When it was most recently recorded.
  message string # A description for people.
  metadata! ObjectMeta ={} # Standard object metadata.
  reason string # Why, as a short word for machines.
  related ObjectReference # A second object, for more complex actions.
  reportingComponent string ="" # The controller that reports, such as example.com/controller.
  reportingInstance string ="" # The instance of the controller.
  series EventSeries # The series that the event belongs to, if any.
  source EventSource ={} # The component that reports.
  type string # Normal or Warning.

EventSeries # How often and until when an event repeats.
  count int32 # The number of occurrences up to lastObservedTime.
  lastObservedTime MicroTime # When it was last observed.

EventSource # Who reports an event.
  component string # The component.
  host string # The node.

package io.k8s.api.coordination.v1

Lease gvk=coordination.k8s.io/v1 # A lease that one of several holds, for leader election and heartbeats.
  metadata ObjectMeta ={} # Standard object metadata.
  spec LeaseSpec ={} # The lease.

LeaseSpec # The lease.
  acquireTime MicroTime # When the current lease was acquired.
  holderIdentity string # Who holds the lease.
  leaseDurationSeconds int32 # How long candidates wait after renewTime before they take the lease.
  leaseTransitions int32 # How often the lease changed hands.
  preferredHolder string # Who should take the lease next (coordinated leader election).
  renewTime MicroTime # When the holder last renewed the lease.
  strategy string # How the holder is picked (coordinated leader election).

package io.k8s.api.events.v1

Event gvk=events.k8s.io/v1 # A report of something that happened to an object; kept for a limited time.
  action string # What was done or failed to be done.
  deprecatedCount int32 # The field count of core/v1.
  deprecatedFirstTimestamp Time # The field firstTimestamp of core/v1.
  deprecatedLastTimestamp Time # The field lastTimestamp of core/v1.
  deprecatedSource io.k8s.api.core.v1.EventSource ={} # The field source of core/v1.
  eventTime! MicroTime # When it was first observed.
  metadata ObjectMeta ={} # Standard object metadata.
  note string # A description for people.
  reason string # Why, as a short word for machines.
  regarding io.k8s.api.core.v1.ObjectReference ={} # The object that the event is about.
  related io.k8s.api.core.v1.ObjectReference # A second object, for more complex actions.
  reportingController string # The controller that reports, such as example.com/controller.
  reportingInstance string # The instance of the controller.
  series EventSeries # The series that the event belongs to, if any.
  type string # Normal or Warning.

EventSeries # How often and until when an event repeats.
  count! int32 =0 # The number of occurrences up to lastObservedTime.
  lastObservedTime! MicroTime # When it was last observed.
"""
