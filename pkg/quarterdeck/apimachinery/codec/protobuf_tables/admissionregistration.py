"""The group admissionregistration.k8s.io, v1, as protobuf.

Source: api/admissionregistration/v1/generated.proto and types.go.
"""

TABLE = """
ApplyConfiguration: 1 expression string
AuditAnnotation: 1 key string, 2 valueExpression string
ExpressionWarning: 2 fieldRef string, 3 warning string
JSONPatch: 1 expression string
MatchCondition: 1 name string, 2 expression string
MatchResources: 1 namespaceSelector *LabelSelector, 2 objectSelector *LabelSelector,
  3 resourceRules []NamedRuleWithOperations, 4 excludeResourceRules []NamedRuleWithOperations, 7 matchPolicy *string
MutatingAdmissionPolicy: 1 metadata ObjectMeta, 2 spec MutatingAdmissionPolicySpec
MutatingAdmissionPolicyBinding: 1 metadata ObjectMeta, 2 spec MutatingAdmissionPolicyBindingSpec
MutatingAdmissionPolicyBindingList: 1 metadata ListMeta, 2 items []MutatingAdmissionPolicyBinding
MutatingAdmissionPolicyBindingSpec: 1 policyName string, 2 paramRef *ParamRef, 3 matchResources *MatchResources
MutatingAdmissionPolicyList: 1 metadata ListMeta, 2 items []MutatingAdmissionPolicy
MutatingAdmissionPolicySpec: 1 paramKind *ParamKind, 2 matchConstraints *MatchResources, 3 variables []Variable,
  4 mutations []Mutation, 5 failurePolicy *string, 6 matchConditions []MatchCondition, 7 reinvocationPolicy string
MutatingWebhook: 1 name string, 2 clientConfig WebhookClientConfig, 3 rules []RuleWithOperations,
  4 failurePolicy *string, 9 matchPolicy *string, 5 namespaceSelector *LabelSelector,
  11 objectSelector *LabelSelector, 6 sideEffects *string, 7 timeoutSeconds *int32,
  8 admissionReviewVersions []string, 10 reinvocationPolicy *string, 12 matchConditions []MatchCondition
MutatingWebhookConfiguration: 1 metadata ObjectMeta, 2 webhooks []MutatingWebhook
MutatingWebhookConfigurationList: 1 metadata ListMeta, 2 items []MutatingWebhookConfiguration
Mutation: 2 patchType string, 3 applyConfiguration *ApplyConfiguration, 4 jsonPatch *JSONPatch
NamedRuleWithOperations: 1 resourceNames []string, 2 ~ RuleWithOperations
ParamKind: 1 apiVersion string, 2 kind string
ParamRef: 1 name string, 2 namespace string, 3 selector *LabelSelector, 4 parameterNotFoundAction *string
Rule: 1 apiGroups []string, 2 apiVersions []string, 3 resources []string, 4 scope *string
RuleWithOperations: 1 operations []string, 2 ~ Rule
ServiceReference: 1 namespace string, 2 name string, 3 path *string, 4 port *int32
TypeChecking: 1 expressionWarnings []ExpressionWarning
ValidatingAdmissionPolicy: 1 metadata ObjectMeta, 2 spec ValidatingAdmissionPolicySpec,
  3 status ValidatingAdmissionPolicyStatus
ValidatingAdmissionPolicyBinding: 1 metadata ObjectMeta, 2 spec ValidatingAdmissionPolicyBindingSpec
ValidatingAdmissionPolicyBindingList: 1 metadata ListMeta, 2 items []ValidatingAdmissionPolicyBinding
ValidatingAdmissionPolicyBindingSpec: 1 policyName string, 2 paramRef *ParamRef, 3 matchResources *MatchResources,
  4 validationActions []string
ValidatingAdmissionPolicyList: 1 metadata ListMeta, 2 items []ValidatingAdmissionPolicy
ValidatingAdmissionPolicySpec: 1 paramKind *ParamKind, 2 matchConstraints *MatchResources, 3 validations []Validation,
  4 failurePolicy *string, 5 auditAnnotations []AuditAnnotation, 6 matchConditions []MatchCondition,
  7 variables []Variable
ValidatingAdmissionPolicyStatus: 1 observedGeneration int64, 2 typeChecking *TypeChecking, 3 conditions []Condition
ValidatingWebhook: 1 name string, 2 clientConfig WebhookClientConfig, 3 rules []RuleWithOperations,
  4 failurePolicy *string, 9 matchPolicy *string, 5 namespaceSelector *LabelSelector,
  10 objectSelector *LabelSelector, 6 sideEffects *string, 7 timeoutSeconds *int32,
  8 admissionReviewVersions []string, 11 matchConditions []MatchCondition
ValidatingWebhookConfiguration: 1 metadata ObjectMeta, 2 webhooks []ValidatingWebhook
ValidatingWebhookConfigurationList: 1 metadata ListMeta, 2 items []ValidatingWebhookConfiguration
Validation: 1 expression string, 2 message string, 3 reason *string, 4 messageExpression string
Variable: 1 name string, 2 expression string
WebhookClientConfig: 3 url *string, 1 service *ServiceReference, 2 caBundle bytes
"""
