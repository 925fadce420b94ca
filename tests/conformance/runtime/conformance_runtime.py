#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hold a libcudart.so.13 against the recorded answers of NVIDIA's runtime (CUDA 13.0 on an H200).

Builds the recorders of this folder with nvcc; ../conformance.py asks and compares. Further arguments are
those of conformance.py. Exit status: 0 as expected, 1 not, 77 no nvcc.
"""
import argparse
import glob
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import conformance  # noqa: E402
from cupipe_conformance.build import build, find_nvcc  # noqa: E402
from cupipe_conformance.suites import SUITES  # noqa: E402

SKIPPED = 77
RECORDING = os.path.join(conformance.RECORDED, "h200-cudart13.golden.gz")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--library", required=True, help="folder with libcudart.so.13 and libcuda.so.1")
    parser.add_argument("--build", required=True, help="folder to build the recorders in")
    parser.add_argument("--built", action="store_true", help="the recorders are in the build folder already")
    parser.add_argument("--build-only", action="store_true", help="build, and ask nothing")
    options, further = parser.parse_known_args()
    folder = os.path.abspath(options.build)
    if options.built:
        found = sorted(glob.glob(os.path.join(folder, "runtime-*", "conformance_runtime*")))
        recorders = [path for path in found if "." not in os.path.basename(path)]
    elif not find_nvcc():
        print("no nvcc: the recorder cannot be built")
        return SKIPPED
    else:
        recorders = build(SUITES["runtime"], folder, os.cpu_count() or 1)
    if options.build_only:
        return 0
    library = os.path.join(os.path.abspath(options.library), "libcudart.so.13")
    os.environ["CONFORMANCE_LIBRARIES"] = library
    arguments = ["--library", library, "--linked", "--recording", RECORDING]
    for recorder in recorders:
        arguments += ["--recorder", recorder]
    for name in ("exceptions", "pending", "not-comparable"):
        arguments += ["--" + name, os.path.join(HERE, name + ".txt")]
    # Many groups look at time or at free memory.
    return conformance.main(arguments + ["--quiet", "*"] + further)


if __name__ == "__main__":
    sys.exit(main())
