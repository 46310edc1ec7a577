"""What is said of the types of certificates."""

TEXT = """
certificates.CertificateSigningRequest # Asks a signer for a certificate, which it issues once somebody approves.
  metadata # Standard object metadata.
  spec # What is asked for, and by whom. It does not change.
  status # Whether it is approved, and the certificate.

certificates.CertificateSigningRequestSpec # What is asked for, and by whom.
  expirationSeconds # How long the certificate should be valid: 600 seconds at least. Signers need not follow.
  extra # Of the user who asks; set by the server.
  groups # Of the user who asks; set by the server.
  request # A certificate signing request (PKCS#10) in PEM.
  signerName # Who shall issue it, as example.com/name.
  uid # Of the user who asks; set by the server.
  usages # What the key is to be used for.
  username # Of the user who asks; set by the server.

certificates.CertificateSigningRequestStatus # How far the request has come.
  certificate # The certificate in PEM, with its intermediates, once it is issued.
  conditions # Approved, Denied, Failed, and what signers add.

certificates.CertificateSigningRequestCondition # One aspect of how far a signing request has come.
  type # What the condition is about.
  status # True, False or Unknown.
  reason # Why, as a word in CamelCase.
  message # Details for people.
  lastUpdateTime # When the condition was last updated.
  lastTransitionTime # When the status last changed.
"""
