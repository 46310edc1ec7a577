"""What is said of the types of admissionregistration."""

TEXT = """
admissionregistration.MutatingWebhookConfiguration # Webhooks that may change what is written.

admissionregistration.ValidatingWebhookConfiguration # Webhooks that may refuse what is written.

admissionregistration.ValidatingAdmissionPolicy # Conditions in CEL that objects fulfil where a binding says so.

admissionregistration.ValidatingAdmissionPolicyBinding # Where a policy is in force, its parameters, and what it does.

admissionregistration.MutatingAdmissionPolicy # Changes in CEL that are made to objects where a binding says so.

admissionregistration.MutatingAdmissionPolicyBinding # Where a policy is in force, and its parameters.
"""
