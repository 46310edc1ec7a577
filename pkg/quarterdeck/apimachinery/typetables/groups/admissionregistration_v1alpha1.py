"""The types of admissionregistration.k8s.io/v1alpha1 that are served; see typetables/__init__.py."""

TABLE = """
=admissionregistration: ApplyConfiguration FailurePolicyType JSONPatch MatchCondition MatchPolicyType MatchResources
  MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingAdmissionPolicyBindingSpec MutatingAdmissionPolicySpec
  Mutation NamedRuleWithOperations ParamKind ParamRef ParameterNotFoundActionType PatchType Variable
NamedRuleWithOperations atomic: resourceNames []string? 1 atomic, ~admissionregistration.RuleWithOperations 2
ParameterNotFoundActionType = string enum(Allow|Deny)
ReinvocationPolicyType = string enum(IfNeeded|Never)
Variable: name string 1!, expression string 2!
"""
