"""Policies written in CEL: what they are compiled to, which requests they concern, and what they say of these.

Source: apiserver/pkg/admission/plugin/{cel,policy}.
"""
