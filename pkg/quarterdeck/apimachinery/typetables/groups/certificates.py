"""The types of certificates.k8s.io/v1; see typetables/__init__.py for the notation."""

TABLE = """
CertificateSigningRequest kind: metadata meta.ObjectMeta? 1, spec CertificateSigningRequestSpec 2!,
  status CertificateSigningRequestStatus? 3
CertificateSigningRequestCondition: type RequestConditionType 1!, status core.ConditionStatus 6!, reason string? 2,
  message string? 3, lastUpdateTime meta.Time? 4, lastTransitionTime meta.Time? 5
CertificateSigningRequestSpec: request []byte 1!, signerName string 7!, expirationSeconds *int32? 8,
  usages []KeyUsage? 5 atomic, username string? 2, uid string? 3, groups []string? 4 atomic,
  extra map[string]ExtraValue? 6
CertificateSigningRequestStatus: conditions []CertificateSigningRequestCondition? 1 map(type), certificate []byte? 2
ExtraValue = []string
KeyUsage = string enum(any|cert_sign|client_auth|code_signing|content_commitment|crl_sign|data_encipherment|
  decipher_only|digital_signature|email_protection|encipher_only|ipsec_end_system|ipsec_tunnel|ipsec_user|
  key_agreement|key_encipherment|microsoft_sgc|netscape_sgc|ocsp_signing|s/mime|server_auth|signing|timestamping)
RequestConditionType = string
"""
