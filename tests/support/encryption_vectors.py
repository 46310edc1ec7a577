"""Stored values in upstream's formats, base64, made by other programs: PyCryptodome (AES), TweetNaCl.js (secretbox) and
protobuf's wire format by hand. Keys are 0, 1, 2 … (16 bytes for AES-GCM, else 32), the seed of KMS is 64, 65 …."""

CONTEXT = b"/registry/secrets/default/api-token"
PLAIN = b'{"kind":"Secret","apiVersion":"v1","metadata":{"name":"api-token"},"data":{"token":"aHVudGVyMg=="}}'
STORED = {
    "aesgcm": (
        "azhzOmVuYzphZXNnY206djE6a2V5MTpkZWZnaGlqa2xtbm9hQCXMtWaawLltMnP0r1/OHKoZj/v/uCiHBt75nsjVhYvefgbmfVPw"
        "7jlTJ6+4PyW1/HAWvzxjSbPnLCmj9QAORuc+L8jW5usFnUXwRoRaF7iQGDjVrW7xXlsT0qg4q2dANBx6nZw6M11ZGd8hmODdgPJW"
    ),
    "aescbc": (
        "azhzOmVuYzphZXNjYmM6djE6a2V5MTrIycrLzM3Oz9DR0tPU1dbXB9Fv5nNdmLeLaruI423omFYP+qUlGdMISoHlslSrmTXTHQNK"
        "hTPHtmG2hC+vyILc9jFqAZ3qfXksbSU6J5MzP/LHkyEZyUtXUjQHbpqcqmU5itjw3Aea47nzwS+ItExNXMMFtCcESnMbM+u9L8Z3"
        "Iw=="
    ),
    "secretbox": (
        "azhzOmVuYzpzZWNyZXRib3g6djE6a2V5MToyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSEml48I8iwi7Wepa83MkhyPKVSY6l5ev0FxA"
        "BGTJ0v22VAgkLEjmtB9J6PCzmsk0zVUfSixWe9JfFqQmppsleFnSAaPxZYC6yK9xB/Dtg2lgtZjr0RQLARfYSItkwe4LE8ebQxGt"
        "ng749N1ExDihs2pMHyEm"
    ),
    "kms": (
        "azhzOmVuYzprbXM6djI6dmF1bHQ6Cp8BICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj9kZWZnaGlqa2xtbm+YBBUBxOuI"
        "8mrpwJq5Hr4kOvuqwNDePQ+9IRtcVRrPeMVQOJx42yRWbCRGzJ23N0XT2otee3KuW6rdT7rPDCKc56cQXN86XndkUREmiR5QP88n"
        "hfcVwVlhXttV3zo9KNfq00oHKI+RLDupdYYwOYL7QujnEgVrZWstMRonc2VhbGVkOkBBQkNERUZHSElKS0xNTk9QUVJTVFVWV1hZ"
        "WltcXV5fIiMKHnZlcnNpb24uZW5jcnlwdGlvbi5leGFtcGxlLmNvbRIBNygB"
    ),
    "kms_key": (
        "azhzOmVuYzprbXM6djI6dmF1bHQ6Cn9kZWZnaGlqa2xtbm8zObUPF410pBwxOouoAB7fbuBneuI6lgDUuMMm2ZmHPqXLbOIhd+9l"
        "mZIMXt94se11OvWCAnBjSYqYgaKA6sDkKvH3LLIqT2SpVZZhZeVagwpaJRbGjduzu7ZgvTZ0c2ysDO/kCrSQ9yX1SRzB1LKt14aW"
        "EgVrZWstMRonc2VhbGVkOgABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"
    ),
}
