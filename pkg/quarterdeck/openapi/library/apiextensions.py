"""Types of apiextensions.k8s.io."""

TEXT = """
package io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1

CustomResourceDefinition gvk=apiextensions.k8s.io/v1 # A resource to be served. Its name is <plural>.<group>.
  metadata ObjectMeta ={} # Standard object metadata.
  spec! CustomResourceDefinitionSpec ={} # How the resource is to appear.
  status CustomResourceDefinitionStatus ={} # How it appears.

CustomResourceDefinitionSpec # How a custom resource is to appear.
  group! string ="" # The API group; resources are served under /apis/<group>.
  names! CustomResourceDefinitionNames ={} # The names of the resource and its kind.
  scope! string ="" # Cluster or Namespaced.
  versions! [CustomResourceDefinitionVersion] @atomic # All versions of the resource.
  conversion CustomResourceConversion # How objects are converted between versions.
  preserveUnknownFields bool # Deprecated: use x-kubernetes-preserve-unknown-fields in the schema.

CustomResourceDefinitionNames # The names of a custom resource and its kind.
  plural! string ="" # The name in addresses, in lower case.
  singular string # The singular name; the kind in lower case by default.
  shortNames [string] @atomic # Short names for the command line.
  kind! string ="" # The kind of the objects, in CamelCase and singular.
  listKind string # The kind of their list; <kind>List by default.
  categories [string] @atomic # Groups of resources that it belongs to, such as all.

CustomResourceDefinitionVersion # One version of a custom resource.
  name! string ="" # The version's name, such as v1 or v2beta1.
  served! bool =false # Whether it is served.
  storage! bool =false # Whether objects are stored in it; true for exactly one version.
  deprecated bool # Whether requests for this version get a warning.
  deprecationWarning string # The text of that warning.
  schema CustomResourceValidation # What objects look like: pruned, defaulted and validated by it.
  subresources CustomResourceSubresources # The subresources of this version.
  additionalPrinterColumns [CustomResourceColumnDefinition] @atomic # What tables show besides the name.
  selectableFields [SelectableField] @atomic # Fields that field selectors may use.

CustomResourceColumnDefinition # One column of a table.
  name! string ="" # The heading.
  type! string ="" # integer, number, string, boolean or date.
  format string # Hints for clients, such as name.
  description string # What the column shows.
  priority int32 # Columns above 0 are shown in wide output only.
  jsonPath! string ="" # Where the value stands in an object.

CustomResourceValidation # Holds the schema.
  openAPIV3Schema JSONSchemaProps # The schema.

SelectableField # A field for field selectors.
  jsonPath! string ="" # Where the field stands: a string, integer or boolean.

CustomResourceSubresources # The subresources of a version.
  status CustomResourceSubresourceStatus # The subresource /status.
  scale CustomResourceSubresourceScale # The subresource /scale, of kind autoscaling/v1 Scale.

CustomResourceSubresourceStatus = object # With it /status writes only status, and the resource all but status.

CustomResourceSubresourceScale # Where /scale reads and writes.
  specReplicasPath! string ="" # Where the desired number stands, under .spec.
  statusReplicasPath! string ="" # Where the current number stands, under .status.
  labelSelectorPath string # Where the label selector stands, as text; needed by autoscalers.

CustomResourceConversion # How objects are converted between versions.
  strategy! string ="" # None (only apiVersion changes) or Webhook.
  webhook WebhookConversion # The webhook, for the strategy Webhook.

WebhookConversion # A webhook that converts objects.
  clientConfig WebhookClientConfig # How it is called.
  conversionReviewVersions! [string] @atomic # The versions of ConversionReview that it knows, best first.

WebhookClientConfig # How a webhook is called: one of url and service.
  url string # Where it is, as https://host:port/path.
  service ServiceReference # The service that it runs as.
  caBundle bytes # PEM certificates that its server certificate is checked against.

ServiceReference # Names a service.
  namespace! string ="" # Namespace of the service.
  name! string ="" # Name of the service.
  path string # The path that requests are sent to.
  port int32 # The service's port; 443 by default.

CustomResourceDefinitionStatus # How a custom resource appears.
  conditions [CustomResourceDefinitionCondition] @map(type) # Aspects of its state.
  acceptedNames CustomResourceDefinitionNames ={} # The names that are served.
  storedVersions [string] @atomic # Every version that objects have been stored in.
  observedGeneration int64 # The generation that the status was made for.

CustomResourceDefinitionCondition # One aspect of the state of a definition.
  type! string ="" # What the condition is about: Established, NamesAccepted, Terminating and others.
  status! string ="" # True, False or Unknown.
  lastTransitionTime Time # When the status last changed.
  reason string # Why, as a word in CamelCase.
  message string # Details for people.
  observedGeneration int64 # The generation that the condition was set for.

JSONSchemaProps # A JSON schema, with Kubernetes' extensions.
  id string # Not allowed in structural schemas.
  $schema string # The dialect of the schema.
  $ref string # Not allowed in structural schemas.
  description string # What explain shows.
  type string # object, array, string, integer, number or boolean.
  format string # The format of the value, such as date-time or int64.
  title string # A title.
  default JSON # The value that is filled in when none is given.
  maximum double # The greatest number.
  exclusiveMaximum bool # Whether maximum itself is excluded.
  minimum double # The smallest number.
  exclusiveMinimum bool # Whether minimum itself is excluded.
  maxLength int64 # The most characters of a text.
  minLength int64 # The fewest characters of a text.
  pattern string # The regular expression (RE2) that a text must match.
  maxItems int64 # The most items of a list.
  minItems int64 # The fewest items of a list.
  uniqueItems bool # Not allowed: use x-kubernetes-list-type set.
  multipleOf double # What the number must be a multiple of.
  enum [JSON] @atomic # The allowed values.
  maxProperties int64 # The most properties of an object.
  minProperties int64 # The fewest properties of an object.
  required [string] @atomic # The properties that must be there.
  items JSONSchemaPropsOrArray
  allOf [JSONSchemaProps] @atomic # All of these must match.
  oneOf [JSONSchemaProps] @atomic # Exactly one of these must match.
  anyOf [JSONSchemaProps] @atomic # At least one of these must match.
  not JSONSchemaProps
  properties {JSONSchemaProps} # The schemas of an object's properties.
  additionalProperties JSONSchemaPropsOrBool
  patternProperties {JSONSchemaProps} # Not allowed in structural schemas.
  dependencies {JSONSchemaPropsOrStringArray} # Not allowed in structural schemas.
  additionalItems JSONSchemaPropsOrBool
  definitions {JSONSchemaProps} # Not allowed in structural schemas.
  externalDocs ExternalDocumentation
  example JSON
  nullable bool # Whether null is allowed.
  x-kubernetes-preserve-unknown-fields bool # Whether fields that the schema does not know are kept.
  x-kubernetes-embedded-resource bool # Whether the value is a whole object with apiVersion, kind and metadata.
  x-kubernetes-int-or-string bool # Whether the value is an integer or a text.
  x-kubernetes-list-map-keys [string] @atomic # The keys of a list of type map.
  x-kubernetes-list-type string # How a list merges: atomic, set or map.
  x-kubernetes-map-type string # How an object merges: granular or atomic.
  x-kubernetes-validations [ValidationRule] @map(rule) @merge(rule) # Rules in the expression language CEL.

JSONSchemaPropsOrArray = any # A schema, or a list of schemas.
JSONSchemaPropsOrBool = any # A schema, or true or false.
JSONSchemaPropsOrStringArray = any # A schema, or a list of texts.
JSON = any # Any JSON value.

ExternalDocumentation # Where to read more.
  description string # What is found there.
  url string # The address.

ValidationRule # A rule in the expression language CEL.
  rule! string ="" # The expression: self is the value, oldSelf the former one.
  message string # The text of the error.
  messageExpression string # A CEL expression that gives the text.
  reason string @enum(FieldValueDuplicate|FieldValueForbidden|FieldValueInvalid|FieldValueRequired) # The reason.
  fieldPath string # The field that errors are reported for.
  optionalOldSelf bool # Whether the rule runs although there is no old value; then oldSelf is optional.
"""
