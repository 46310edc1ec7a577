"""--encryption-provider-config: its file, and the transformers that are made of it."""
