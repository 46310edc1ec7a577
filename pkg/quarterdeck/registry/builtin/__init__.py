"""The built-in kinds that operators and kubectl need: their types, their rules, one file a resource."""
