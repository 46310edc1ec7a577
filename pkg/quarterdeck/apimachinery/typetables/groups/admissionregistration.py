"""The types of admissionregistration.k8s.io/v1; see typetables/__init__.py for the notation."""

TABLE = """
ApplyConfiguration: expression string? 1
AuditAnnotation: key string 1!, valueExpression string 2!
ExpressionWarning: fieldRef string 2!, warning string 3!
FailurePolicyType = string enum(Fail|Ignore)
JSONPatch: expression string? 1
MatchCondition: name string 1!, expression string 2!
MatchPolicyType = string enum(Equivalent|Exact)
MatchResources atomic: namespaceSelector *meta.LabelSelector? 1, objectSelector *meta.LabelSelector? 2,
  resourceRules []NamedRuleWithOperations? 3 atomic, excludeResourceRules []NamedRuleWithOperations? 4 atomic,
  matchPolicy *MatchPolicyType? 7
MutatingAdmissionPolicy kind: metadata meta.ObjectMeta? 1, spec MutatingAdmissionPolicySpec? 2
MutatingAdmissionPolicyBinding kind: metadata meta.ObjectMeta? 1, spec MutatingAdmissionPolicyBindingSpec? 2
MutatingAdmissionPolicyBindingSpec: policyName string? 1, paramRef *ParamRef? 2, matchResources *MatchResources? 3
MutatingAdmissionPolicySpec: paramKind *ParamKind? 1, matchConstraints *MatchResources? 2,
  variables []Variable? 3 atomic, mutations []Mutation? 4 atomic, failurePolicy *FailurePolicyType? 5,
  matchConditions []MatchCondition? 6 map(name) patch(merge|name), reinvocationPolicy ReinvocationPolicyType? 7
MutatingWebhook: name string 1!, clientConfig WebhookClientConfig 2!, rules []RuleWithOperations? 3 atomic,
  failurePolicy *FailurePolicyType? 4, matchPolicy *MatchPolicyType? 9, namespaceSelector *meta.LabelSelector? 5,
  objectSelector *meta.LabelSelector? 11, sideEffects *SideEffectClass 6!, timeoutSeconds *int32? 7,
  admissionReviewVersions []string 8! atomic, reinvocationPolicy *ReinvocationPolicyType? 10,
  matchConditions []MatchCondition? 12 map(name) patch(merge|name)
MutatingWebhookConfiguration kind: metadata meta.ObjectMeta? 1,
  webhooks []MutatingWebhook? 2 map(name) patch(merge|name)
Mutation: patchType PatchType 2!, applyConfiguration *ApplyConfiguration? 3, jsonPatch *JSONPatch? 4
NamedRuleWithOperations atomic: resourceNames []string? 1 atomic, ~RuleWithOperations 2
OperationType = string enum(*|CONNECT|CREATE|DELETE|UPDATE)
ParamKind atomic: apiVersion string? 1, kind string? 2
ParamRef atomic: name string? 1, namespace string? 2, selector *meta.LabelSelector? 3,
  parameterNotFoundAction *ParameterNotFoundActionType? 4
ParameterNotFoundActionType = string
PatchType = string enum(ApplyConfiguration|JSONPatch)
ReinvocationPolicyType = string enum(IfNeeded|Never)
Rule: apiGroups []string? 1 atomic, apiVersions []string? 2 atomic, resources []string? 3 atomic, scope *ScopeType? 4
RuleWithOperations: operations []OperationType? 1 atomic, ~Rule 2
ScopeType = string enum(*|Cluster|Namespaced)
ServiceReference: namespace string 1!, name string 2!, path *string? 3, port *int32? 4
SideEffectClass = string enum(None|NoneOnDryRun|Some|Unknown)
TypeChecking: expressionWarnings []ExpressionWarning? 1 atomic
ValidatingAdmissionPolicy kind: metadata meta.ObjectMeta? 1, spec ValidatingAdmissionPolicySpec? 2,
  status ValidatingAdmissionPolicyStatus? 3
ValidatingAdmissionPolicyBinding kind: metadata meta.ObjectMeta? 1, spec ValidatingAdmissionPolicyBindingSpec? 2!
ValidatingAdmissionPolicyBindingSpec: policyName string? 1!, paramRef *ParamRef? 2, matchResources *MatchResources? 3,
  validationActions []ValidationAction? 4! set
ValidatingAdmissionPolicyConditionType = string
ValidatingAdmissionPolicySpec: paramKind *ParamKind? 1, matchConstraints *MatchResources? 2,
  validations []Validation? 3 atomic, failurePolicy *FailurePolicyType? 4,
  auditAnnotations []AuditAnnotation? 5 atomic, matchConditions []MatchCondition? 6 map(name) patch(merge|name),
  variables []Variable? 7 map(name) patch(merge|name)
ValidatingAdmissionPolicyStatus: observedGeneration int64? 1, typeChecking *TypeChecking? 2,
  conditions []meta.Condition? 3 map(type)
ValidatingWebhook: name string 1!, clientConfig WebhookClientConfig 2!, rules []RuleWithOperations? 3 atomic,
  failurePolicy *FailurePolicyType? 4, matchPolicy *MatchPolicyType? 9, namespaceSelector *meta.LabelSelector? 5,
  objectSelector *meta.LabelSelector? 10, sideEffects *SideEffectClass 6!, timeoutSeconds *int32? 7,
  admissionReviewVersions []string 8! atomic, matchConditions []MatchCondition? 11 map(name) patch(merge|name)
ValidatingWebhookConfiguration kind: metadata meta.ObjectMeta? 1,
  webhooks []ValidatingWebhook? 2 map(name) patch(merge|name)
Validation: expression string 1!, message string? 2, reason *meta.StatusReason? 3, messageExpression string? 4
ValidationAction = string enum(Audit|Deny|Warn)
Variable atomic: name string 1!, expression string 2!
WebhookClientConfig: url *string? 3, service *ServiceReference? 1, caBundle []byte? 2
"""
