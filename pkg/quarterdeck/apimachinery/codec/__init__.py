"""Bytes to JSON values and back: JSON, YAML, protobuf, and the decoding of request bodies."""
