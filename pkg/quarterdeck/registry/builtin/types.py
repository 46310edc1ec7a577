"""The Go types of the built-in kinds, as data: field names, types, pointers and omitempty.

Source: k8s.io/api/{core,coordination}/v1/types.go (1.36).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.schema.gotype import (
    BOOL,
    BYTES,
    INT32,
    MICRO_TIME,
    STRING,
    TIME,
    Field,
    ListOf,
    MapOf,
    Struct,
)

_text = Field(STRING)
_text_pointer = Field(STRING, pointer=True)
_int_pointer = Field(INT32, pointer=True)
_bool_pointer = Field(BOOL, pointer=True)

OBJECT_REFERENCE: Final = Struct(
    "ObjectReference",
    dict.fromkeys(("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"), _text),
)
LOCAL_OBJECT_REFERENCE: Final = Struct("LocalObjectReference", {"name": _text})

CONFIG_MAP: Final = Struct(
    "ConfigMap",
    {
        "immutable": _bool_pointer,
        "data": Field(MapOf(STRING)),
        "binaryData": Field(MapOf(BYTES)),
    },
)

SECRET: Final = Struct(
    "Secret",
    {
        "immutable": _bool_pointer,
        "data": Field(MapOf(BYTES)),
        "stringData": Field(MapOf(STRING)),
        "type": _text,
    },
)

SERVICE_ACCOUNT: Final = Struct(
    "ServiceAccount",
    {
        "secrets": Field(ListOf(OBJECT_REFERENCE)),
        "imagePullSecrets": Field(ListOf(LOCAL_OBJECT_REFERENCE)),
        "automountServiceAccountToken": _bool_pointer,
    },
)

NAMESPACE: Final = Struct(
    "Namespace",
    {
        "spec": Field(Struct("NamespaceSpec", {"finalizers": Field(ListOf(STRING))})),
        "status": Field(
            Struct(
                "NamespaceStatus",
                {
                    "phase": _text,
                    "conditions": Field(
                        ListOf(
                            Struct(
                                "NamespaceCondition",
                                {
                                    "type": Field(STRING, always=True),
                                    "status": Field(STRING, always=True),
                                    "lastTransitionTime": Field(TIME, always=True),
                                    "reason": _text,
                                    "message": _text,
                                },
                            )
                        )
                    ),
                },
            )
        ),
    },
)

EVENT: Final = Struct(
    "Event",
    {
        "involvedObject": Field(OBJECT_REFERENCE, always=True),
        "reason": _text,
        "message": _text,
        "source": Field(Struct("EventSource", {"component": _text, "host": _text})),
        "firstTimestamp": Field(TIME, always=True),
        "lastTimestamp": Field(TIME, always=True),
        "count": Field(INT32),
        "type": _text,
        "eventTime": Field(MICRO_TIME, always=True),
        "series": Field(
            Struct("EventSeries", {"count": Field(INT32), "lastObservedTime": Field(MICRO_TIME, always=True)}),
            pointer=True,
        ),
        "action": _text,
        "related": Field(OBJECT_REFERENCE, pointer=True),
        "reportingComponent": Field(STRING, always=True),
        "reportingInstance": Field(STRING, always=True),
    },
)

LEASE: Final = Struct(
    "Lease",
    {
        "spec": Field(
            Struct(
                "LeaseSpec",
                {
                    "holderIdentity": _text_pointer,
                    "leaseDurationSeconds": _int_pointer,
                    "acquireTime": Field(MICRO_TIME, pointer=True),
                    "renewTime": Field(MICRO_TIME, pointer=True),
                    "leaseTransitions": _int_pointer,
                    "strategy": _text_pointer,
                    "preferredHolder": _text_pointer,
                },
            )
        )
    },
)
