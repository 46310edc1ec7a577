"""The Go types of api/admissionregistration/v1/types.go. Written by tools/make_go_types.py."""

TABLE = """
ApplyConfiguration: expression string?
AuditAnnotation: key string, valueExpression string
ExpressionWarning: fieldRef string, warning string
FailurePolicyType = string
JSONPatch: expression string?
MatchCondition: name string, expression string
MatchPolicyType = string
MatchResources: namespaceSelector *meta.LabelSelector?, objectSelector *meta.LabelSelector?,
  resourceRules []NamedRuleWithOperations?, excludeResourceRules []NamedRuleWithOperations?,
  matchPolicy *MatchPolicyType?
MutatingAdmissionPolicy: metadata meta.ObjectMeta?, spec MutatingAdmissionPolicySpec?
MutatingAdmissionPolicyBinding: metadata meta.ObjectMeta?, spec MutatingAdmissionPolicyBindingSpec?
MutatingAdmissionPolicyBindingSpec: policyName string?, paramRef *ParamRef?, matchResources *MatchResources?
MutatingAdmissionPolicySpec: paramKind *ParamKind?, matchConstraints *MatchResources?, variables []Variable?,
  mutations []Mutation?, failurePolicy *FailurePolicyType?, matchConditions []MatchCondition?,
  reinvocationPolicy ReinvocationPolicyType?
MutatingWebhook: name string, clientConfig WebhookClientConfig, rules []RuleWithOperations?,
  failurePolicy *FailurePolicyType?, matchPolicy *MatchPolicyType?, namespaceSelector *meta.LabelSelector?,
  objectSelector *meta.LabelSelector?, sideEffects *SideEffectClass, timeoutSeconds *int32?,
  admissionReviewVersions []string, reinvocationPolicy *ReinvocationPolicyType?, matchConditions []MatchCondition?
MutatingWebhookConfiguration: metadata meta.ObjectMeta?, webhooks []MutatingWebhook?
Mutation: patchType PatchType, applyConfiguration *ApplyConfiguration?, jsonPatch *JSONPatch?
NamedRuleWithOperations: resourceNames []string?, ~RuleWithOperations
OperationType = string
ParamKind: apiVersion string?, kind string?
ParamRef: name string?, namespace string?, selector *meta.LabelSelector?,
  parameterNotFoundAction *ParameterNotFoundActionType?
ParameterNotFoundActionType = string
PatchType = string
ReinvocationPolicyType = string
Rule: apiGroups []string?, apiVersions []string?, resources []string?, scope *ScopeType?
RuleWithOperations: operations []OperationType?, ~Rule
ScopeType = string
ServiceReference: namespace string, name string, path *string?, port *int32?
SideEffectClass = string
TypeChecking: expressionWarnings []ExpressionWarning?
ValidatingAdmissionPolicy: metadata meta.ObjectMeta?, spec ValidatingAdmissionPolicySpec?,
  status ValidatingAdmissionPolicyStatus?
ValidatingAdmissionPolicyBinding: metadata meta.ObjectMeta?, spec ValidatingAdmissionPolicyBindingSpec?
ValidatingAdmissionPolicyBindingSpec: policyName string?, paramRef *ParamRef?, matchResources *MatchResources?,
  validationActions []ValidationAction?
ValidatingAdmissionPolicyConditionType = string
ValidatingAdmissionPolicySpec: paramKind *ParamKind?, matchConstraints *MatchResources?, validations []Validation?,
  failurePolicy *FailurePolicyType?, auditAnnotations []AuditAnnotation?, matchConditions []MatchCondition?,
  variables []Variable?
ValidatingAdmissionPolicyStatus: observedGeneration int64?, typeChecking *TypeChecking?, conditions []meta.Condition?
ValidatingWebhook: name string, clientConfig WebhookClientConfig, rules []RuleWithOperations?,
  failurePolicy *FailurePolicyType?, matchPolicy *MatchPolicyType?, namespaceSelector *meta.LabelSelector?,
  objectSelector *meta.LabelSelector?, sideEffects *SideEffectClass, timeoutSeconds *int32?,
  admissionReviewVersions []string, matchConditions []MatchCondition?
ValidatingWebhookConfiguration: metadata meta.ObjectMeta?, webhooks []ValidatingWebhook?
Validation: expression string, message string?, reason *meta.StatusReason?, messageExpression string?
ValidationAction = string
Variable: name string, expression string
WebhookClientConfig: url *string?, service *ServiceReference?, caBundle []byte?
"""
