"""Attribute-based access control: who may do what, by the policies of a file."""
