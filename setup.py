"""Builds the kernels, and compiles the Python modules listed in tools/compiled_modules.py. Everything else about the
package stands in pyproject.toml.

QUARTERDECK_DEBUG=1        kernels: -O0, bounds and None checks, counters of live objects
QUARTERDECK_SANITIZE=1     the same with AddressSanitizer and UndefinedBehaviorSanitizer
QD_ONLY=NAME               only that kernel
QUARTERDECK_INTERPRETED=1  Python modules stay interpreted; what was compiled in place is taken away
QUARTERDECK_UNCOMPILED=1   nothing is compiled, and nothing taken away: for an editable installation before `make build`
"""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

DEBUG = os.environ.get("QUARTERDECK_DEBUG") == "1"
SANITIZE = os.environ.get("QUARTERDECK_SANITIZE") == "1"
ONLY = os.environ.get("QD_ONLY", "*")
INTERPRETED = os.environ.get("QUARTERDECK_INTERPRETED") == "1"
UNCOMPILED = os.environ.get("QUARTERDECK_UNCOMPILED") == "1"
CHECKED = DEBUG or SANITIZE
BUILDS = not {"build", "build_ext", "bdist_wheel", "editable_wheel", "install"}.isdisjoint(sys.argv)
IN_PLACE = not {"--inplace", "-i", "editable_wheel"}.isdisjoint(sys.argv)

sys.path.insert(0, str(Path(__file__).parent / "tools"))
import compiled_modules  # noqa: E402 - a build runs this file without its folder on the path

compile_args = ["-O0", "-g"] if CHECKED else ["-O2", "-fno-plt"]
link_args: list[str] = []
if SANITIZE:
    compile_args += ["-fsanitize=address,undefined", "-fno-omit-frame-pointer"]
    link_args += ["-fsanitize=address,undefined"]

# What a kernel is linked to, beside Python.
_BY_NGHTTP2 = "grpccall grpccalls http2 http2client http2fields http2known http2options http2stream"
LIBRARIES = {name: ["nghttp2"] for name in _BY_NGHTTP2.split()}

extensions = [
    Extension(
        f"quarterdeck._kernels.{source.stem}",
        [str(source)],
        extra_compile_args=compile_args,
        extra_link_args=link_args,
        libraries=LIBRARIES.get(source.stem, []),
    )
    # What only asks for names and files (of an sdist, of metadata) need not wait for Cython.
    for source in (sorted(Path("ext").glob(f"{ONLY}.pyx")) if BUILDS and not UNCOMPILED else [])
]


def compiled_extensions() -> list[Extension]:
    """The listed Python modules as C extensions, unless nothing changed since they were compiled in place."""
    if not BUILDS or UNCOMPILED or CHECKED or ONLY != "*":
        return []
    if INTERPRETED:
        if IN_PLACE:
            compiled_modules.remove()
        return []
    if IN_PLACE:
        compiled_modules.remove_unlisted()
        if not compiled_modules.changed():
            return []
    from mypyc.build import mypycify  # it takes a moment to import

    made = mypycify(
        ["--config-file=tools/mypyc.ini", *compiled_modules.sources()],
        separate=[(sources, group) for group, sources in compiled_modules.GROUPS.items()],
        target_dir="build/mypyc",
        opt_level="1",  # -O2 takes 1.5 times as long to build, for 0.3 % fewer instructions
        debug_level="0",
    )
    for extension in made:
        # A warning of some other compiler about generated code is no reason not to install.
        extension.extra_compile_args = [arg for arg in extension.extra_compile_args if arg != "-Werror"]
    return made


BUILD_DIR = Path("build/cython-debug" if CHECKED else "build/cython")
# Cython knows what a kernel takes from others, but not that its own declarations have changed.
for declarations in Path("pkg/quarterdeck/_kernels").glob("*.pxd"):
    written = BUILD_DIR / "ext" / f"{declarations.stem}.c"
    if BUILDS and written.exists() and written.stat().st_mtime < declarations.stat().st_mtime:
        written.unlink()

digests = compiled_modules.digests()  # before, since a source may change while it is compiled
compiled = compiled_extensions()
setup(
    ext_modules=compiled
    + cythonize(
        extensions,
        include_path=["pkg"],
        nthreads=os.cpu_count() or 1,
        build_dir=str(BUILD_DIR),
        compiler_directives={
            "language_level": "3",
            "auto_pickle": False,
            "autotestdict": False,
            "binding": True,
            "embedsignature": False,
            "boundscheck": CHECKED,
            "wraparound": CHECKED,
            "nonecheck": CHECKED,
            "cdivision": True,
            "initializedcheck": CHECKED,
        },
    ),
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
)
if compiled and IN_PLACE:
    compiled_modules.record(digests)
