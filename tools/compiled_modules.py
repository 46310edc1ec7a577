"""Which Python modules the release build compiles with mypyc, and whether what was compiled is what the sources say.

What mypyc makes of a module hangs on the types of what it imports as well: a kernel's stub, a module that stays
interpreted. So these count too, as far as imports lead within the package.

A group becomes one shared library, `NAME__mypyc.….so` beside the package, and a small extension module for each of its
modules beside the source. Groups compile side by side; a change in one leaves the other's C code as it is. The modules
stay plain Python: without the extensions they run interpreted (docs/adr/0005 tells why, and what that asks of them).
"""

from __future__ import annotations

import ast
import hashlib
import json
import sysconfig
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
_PACKAGE: Final = Path("pkg/quarterdeck")
_STAMP: Final = ROOT / "build/mypyc/compiled.json"
_SUFFIX: Final = sysconfig.get_config_var("EXT_SUFFIX")

# group: folder of the package: modules
_GROUPS: Final = {
    "quarterdeck_cel": {
        "cel": (
            "ast checker correlation cost cost_calls cost_lists cost_math cost_paths cost_sizes counted crd_rules "
            "decls environment functions lexer literals macros nosuchoverload operators overloads parser planner "
            "readers rule_compile rule_costs rule_environments rule_texts rule_tree rule_walk schema scopes "
            "signatures source structs substitution token_reader types validators"
        ),
        # They are loaded with the first policy, as the compiler of expressions is.
        "admission/policy": (
            "compiled countedmatching evaluation expressions matching params screening subject typechecking validating "
            "versions"
        ),
    },
    # Every step of a usual request, on the connection's side and on the object's.
    "quarterdeck_serving": {
        "admission": "attributes chain matching namespacemetadata timings",
        "admission/plugins": "namespace_lifecycle",
        "admission/policy": "concerned plugins source",
        "admission/webhooks": "plugin source",
        "audit": "event logbackend origin policy record shown sinks streams times truncation",
        "authentication": "authenticator tokenfile x509",
        "endpoints": (
            "application body context freshread list_options longrunning metrics negotiation options "
            "patched_bodies query request_info respond router seats"
        ),
        "endpoints/filters": "auditing authentication authorization deadline flowcontrol impersonation insecure",
        "endpoints/handlers": "apply common create creation delete get list patch update watch",
        "flowcontrol": "classifier counts demand estimates fairqueues flows kinds lane queueset tickets work",
        "server": "resources",
        "transport": (
            "connections http1 http1_answers http1_bodies http1_state http1_tunnels http1_waiting http2 http2_answers "
            "http2_exchange http2_output incoming limits messages phases server streams tls_protocol"
        ),
    },
    "quarterdeck_registry": {
        "apiextensions": "served versions",
        "apimachinery": "clock meta names randomness user",
        "apis": "resource",
        "apimachinery/codec": "json typemeta yaml",
        "apimachinery/patch": "jsonpatch jsonpatch_body mergepatch",
        "controllers/garbage": "feed",
        "fieldmanager": "applier claims exclusions identity managed manager noop",
        "registry/customresource": "codec forms selectable strategy",
        "registry": (
            "attempts awaited changes deletion deletion_options emptymembers hotobjects inflight owners preconditions "
            "revisions scope store strategy unstored write_admission writes"
        ),
        "schema": "embeddedobject metadecode objectmeta",
        "storage/cacher": (
            "attributes cacher counts encoding history index kept lists past picking postings prefixes replay resource "
            "selection shared starting state stored terms watching"
        ),
        "storage/sqlite": "store worker writer",
    },
    # What looks at each schema within a definition.
    "quarterdeck_definitions": {
        "apiextensions": "empties rules",
        "apiextensions/validation": "defaults merging places schemas subschemas",
        "schema": "structural",
    },
    # They are loaded where objects are kept in etcd.
    "quarterdeck_etcd": {
        "storage/etcd3": "calls client layout messages newest values writes",
        "storage/value": "resources",
    },
    # What an object of a built-in kind goes through, and of all kinds that most: a pod's checks.
    "quarterdeck_builtin": {
        "admission/podsecurity": "levels",
        "apimachinery": "images podamounts",
        "registry/builtin": "checks codec convertingcodec written",
        "registry/builtin/core": "newpod podamounts poddefaults poddropped podspec",
        "registry/builtin/core/podvalidation": (
            "claims containers env gonames handlers mounts oldvolumes pathwarnings podannotations resources scheduling "
            "security spec volumes warnings windows"
        ),
        "schema": "gonulls",
    },
}

GROUPS: Final[dict[str, list[str]]] = {
    group: [str(_PACKAGE / folder / f"{name}.py") for folder, names in folders.items() for name in names.split()]
    for group, folders in _GROUPS.items()
}


def sources() -> list[str]:
    """The listed modules' paths, from the top of the source tree."""
    return [source for group in GROUPS.values() for source in group]


def libraries() -> list[Path]:
    """What a build in place leaves in the source tree."""
    shared = [ROOT / f"pkg/{group}__mypyc{_SUFFIX}" for group in GROUPS]
    return shared + [(ROOT / source).with_suffix(_SUFFIX) for source in sources()]


def compiled_in_place() -> list[Path]:
    """The extension modules of Python modules that stand in the source tree, listed ones or not any more."""
    found = [*ROOT.glob("pkg/*__mypyc.*.so"), *ROOT.glob("pkg/quarterdeck/**/*.so")]
    return [path for path in found if path.parent.name != "_kernels"]


def unlisted() -> list[Path]:
    """What was compiled in place while the list was another."""
    listed = set(libraries())
    return [path for path in compiled_in_place() if path not in listed]


def changed() -> list[str]:
    """The sources that differ from what was compiled in place last; all of them if nothing was."""
    try:
        recorded = json.loads(_STAMP.read_bytes())
    except (OSError, ValueError):
        recorded = {}
    digests = recorded.get("sources", {})
    whole = recorded.get("suffix") == _SUFFIX and all(path.exists() for path in libraries())
    return [source for source in inputs() if not whole or digests.get(source) != _digest(source)]


def inputs() -> list[str]:
    """The listed sources and, behind them, what they import of the package: its modules and the kernels' stubs. And
    this list: a module that is taken from it is in its group's library still."""
    found = dict.fromkeys(sources())
    pending = list(found)
    while pending:
        for imported in _imports(pending.pop()):
            if imported not in found:
                found[imported] = None
                pending.append(imported)
    return [*found, "tools/compiled_modules.py"]


def _imports(source: str) -> set[str]:
    """The files of the package that a source imports, anywhere in it; paths from the top of the source tree."""
    names: set[str] = set()
    for node in ast.walk(ast.parse((ROOT / source).read_bytes())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    paths = (_PACKAGE.parent / name.replace(".", "/") for name in names if name.split(".")[0] == _PACKAGE.name)
    files = (path.with_suffix(suffix) for path in paths for suffix in (".py", ".pyi"))
    packages = (_PACKAGE.parent / name.replace(".", "/") / "__init__.py" for name in names)
    return {str(path) for path in (*files, *packages) if (ROOT / path).is_file() and path.is_relative_to(_PACKAGE)}


def digests() -> dict[str, str]:
    """What the sources are now; to be taken before they are compiled, which takes minutes."""
    return {source: _digest(source) for source in inputs()}


def record(compiled: dict[str, str]) -> None:
    """Notes the digests of what has just been compiled in place."""
    _STAMP.parent.mkdir(parents=True, exist_ok=True)
    _STAMP.write_text(json.dumps({"suffix": _SUFFIX, "sources": compiled}))


def remove() -> None:
    """Leaves the modules interpreted."""
    _STAMP.unlink(missing_ok=True)
    for path in compiled_in_place():
        path.unlink()


def remove_unlisted() -> None:
    for path in unlisted():
        path.unlink()


def stale() -> str | None:
    """Why the compiled modules in the source tree are not what the sources say, in a sentence; None if they are, or if
    there are none."""
    if not compiled_in_place():
        return None
    different = changed()
    if different:
        return f"{different[0]} is newer than what was compiled of it, or with it: make build"
    left = unlisted()
    return f"{left[0].relative_to(ROOT)} is compiled but not listed any more: make build" if left else None


def _digest(source: str) -> str:
    return hashlib.sha256((ROOT / source).read_bytes()).hexdigest()
