"""How protobuftext finds and writes the fields of a message. Body: ext/protobufplan.pyx."""

from quarterdeck._kernels.protobufobject import Message

class Unusual(Exception):
    """A value, or a message, that protobuftext leaves to who reads the text."""

class Plan:
    def __new__(cls, message: Message) -> Plan: ...
