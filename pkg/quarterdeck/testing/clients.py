"""Clients of other projects, ready to be used with a control plane. Each is imported when it is asked for."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest


def _import(name: str, fixture: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0].replace("_", "-")
        raise pytest.UsageError(f"the fixture {fixture} needs the package {package}: {error}") from error


def kubernetes(kubeconfig: Path) -> Any:
    """A kubernetes.client.ApiClient."""
    config = _import("kubernetes.config", "kubernetes_client")
    return config.new_client_from_config(str(kubeconfig))


@contextlib.asynccontextmanager
async def kubernetes_asyncio(kubeconfig: Path) -> AsyncIterator[Any]:
    """A kubernetes_asyncio.client.ApiClient of the loop that runs."""
    client = _import("kubernetes_asyncio.client", "kubernetes_asyncio_client")
    config = _import("kubernetes_asyncio.config", "kubernetes_asyncio_client")
    configuration = client.Configuration()
    await config.load_kube_config(config_file=str(kubeconfig), client_configuration=configuration)
    async with client.ApiClient(configuration) as api:
        yield api


def lightkube(kubeconfig: Path) -> Any:
    """A lightkube.Client."""
    package = _import("lightkube", "lightkube_client")
    return package.Client(config=package.KubeConfig.from_file(str(kubeconfig)))


def kr8s(kubeconfig: Path) -> Any:
    """The API of kr8s, without what it keeps of others."""
    return _import("kr8s", "kr8s_api").api(kubeconfig=str(kubeconfig))


def kopf_runner(*arguments: str) -> Any:
    """A kopf.testing.KopfRunner, which is a context manager: the operator runs within it."""
    return _import("kopf.testing", "kopf_runner").KopfRunner(list(arguments))
