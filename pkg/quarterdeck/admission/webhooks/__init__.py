"""Admission by webhooks: which requests they are asked about, what they are sent, what their answers do.

Source: apiserver/pkg/admission/plugin/webhook.
"""
