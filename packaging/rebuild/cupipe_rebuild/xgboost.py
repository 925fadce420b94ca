# SPDX-License-Identifier: MIT
"""XGBoost, from its source distribution on PyPI."""
TITLE = "XGBoost"
TAKES = "an hour of processor time"
VERSION = "3.2.0"
DISTRIBUTIONS = ("xgboost",)
NEEDS = {"nvcc": "a CUDA toolkit", "g++": "Debian's package g++", "cmake": "Debian's package cmake, or pip install cmake"}
HEADERS = ("thrust/version.h",)


def build(context):
    wheel = context.wheel("xgboost", "--config-settings", "use_cuda=True")
    context.install(wheel)
    return context.packages.glob("xgboost/lib/libxgboost.so")
