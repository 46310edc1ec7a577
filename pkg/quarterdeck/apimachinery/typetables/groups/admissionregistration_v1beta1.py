"""The types of admissionregistration.k8s.io/v1beta1 that are served; see typetables/__init__.py."""

TABLE = """
=admissionregistration: ApplyConfiguration FailurePolicyType JSONPatch MatchCondition MatchPolicyType MatchResources
  MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingAdmissionPolicyBindingSpec MutatingAdmissionPolicySpec
  Mutation NamedRuleWithOperations ParamKind ParamRef ParameterNotFoundActionType PatchType Variable
FailurePolicyType = string
MatchPolicyType = string
NamedRuleWithOperations atomic: resourceNames []string? 1 atomic, ~admissionregistration.RuleWithOperations 2
ReinvocationPolicyType = string enum(IfNeeded|Never)
"""
