"""Builds the kernels. Everything else about the package stands in pyproject.toml.

QUARTERDECK_DEBUG=1     -O0, bounds and None checks, counters of live objects
QD_ONLY=NAME            only that kernel
QUARTERDECK_SANITIZE=1  the same with AddressSanitizer and UndefinedBehaviorSanitizer
"""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

DEBUG = os.environ.get("QUARTERDECK_DEBUG") == "1"
SANITIZE = os.environ.get("QUARTERDECK_SANITIZE") == "1"
ONLY = os.environ.get("QD_ONLY", "*")
CHECKED = DEBUG or SANITIZE

compile_args = ["-O0", "-g"] if CHECKED else ["-O2", "-fno-plt"]
link_args: list[str] = []
if SANITIZE:
    compile_args += ["-fsanitize=address,undefined", "-fno-omit-frame-pointer"]
    link_args += ["-fsanitize=address,undefined"]

extensions = [
    Extension(
        f"quarterdeck._kernels.{source.stem}",
        [str(source)],
        extra_compile_args=compile_args,
        extra_link_args=link_args,
    )
    for source in sorted(Path("ext").glob(f"{ONLY}.pyx"))
]

setup(
    ext_modules=cythonize(
        extensions,
        include_path=["pkg"],
        nthreads=os.cpu_count() or 1,
        build_dir="build/cython-debug" if CHECKED else "build/cython",
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
