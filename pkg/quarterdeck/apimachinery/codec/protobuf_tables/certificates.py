"""The group certificates.k8s.io, v1, as protobuf.

Source: api/certificates/v1/generated.proto and types.go.
"""

TABLE = """
CertificateSigningRequest: 1 metadata ObjectMeta, 2 spec CertificateSigningRequestSpec,
  3 status CertificateSigningRequestStatus
CertificateSigningRequestCondition: 1 type string, 6 status string, 2 reason string, 3 message string,
  4 lastUpdateTime Time, 5 lastTransitionTime Time
CertificateSigningRequestList: 1 metadata ListMeta, 2 items []CertificateSigningRequest
CertificateSigningRequestSpec: 1 request bytes, 7 signerName string, 8 expirationSeconds *int32, 5 usages []string,
  2 username string, 3 uid string, 4 groups []string, 6 extra map[Strings]
CertificateSigningRequestStatus: 1 conditions []CertificateSigningRequestCondition, 2 certificate bytes
"""
