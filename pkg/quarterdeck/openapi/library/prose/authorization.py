"""What is said of the types of authorization."""

TEXT = """
authorization.LocalSubjectAccessReview # Asks whether somebody may do something in one namespace.
  metadata # Standard object metadata.
  spec # Who would do what; its namespace is that of the request.
  status # The answer. Read-only.

authorization.SelfSubjectAccessReview # Asks whether the client may do something.
  metadata # Standard object metadata.
  spec # What the client would do.
  status # The answer. Read-only.

authorization.SelfSubjectRulesReview # Asks what the client may do in a namespace.
  metadata # Standard object metadata.
  spec # The namespace.
  status # What the client may do, as far as it is known. Read-only.

authorization.SubjectAccessReview # Asks whether somebody may do something.
  metadata # Standard object metadata.
  spec # Who would do what.
  status # The answer. Read-only.

authorization.SubjectAccessReviewStatus # The answer.
  allowed # Whether it is allowed.
  denied # Whether it is denied, whatever others would say.
  evaluationError # What went wrong on the way; there may be an answer all the same.
  reason # Why.

authorization.FieldSelectorAttributes # A field selector of the request; either of its two forms.
  rawSelector # As in the fieldSelector parameter of a URL; excludes requirements.
  requirements # Parsed, all of them in force; excludes rawSelector.

authorization.LabelSelectorAttributes # A label selector of the request; either of its two forms.
  rawSelector # As in the labelSelector parameter of a URL; excludes requirements.
  requirements # Parsed, all of them in force; excludes rawSelector.

authorization.NonResourceAttributes # A request for a path that is no resource's.
  path # The path, such as /healthz.
  verb # The HTTP method, in lower case.

authorization.NonResourceRule # What is allowed on paths that are no resource's.
  verbs # HTTP methods in lower case; * stands for all.
  nonResourceURLs # Paths; * stands for all or, at the end of a path, for what may follow.

authorization.ResourceAttributes # A request for a resource.
  namespace # Namespace of the object. Empty means none, or all of them if the resource is namespaced.
  verb # What is done, such as get, list or create; * stands for everything.
  group # Group of the resource, empty for the core one; * stands for all.
  version # Version of the resource; * stands for all.
  resource # Plural name of the resource; * stands for all.
  subresource # Its subresource, such as status; empty for the object itself.
  name # Name of the object; empty means all.
  fieldSelector # Limits a list, watch or deletecollection by fields.
  labelSelector # Limits a list, watch or deletecollection by labels.

authorization.ResourceRule # What is allowed on resources.
  verbs # What may be done, such as get, list or create; * stands for everything.
  apiGroups # Groups of the resources; * stands for all.
  resources # Plural names, with subresources as pods/log; * stands for all, */scale for one subresource of all.
  resourceNames # Names of the objects; all if empty.

authorization.SelfSubjectAccessReviewSpec # What the caller wants to do: exactly one of the two.
  resourceAttributes # The request, if it is for a resource.
  nonResourceAttributes # The request, if it is for another path.

authorization.SelfSubjectRulesReviewSpec # Where the caller asks for its rights.
  namespace # The namespace that the answer is about; required.

authorization.SubjectAccessReviewSpec # Who wants to do what; exactly one kind of attributes.
  resourceAttributes # The request, if it is for a resource.
  nonResourceAttributes # The request, if it is for another path.
  user # Name of the user; may be left out if there are groups.
  groups # Groups of the user.
  extra # What else the authenticator told of the user; keys in lower case.
  uid # UID of the user.

authorization.SubjectRulesReviewStatus # What somebody may do in a namespace, for display rather than decisions.
  resourceRules # What is allowed on resources, in no particular order.
  nonResourceRules # What is allowed on other paths, in no particular order.
  incomplete # Whether more may be allowed than is listed.
  evaluationError # What went wrong, such as an authorizer that cannot list its rules.
"""
