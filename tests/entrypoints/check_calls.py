#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""CUPIPE_CHECK knows every call that makes something: each entry point that is done and hands out a handle
or an address is in src/check/calls/call_table.c, or below because what it hands out was made by another call.

    check_calls.py ENTRYPOINTS_PY TABLE INCLUDE CALL_TABLE_C
"""

import importlib.util
import pathlib
import re
import sys

HANDLES = {
    "CUdeviceptr", "CUcontext", "CUstream", "CUevent", "CUmodule", "CUlibrary", "CUlinkState", "CUarray",
    "CUmipmappedArray", "CUtexObject", "CUsurfObject", "CUtexref", "CUmemoryPool", "CUexternalMemory",
    "CUexternalSemaphore", "CUgraphicsResource", "CUmemGenericAllocationHandle", "CUasyncCallbackHandle",
    "CUuserObject", "CUgraph", "CUgraphExec", "CUgreenCtx", "CUeglStreamConnection", "CUlogsCallbackHandle",
    "CUcoredumpCallbackHandle",
}

# What these hand out is somebody else's: of a context, a module, a pool, an image, or mapped. Of EGL streams
# there are none, and VDPAU is never there. A user object ends with its last reference, which may be a graph's.
# Callbacks of the log and of core dumps are no objects.
NOT_MADE = re.compile(
    r"cu(\w*Get\w*|EGLStream\w*|CtxPopCurrent|CtxAttach|GraphicsMapResources|GraphicsUnmapResources|GLMapBufferObject(Async)?|"
    r"GraphicsResource\w*|GraphicsSubResource\w*|MemcpyBatchAsync|MemPrefetchBatchAsync|MemDiscard\w*|"
    r"SignalExternalSemaphoresAsync|WaitExternalSemaphoresAsync|UserObjectCreate|CtxFromGreenCtx|"
    r"VDPAU\w*|GraphicsVDPAU\w*|LogsRegisterCallback|"
    r"CoredumpRegister(Start|Complete)Callback)$")

# They hand out nothing, or host memory, which has no type of its own.
POINTERS = {"cuMemAllocHost", "cuMemHostAlloc", "cuMemHostRegister", "cuMemMap", "cuGLRegisterBufferObject"}


def load(path):
    spec = importlib.util.spec_from_file_location("entrypoints", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["entrypoints"] = module
    sys.path.insert(0, str(pathlib.Path(path).parent))  # it imports a neighbour
    spec.loader.exec_module(module)
    return module


def makes(parameter):
    kind = re.match(r"(\w+) ?\*$", parameter.type)
    return bool(kind) and kind.group(1) in HANDLES


def main():
    script, table_path, include, source = sys.argv[1:5]
    entrypoints = load(script)
    table, headers = entrypoints.Table(table_path), entrypoints.Headers(include)
    entrypoints.attach_prototypes(table, headers)
    text = open(source, encoding="utf-8").read()
    known = set(re.findall(r'"(cu\w+)\*?"', text))
    wrong = 0
    done = {entry.base for entry in table.entries if table.is_done(entry)}
    for base in sorted(known - done):
        wrong += 1
        print(f"in the table of checked calls, and no entry point: {base}")
    makers = POINTERS | {entry.base for entry in table.entries if not entry.is_object and table.is_done(entry)
                         and any(makes(p) for p in entry.parameters) and not NOT_MADE.match(entry.base)}
    for base in sorted(makers - known):
        wrong += 1
        print(f"hands out a handle, and CUPIPE_CHECK does not know it: {base}")
    print(f"{len(makers & known)} of {len(makers)} calls that make something are known")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
