"""The numbers of JSON. For jsondecode.pyx: nothing to call from Python. Body: ext/jsonnumber.pyx."""
