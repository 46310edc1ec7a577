"""Storage versions, which servers of a cluster tell each other. Nobody here writes any.

Source: pkg/apis/apiserverinternal, pkg/registry/apiserverinternal.
"""
