"""Tells what is wrong with one value; for schema_findings alone (schema_values.pxd). Body: ext/schema_values.pyx."""
