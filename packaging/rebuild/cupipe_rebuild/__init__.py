# SPDX-License-Identifier: MIT
"""The packages that cupipe rebuild knows: a module for each. src/core/rebuild.def has the same names.

A module has TITLE, for messages; TAKES, how long it takes; VERSION, one that was tried, or None; DISTRIBUTIONS, the names
that pip knows it by; NEEDS, commands and what has them; HEADERS of the toolkit; and build(context), which installs the
package and returns its libraries that have the runtime inside.
"""
import importlib

RECIPES = {"cupy": "cupy", "xgboost": "xgboost", "warp": "warp", "cudf": "cudf", "cuda-bindings": "cuda_bindings"}


def recipe(name):
    return importlib.import_module(f"cupipe_rebuild.{RECIPES[name]}")
