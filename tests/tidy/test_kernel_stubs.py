"""The stubs of the kernels say what the kernels have: compiled code trusts them blindly.

Names both ways, parameters of functions and methods (Cython's binding tells them), and what is a class. Types of values
are not seen from here.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "pkg/quarterdeck/_kernels"
STUBS = sorted(FOLDER.glob("*.pyi"))
_Function = ast.FunctionDef | ast.AsyncFunctionDef
# What subclasses add, told in the stub for those who are handed the base.
_OF_ENGINES = ("program", "find_errors", "coerce", "coerce_leniently", "settle", "holds_more")
OF_SUBCLASSES = {f"EngineBase.{name}" for name in _OF_ENGINES}


def parameters_in_stub(node: _Function) -> list[tuple[str, bool]]:
    """Names and whether they have defaults, in order; a star's name with the star."""
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args]
    has_default = [False] * (len(plain) - len(arguments.defaults)) + [True] * len(arguments.defaults)
    found = [(each.arg, default) for each, default in zip(plain, has_default, strict=True)]
    if arguments.vararg:
        found.append((f"*{arguments.vararg.arg}", False))
    found += [
        (each.arg, value is not None) for each, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]
    return found


def parameters_of(function: Any) -> list[tuple[str, bool]] | None:
    """The same of what was compiled; None where it does not tell."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    return [
        (f"*{each.name}" if each.kind is each.VAR_POSITIONAL else each.name, each.default is not each.empty)
        for each in signature.parameters.values()
    ]


def check_function(node: _Function, actual: Any, where: str, *, is_method: bool) -> list[str]:
    decorators = {each.id for each in node.decorator_list if isinstance(each, ast.Name)}
    if "property" in decorators or any(isinstance(each, ast.Attribute) for each in node.decorator_list):
        return (
            ["" for _ in ()] if not callable(actual) or inspect.isdatadescriptor(actual) else [f"{where}: no property"]
        )
    if not callable(actual) and not isinstance(actual, (staticmethod, classmethod)):
        return [f"{where}: cannot be called"]
    found = parameters_of(actual)
    if found is None or node.name.startswith("__"):
        return []
    wanted = parameters_in_stub(node)
    if is_method and "staticmethod" not in decorators:
        wanted, found = wanted[1:], found[1:] if found and found[0][0] in ("self", "cls") else found
    return [f"{where}: the stub has {wanted}, the kernel {found}"] if wanted != found else []


def check_class(node: ast.ClassDef, actual: Any, where: str) -> list[str]:
    if not inspect.isclass(actual):
        return [f"{where}: no class"]
    problems = []
    for member in node.body:
        if isinstance(member, _Function):
            if f"{where}.{member.name}" in OF_SUBCLASSES:
                continue
            if not hasattr(actual, member.name):
                problems.append(f"{where}.{member.name}: not in the kernel")
            else:
                inner = inspect.getattr_static(actual, member.name)
                problems += check_function(member, inner, f"{where}.{member.name}", is_method=True)
        elif isinstance(member, ast.AnnAssign) and not hasattr(actual, ast.unparse(member.target)):
            problems.append(f"{where}.{ast.unparse(member.target)}: not in the kernel")
    return problems


@pytest.mark.parametrize("stub", STUBS, ids=lambda path: path.stem)
def test_a_stub_tells_what_the_kernel_has(stub: Path) -> None:
    module = importlib.import_module(f"quarterdeck._kernels.{stub.stem}")
    problems, told = [], set()
    for node in ast.parse(stub.read_text()).body:
        name = getattr(node, "name", None)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
        if name is None:
            continue
        told.add(name)
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base).startswith("Protocol") for base in node.bases):
            continue  # for types alone
        if not hasattr(module, name):
            problems.append(f"{name}: not in the kernel")
        elif isinstance(node, ast.ClassDef):
            problems += check_class(node, getattr(module, name), name)
        elif isinstance(node, _Function):
            problems += check_function(node, getattr(module, name), name, is_method=False)
    assert not problems, "\n".join(problems)


def test_every_kernel_has_a_stub() -> None:
    kernels = {path.stem for path in FOLDER.parents[2].glob("ext/*.pyx")}
    assert kernels == {path.stem for path in STUBS}
