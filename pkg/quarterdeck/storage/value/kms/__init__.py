"""Envelope encryption with a key management service (KMS v2): a plugin behind a Unix socket holds the key of the keys.

Source: apiserver/pkg/storage/value/encrypt/envelope/kmsv2; k8s.io/kms/apis/v2/api.proto.
"""
