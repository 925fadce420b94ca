# SPDX-License-Identifier: MIT
"""The suites of the kit: what each asks, of which library, its sources and its recording.

Paths are those of the source tree. An installed kit carries the same files below its folder `data`.
"""
import dataclasses
import glob
import os

HERE = os.path.dirname(os.path.abspath(__file__))
CARRIED = os.path.join(HERE, "data")
ROOT = CARRIED if os.path.isdir(CARRIED) else os.path.abspath(os.path.join(HERE, "..", "..", ".."))
CONFORMANCE, LIBRARIES = "tests/conformance", "tests/libraries/recorded"
HARNESS = [CONFORMANCE + "/" + name
           for name in ("harness.c", "driver.c", "setup.c", "data.c", "pattern.c", "tables.c", "functions.c")]
NOT_COMPARABLE = CONFORMANCE + "/recorded/not-comparable.txt"
# Folders whose headers the questions to CUDA's libraries include.
LIBRARY_HEADERS = ["libraries/%s/include" % name for name in ("cublas", "cublasLt", "cufft", "curand")] + ["runtime/include"]

DRIVER, RUNTIME, MATH = "driver", "runtime", "libraries"
# What each subject is made of: (name in a folder, how it is called); the first one found of each row is taken.
FILES = {
    DRIVER: [("libcuda.so.1", "libcuda.so")],
    RUNTIME: [("libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0", "libcudart.so")],
    MATH: [("libcuda.so.1", "libcuda.so"), ("libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"),
           ("libcublas.so.13", "libcublas.so.12", "libcublas.so"), ("libcufft.so.12", "libcufft.so.11", "libcufft.so"),
           ("libcurand.so.10", "libcurand.so")],
}


@dataclasses.dataclass
class Suite:
    name: str
    asks: str
    subject: str = DRIVER  # the library under test
    kind: str = "groups"  # how its recorder is run and its lines compared
    sources: tuple = ()
    flags: tuple = ()
    recordings: tuple = ()
    not_comparable: str = NOT_COMPARABLE
    needs: str = ""  # a header without which it cannot be built

    def source_files(self):
        return [path for pattern in self.sources for path in sorted(glob.glob(os.path.join(ROOT, pattern)))]

    def recording_files(self):
        return [path for pattern in self.recordings for path in sorted(glob.glob(os.path.join(ROOT, pattern)))]


def more_functions(folder):
    return '-DMORE_FUNCTIONS="%s/functions.def"' % folder


def driver_suite(name, asks, sources=None, flags=(), **more):
    folder = CONFORMANCE + "/" + name
    recording = "%s/recorded/h200-driver580-%s.golden.gz" % (CONFORMANCE, name)
    return Suite(name, asks, sources=tuple(sources or [folder + "/*.c"] + HARNESS), flags=tuple(flags),
                 recordings=(recording,), **more)


SUITES = {suite.name: suite for suite in (
    Suite("driver", "memory, copies, arrays, virtual memory, pools, IPC, streams, events, contexts, stale and garbage handles",
          sources=(CONFORMANCE + "/*.c",), recordings=(CONFORMANCE + "/recorded/h200-driver580.golden.gz",)),
    driver_suite("graphs", "graphs and stream capture", flags=[more_functions("graphs")]),
    driver_suite("rest", "tensor maps, green contexts, logs, core dumps, checkpoints, multicast, attributes, old functions",
                 flags=[more_functions("rest"), "-include", "rest/rest.h"]),
    driver_suite("unseen", "errors of kernels that no call has told of yet", flags=[more_functions("unseen")],
                 sources=[CONFORMANCE + "/unseen/*.c", CONFORMANCE + "/kernels/ptx.c"] + HARNESS),
    driver_suite("kernels", "modules, libraries, kernels and launches"),
    driver_suite("textures", "textures and surfaces"),
    driver_suite("opengl", "buffers, images and streams of OpenGL and EGL", needs="EGL/egl.h"),
    Suite("random", "random programs of 300 driver calls each", kind="programs",
          sources=(CONFORMANCE + "/random/*.c", CONFORMANCE + "/functions.c", CONFORMANCE + "/tables.c"),
          recordings=(CONFORMANCE + "/recorded/h200-driver580-random*.xz",)),
    Suite("runtime", "the runtime API, with kernels that nvcc compiled", subject=RUNTIME, kind="runtime",
          sources=(CONFORMANCE + "/runtime/*.cpp", CONFORMANCE + "/runtime/*.cu"),
          recordings=(CONFORMANCE + "/recorded/h200-cudart13.golden.gz",),
          not_comparable=CONFORMANCE + "/runtime/not-comparable.txt"),
    Suite("libraries", "cuBLAS, cuBLASLt, cuFFT and cuRAND", subject=MATH, kind="libraries",
          sources=(LIBRARIES + "/*.c",), recordings=(LIBRARIES + "/h200-cuda13.txt.gz",), not_comparable=""),
)}


def find_files(subject, path):
    """The files of a subject below `path`, which is a folder or, for the driver, may be the library itself."""
    if os.path.isfile(path):
        return [os.path.abspath(path)] if subject == DRIVER else []
    found = []
    for names in FILES[subject]:
        there = [os.path.join(os.path.abspath(path), name) for name in names if os.path.exists(os.path.join(path, name))]
        found += there[:1]
    return found


def has_subject(subject, files):
    """Whether something is there to ask: of libraries, one besides the driver."""
    return len(files) > (1 if subject == MATH and os.path.basename((files or [""])[0]).startswith("libcuda.") else 0)
