"""What is said of the types of core."""

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

core.Pod # A collection of containers that run on one host. Nobody runs them here.

core.Service # A named port of a set of pods. Nobody routes to them here.

core.PodTemplate # A template of pods, as an object.
  metadata # Standard object metadata.
  template # What the pods look like.

core.ReplicationController # A number of pods that are alike. Nobody keeps them here.
  metadata # Standard object metadata.
  spec # How many pods there should be, and what they look like.
  status # How many there are.

core.Endpoints # The addresses behind a service, in their old form.
  metadata # Standard object metadata.
  subsets # Addresses with the ports that all of them have.

core.LimitRange # How much pods, containers and volume claims of a namespace may ask for.
  metadata # Standard object metadata.
  spec # The limits.

core.ResourceQuota # How much a namespace may use in all.
  metadata # Standard object metadata.
  spec # What may be used.
  status # What is used.

core.Node # A machine that pods may run on. Nobody runs them here.
  metadata # Standard object metadata.
  spec # What is wanted of the node.
  status # What the node tells of itself.

core.PersistentVolume # A piece of storage. Nobody binds or reclaims it here.
  metadata # Standard object metadata.
  spec # Where the data is, and who may have it.
  status # What has become of it.

core.PersistentVolumeClaim # A request for a piece of storage. Nobody binds it here.
  metadata # Standard object metadata.
  spec # What is asked for.
  status # What was given.

core.Binding # Ties one object to another: a pod to a node.
  metadata # Standard object metadata.
  target # The node.

core.ComponentStatus # Whether a part of the control plane is healthy. Deprecated since 1.19.
  conditions # What was found out.
  metadata # Standard object metadata.
"""
