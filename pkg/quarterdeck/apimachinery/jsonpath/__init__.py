"""client-go's JSONPath: `parser` makes steps of a text, which `steps` takes."""
