# SPDX-License-Identifier: MIT
"""Holds any implementation of CUDA against the recorded answers of an H200 (docs/CONFORMANCE-KIT.md)."""
