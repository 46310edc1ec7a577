"""What is said of the types of admissionregistration."""

TEXT = """
admissionregistration.MutatingWebhookConfiguration # Webhooks that may change what is written.
  metadata # Standard object metadata.
  webhooks # The webhooks, told apart by name.

admissionregistration.ValidatingWebhookConfiguration # Webhooks that may refuse what is written.
  metadata # Standard object metadata.
  webhooks # The webhooks, told apart by name.

admissionregistration.ValidatingAdmissionPolicy # Conditions in CEL that objects fulfil where a binding says so.
  metadata # Standard object metadata.
  spec # What is demanded, and of which requests.
  status # What the server found out about the policy.

admissionregistration.ValidatingAdmissionPolicyBinding # Where a policy is in force, its parameters, and what it does.
  metadata # Standard object metadata.
  spec # The policy, its parameters, its reach and its effect.

admissionregistration.MutatingAdmissionPolicy # Changes in CEL that are made to objects where a binding says so.
  metadata # Standard object metadata.
  spec # What is changed, and in which requests.

admissionregistration.MutatingAdmissionPolicyBinding # Where a policy is in force, and its parameters.
  metadata # Standard object metadata.
  spec # The policy, its parameters and its reach.

admissionregistration.ApplyConfiguration # A change as a partial object that is merged as server-side apply would.
  expression # CEL that yields the part to apply, as an Object{...}; atomic lists cannot be changed in it.

admissionregistration.AuditAnnotation # A remark that a policy leaves in the audit log.
  key # The last part of the annotation's key, after the policy's name and a slash; unique in the policy.
  valueExpression # CEL for the text, at most 10kB of it; null leaves the annotation out.

admissionregistration.ExpressionWarning # What the type check found fault with in one expression.
  fieldRef # Where in the policy the expression is, such as spec.validations[0].expression.
  warning # What is wrong with it, for each type that it was checked against.

admissionregistration.JSONPatch # A change as a list of JSON Patch operations.
  expression # CEL that yields a list of JSONPatch{op, path, from, value}, done in order.

admissionregistration.MatchCondition # A test in CEL that a request passes before it is looked at.
  name # Identifies the condition in errors and logs; unique in its list.
  expression # CEL that yields a bool; may use object, oldObject, request and authorizer.

admissionregistration.MatchResources # Which requests are looked at: those that meet every part of it.
  namespaceSelector # Labels of the namespace; absent or empty takes all. Does not hold back cluster-scoped objects.
  objectSelector # Labels of the object, new or old; absent or empty takes all.
  resourceRules # Operations on resources that are looked at; one that fits is enough.
  excludeResourceRules # Operations on resources that are left alone; they win over resourceRules.
  matchPolicy # Whether rules also catch a resource by its other groups and versions; Equivalent by default.

admissionregistration.MutatingAdmissionPolicyBindingSpec # How a policy of changes is put in force.
  policyName # The policy to put in force; the binding does nothing while there is none of that name.
  paramRef # Which objects are its parameters; absent for a policy without paramKind.
  matchResources # Narrows what the policy matches; absent leaves it as it is.

admissionregistration.MutatingAdmissionPolicySpec # What a policy changes, and in which requests.
  paramKind # The kind of its parameters; absent if it takes none.
  matchConstraints # The requests that it is about; has to be given.
  variables # Named expressions that later ones can use as variables.NAME, in order.
  mutations # The changes, made one after the other; each sees what the last one left.
  failurePolicy # What an error in the policy or its setup does to the request; Fail by default.
  matchConditions # Tests that a request has to pass too, at most 64; one false skips the policy.
  reinvocationPolicy # Whether it runs once more if later plugins changed the object.

admissionregistration.MutatingWebhook # A service that is asked about requests and may change the objects in them.
  name # A domain name with at least three parts, such as pods.example.com; unique in the configuration.
  clientConfig # How the webhook is reached.
  rules # Operations on resources that it is asked about; one that fits is enough.
  failurePolicy # What happens to the request when the call goes wrong; Fail by default.
  matchPolicy # Whether rules also catch a resource by its other groups and versions; Equivalent by default.
  namespaceSelector # Labels of the namespace; absent or empty takes all. Does not hold back cluster-scoped objects.
  objectSelector # Labels of the object, new or old; absent or empty takes all.
  sideEffects # What else a call does. Only with None or NoneOnDryRun are dry runs sent to it.
  timeoutSeconds # Seconds that an answer may take, from 1 to 30; 10 by default. After that failurePolicy decides.
  admissionReviewVersions # Versions of AdmissionReview it takes; the server sends the first that it knows.
  reinvocationPolicy # Whether it is asked once more if later plugins changed the object; Never by default.
  matchConditions # Tests that a request has to pass too, at most 64; one false skips the webhook.

admissionregistration.Mutation # One change of a policy.
  patchType # How the change is told; the field that belongs to it has to be set, and only that.
  applyConfiguration # The change as a partial object; for ApplyConfiguration.
  jsonPatch # The change as operations; for JSONPatch.

admissionregistration.NamedRuleWithOperations # Operations on resources, maybe only on objects of certain names.
  resourceNames # Names of the objects; all if empty.
  operations # What is done with the object; * stands for everything.
  apiGroups # Groups of the resources; * stands for all, and then alone.
  apiVersions # Versions of the resources; * stands for all, and then alone.
  resources # Plural names, with subresources as pods/log; pods/*, */scale, * and */* are understood.
  scope # Whether only cluster-scoped or only namespaced resources count; * by default, for both.

admissionregistration.ParamKind # The kind of the objects that give a policy its parameters.
  apiVersion # Group and version of the parameters, such as rules.example.com/v1.
  kind # Kind of the parameters.

admissionregistration.ParamRef # Which objects a binding gives a policy as parameters.
  name # The one object to use; excludes selector, and one of the two is needed.
  namespace # Where to look for them; by default the namespace of the request. Not for cluster-scoped kinds.
  selector # Labels of the objects to use, each on its own; excludes name.
  parameterNotFoundAction # What to do if there is none: Allow skips the binding, Deny leaves it to failurePolicy.

admissionregistration.RuleWithOperations # Operations on resources.
  operations # What is done with the object; * stands for everything.
  apiGroups # Groups of the resources; * stands for all, and then alone.
  apiVersions # Versions of the resources; * stands for all, and then alone.
  resources # Plural names, with subresources as pods/log; pods/*, */scale, * and */* are understood.
  scope # Whether only cluster-scoped or only namespaced resources count; * by default, for both.

admissionregistration.ServiceReference # A service in the cluster behind which a webhook listens.
  namespace # Namespace of the service.
  name # Name of the service.
  path # Path that requests are sent to.
  port # Port of the service; 443 by default.

admissionregistration.TypeChecking # What checking the types in a policy's expressions brought.
  expressionWarnings # The expressions with faults, and the faults.

admissionregistration.ValidatingAdmissionPolicyBindingSpec # How a policy of conditions is put in force.
  policyName # The policy to put in force; the binding does nothing while there is none of that name.
  paramRef # Which objects are its parameters; absent for a policy without paramKind.
  matchResources # Narrows what the policy matches; absent leaves it as it is.
  validationActions # What a failed check leads to; Deny and Warn exclude each other.

admissionregistration.ValidatingAdmissionPolicySpec # What a policy demands, and of which requests.
  paramKind # The kind of its parameters; absent if it takes none.
  matchConstraints # The requests that it is about; has to be given.
  validations # The checks, all of which have to hold; needed unless there are auditAnnotations.
  failurePolicy # What an error in the policy or its setup does to the request; Fail by default.
  auditAnnotations # Remarks for the audit log, at most 20; needed unless there are validations.
  matchConditions # Tests that a request has to pass too, at most 64; one false skips the policy.
  variables # Named expressions that later ones can use as variables.NAME, in order.

admissionregistration.ValidatingAdmissionPolicyStatus # What the server found out about a policy.
  observedGeneration # The generation of the object that this status is about.
  typeChecking # Faults that a check of the types found; present once that check is done.
  conditions # What is known about the object's state.

admissionregistration.ValidatingWebhook # A service that is asked about requests and may refuse them.
  name # A domain name with at least three parts, such as pods.example.com; unique in the configuration.
  clientConfig # How the webhook is reached.
  rules # Operations on resources that it is asked about; one that fits is enough.
  failurePolicy # What happens to the request when the call goes wrong; Fail by default.
  matchPolicy # Whether rules also catch a resource by its other groups and versions; Equivalent by default.
  namespaceSelector # Labels of the namespace; absent or empty takes all. Does not hold back cluster-scoped objects.
  objectSelector # Labels of the object, new or old; absent or empty takes all.
  sideEffects # What else a call does. Only with None or NoneOnDryRun are dry runs sent to it.
  timeoutSeconds # Seconds that an answer may take, from 1 to 30; 10 by default. After that failurePolicy decides.
  admissionReviewVersions # Versions of AdmissionReview it takes; the server sends the first that it knows.
  matchConditions # Tests that a request has to pass too, at most 64; one false skips the webhook.

admissionregistration.Validation # One check of a policy.
  expression # CEL that is true if all is well; may use object, oldObject, request, params and variables.
  message # What is said when the check fails; needed if the expression has line breaks.
  reason # Decides the HTTP status of the refusal; Invalid by default.
  messageExpression # CEL for the text of a failure; wins over message, which is the fallback if it errs.

admissionregistration.Variable # An expression with a name, for use in others.
  name # The name in variables.NAME; a CEL identifier, unique in the policy.
  expression # CEL for the value, worked out when first used.

admissionregistration.WebhookClientConfig # Where a webhook listens: a URL or a service, just one of them.
  url # Its https address, without user, query or fragment.
  service # The service in the cluster; excludes url.
  caBundle # Certificates in PEM that vouch for the webhook's; those of the server's system if absent.
"""
