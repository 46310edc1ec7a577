"""How Go reads a quoted text of JSON; for jsondecode alone (jsontext.pxd). Body: ext/jsontext.pyx."""
