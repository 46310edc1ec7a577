"""What OpenAPI says of built-in types and their fields, for people: `TABLE.TYPE # text`, and its fields indented."""

TEXT = """
core.Namespace # A scope for names. Deleting it deletes what is in it.
  metadata # Standard object metadata.
  spec # The behaviour of the namespace.
  status # The current state of the namespace.

core.NamespaceSpec # The behaviour of a namespace.
  finalizers # What must be empty before the namespace is removed.

core.NamespaceStatus # The current state of a namespace.
  conditions # What holds up its deletion.
  phase # Active or Terminating.

core.NamespaceCondition # One aspect of the state of a namespace.
  lastTransitionTime # When the status last changed.
  message # Details for people.
  reason # Why, as a word in CamelCase.
  status # True, False or Unknown.
  type # What the condition is about.

core.ConfigMap # Configuration data for pods and others to consume.
  binaryData # Data that need not be UTF-8; its keys must not be in data.
  data # Text data. Keys consist of alphanumeric characters, '-', '_' or '.'.
  immutable # Whether data and binaryData can no longer be changed.
  metadata # Standard object metadata.

core.Secret # Data of which the bytes are kept from casual view.
  data # The data, in base64. Keys consist of alphanumeric characters, '-', '_' or '.'.
  immutable # Whether the data can no longer be changed.
  metadata # Standard object metadata.
  stringData # Data as text, for writing only: it is merged into data.
  type # Tells programs how the data is meant; Opaque by default.

core.ServiceAccount # An identity for processes.
  automountServiceAccountToken # Whether pods get a token mounted by default.
  imagePullSecrets # Secrets for pulling images.
  metadata # Standard object metadata.
  secrets # Secrets that pods of this account may use.

core.LocalObjectReference # Names an object in the same namespace.
  name # Name of the object.

core.ObjectReference # Names an object, or a part of one.
  apiVersion # API version of the object.
  fieldPath # A part of the object, as a JSON path.
  kind # Kind of the object.
  name # Name of the object.
  namespace # Namespace of the object.
  resourceVersion # The version of the object that is meant.
  uid # UID of the object.

core.Event # A report of something that happened to an object; kept for a limited time.
  action # What was done or failed to be done.
  count # How often this happened.
  eventTime # When it was first observed.
  firstTimestamp # When it was first recorded.
  involvedObject # The object that the event is about.
  lastTimestamp # When it was most recently recorded.
  message # A description for people.
  metadata # Standard object metadata.
  reason # Why, as a short word for machines.
  related # A second object, for more complex actions.
  reportingComponent # The controller that reports, such as example.com/controller.
  reportingInstance # The instance of the controller.
  series # The series that the event belongs to, if any.
  source # The component that reports.
  type # Normal or Warning.

core.EventSeries # How often and until when an event repeats.
  count # The number of occurrences up to lastObservedTime.
  lastObservedTime # When it was last observed.

core.EventSource # Who reports an event.
  component # The component.
  host # The node.

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

events.Event # A report of something that happened to an object; kept for a limited time.
  action # What was done or failed to be done.
  deprecatedCount # The field count of core/v1.
  deprecatedFirstTimestamp # The field firstTimestamp of core/v1.
  deprecatedLastTimestamp # The field lastTimestamp of core/v1.
  deprecatedSource # The field source of core/v1.
  eventTime # When it was first observed.
  metadata # Standard object metadata.
  note # A description for people.
  reason # Why, as a short word for machines.
  regarding # The object that the event is about.
  related # A second object, for more complex actions.
  reportingController # The controller that reports, such as example.com/controller.
  reportingInstance # The instance of the controller.
  series # The series that the event belongs to, if any.
  type # Normal or Warning.

events.EventSeries # How often and until when an event repeats.
  count # The number of occurrences up to lastObservedTime.
  lastObservedTime # When it was last observed.

apiregistration.APIService # Says where a version of a group is served. Its name is <version>.<group>.
  metadata # Standard object metadata.
  spec # Which version it is, and where it is served.
  status # Whether it can be reached.

apiregistration.APIServiceSpec # Which version it is, and where it is served.
  caBundle # PEM certificates that the service's certificate is checked against.
  group # The API group.
  groupPriorityMinimum # How early the group stands in lists: at least so far before groups with less.
  insecureSkipTLSVerify # Whether the service's certificate is not checked.
  service # The service that serves the version; none: this server itself.
  version # The version.
  versionPriority # How early the version stands among the others of its group.

apiregistration.ServiceReference # Names a service.
  name # Name of the service.
  namespace # Namespace of the service.
  port # The service's port; 443 by default.

apiregistration.APIServiceStatus # Whether the version can be reached.
  conditions # What is known of it.

apiregistration.APIServiceCondition # One thing that is known of an APIService.
  lastTransitionTime # When the status last changed.
  message # What happened, for people.
  reason # What happened, in one word.
  status # True, False or Unknown.
  type # What it is about, such as Available.

core.Pod # A collection of containers that run on one host. Nobody runs them here.

core.Service # A named port of a set of pods. Nobody routes to them here.

apps.Deployment # Pods that are replaced as they are described. Nobody rolls them out here.

admissionregistration.MutatingWebhookConfiguration # Webhooks that may change what is written.

admissionregistration.ValidatingWebhookConfiguration # Webhooks that may refuse what is written.

admissionregistration.ValidatingAdmissionPolicy # Conditions in CEL that objects fulfil where a binding says so.

admissionregistration.ValidatingAdmissionPolicyBinding # Where a policy is in force, its parameters, and what it does.

admissionregistration.MutatingAdmissionPolicy # Changes in CEL that are made to objects where a binding says so.

admissionregistration.MutatingAdmissionPolicyBinding # Where a policy is in force, and its parameters.

scheduling.PriorityClass # How important pods are that name this class.
  description # When to use the class, for people.
  globalDefault # Whether pods that name no class get this one.
  metadata # Standard object metadata.
  preemptionPolicy # Whether pods of the class displace others: Never or PreemptLowerPriority.
  value # The priority; higher is more important.

node.RuntimeClass # A container runtime that pods may ask for by name.
  handler # What the node's runtime knows the class by. It does not change.
  metadata # Standard object metadata.
  overhead # What running a pod of the class costs beside its containers.
  scheduling # Which nodes support the class.
"""
