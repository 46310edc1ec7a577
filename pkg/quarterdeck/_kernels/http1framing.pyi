"""What the head of a request says of the message itself, for other kernels alone. Body: ext/http1framing.pyx."""
