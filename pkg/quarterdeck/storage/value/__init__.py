"""Encryption at rest: values between the watch cache, which holds them as they are, and the backend's file."""
