# SPDX-License-Identifier: MIT
"""The tests of numba-cuda that do not need CuPy to be imported: one such file keeps unittest from loading the rest."""
import functools
import importlib.util
import sys
import unittest
from pathlib import Path

import pytest
from numba import runtests

FOLDERS = ("cudadrv", "cudapy", "core", "doc_examples", "nocuda", "nrt")


def as_unittest(function):
    """Tests that numba's own runner runs skip by pytest, too."""
    @functools.wraps(function)
    def skip(*arguments, **options):
        try:
            return function(*arguments, **options)
        except pytest.skip.Exception as skipped:
            raise unittest.SkipTest(str(skipped)) from None
    skip.Exception = pytest.skip.Exception
    return skip


root = Path(importlib.util.find_spec("numba_cuda").origin).parent / "numba" / "cuda" / "tests"
modules = [f"numba.cuda.tests.{folder}.{path.stem}" for folder in FOLDERS
           for path in sorted((root / folder).glob("test_*.py")) if "cupy" not in path.name]
if __name__ == "__main__":
    pytest.importorskip, pytest.skip = as_unittest(pytest.importorskip), as_unittest(pytest.skip)
    sys.exit(0 if runtests._main([sys.argv[0], "-v", *modules]) else 1)
