"""The kinds of admissionregistration.k8s.io: webhook configurations, admission policies and their bindings.

Source: pkg/apis/admissionregistration/{v1,validation}, pkg/registry/admissionregistration.
"""
