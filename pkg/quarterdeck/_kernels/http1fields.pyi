"""The fields of a head, for http1.pyx alone. Body: ext/http1fields.pyx."""
