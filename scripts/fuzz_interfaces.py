#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the calls of the fuzzers of libcudart and libnvidia-ml: for each function of a table, one that
calls it with arguments drawn by the type of its parameters (fuzz/draw.h). fuzz_calls.py does this for
the driver.

    fuzz_interfaces.py runtime|nvml --root DIR --by-hand FILE --output FILE
    fuzz_interfaces.py runtime|nvml --root DIR --by-hand FILE --missing
"""

import argparse
import pathlib
import re
import sys

import nvml
import runtime
from fuzz_calls import NOTICE, SIZED, write


class Runtime:
    RESULT = "cudaError_t"
    HEADERS = ["cuda_runtime_api.h", "cuda_profiler_api.h"]
    HANDLES = {
        "cudaStream_t": "CUstream", "cudaEvent_t": "CUevent", "cudaArray_t": "CUarray", "cudaArray_const_t": "CUarray",
        "cudaMipmappedArray_t": "CUmipmappedArray", "cudaMipmappedArray_const_t": "CUmipmappedArray",
        "cudaMemPool_t": "CUmemoryPool", "cudaGraph_t": "CUgraph", "cudaGraphNode_t": "CUgraphNode",
        "cudaGraphExec_t": "CUgraphExec", "cudaUserObject_t": "CUuserObject", "cudaLibrary_t": "CUlibrary",
        "cudaKernel_t": "CUkernel", "cudaFunction_t": "CUfunction", "cudaExternalMemory_t": "CUexternalMemory",
        "cudaExternalSemaphore_t": "CUexternalSemaphore", "cudaGraphicsResource_t": "CUgraphicsResource",
        "cudaExecutionContext_t": "CUgreenCtx", "cudaDevResourceDesc_t": "CUdevResourceDesc",
        "cudaLogsCallbackHandle": "CUlogsCallbackHandle", "cudaAsyncCallbackHandle_t": "CUasyncCallbackHandle",
        "cudaTextureObject_t": "CUtexObject", "cudaSurfaceObject_t": "CUsurfObject",
    }
    FUNCTIONS = {"cudaHostFn_t", "cudaStreamCallback_t", "cudaAsyncCallback", "cudaLogsCallback_t"}
    STRUCTURES = {"dim3", "cudaIpcEventHandle_t", "cudaIpcMemHandle_t"}
    # Pointers that the runtime or the driver judges; others are the program's word.
    JUDGED = re.compile(r"^(dst|src|devPtr|ptr|pHost|hostPtr|base|dptr\w*|srcDevice|dstDevice)$")
    SYMBOLS = re.compile(r"^(func|symbol|entry|entryFuncAddr|symbolPtr)$")
    # Called by hand in fuzz/runtime_calls.c: they read arrays and structures that the program vouches for, write
    # files, or take over descriptors.
    BY_HAND = re.compile(
        r"^(cudaGraphAdd(Node|KernelNode|HostNode|MemAllocNode|ExternalSemaphores\w+)|cudaGraphConditionalHandleCreate\w*|"
        r"cudaGraph(Exec)?(Kernel|Host|ExternalSemaphores\w+)?NodeSetParams|cudaGraphGet(Nodes|RootNodes|Edges)|"
        r"cudaGraphNodeGetDepend\w+|cudaGraphInstantiateWithParams|cudaGraphDebugDotPrint|cudaUserObjectCreate|"
        r"cudaLaunch\w+|cudaMemcpyBatchAsync|cudaMemcpy3DBatchAsync|cudaMem\w+BatchAsync|cudaImportExternal\w+|"
        r"cuda(Wait|Signal)ExternalSemaphoresAsync|cudaMemPool(Import|Export)\w+|cudaLibraryLoad\w+|cudaLogsDumpTo\w+|"
        r"cudaMemRangeGetAttributes|cudaOccupancyMax\w*Cluster\w*)(_pt[ds][sz])?$")
    # What has no body without OpenGL, EGL or VDPAU, belongs to compiled programs, or ends all other programs' work.
    LEFT = re.compile(r"^(__cuda\w+|cuda(GL|EGL|VDPAU|Vdpau|Graphics(GL|EGL|VDPAU))\w+|cudaWGL\w+|cudaEventCreateFromEGLSync|"
                      r"cudaDeviceReset|cudaThreadExit)$")

    def __init__(self, root):
        self.table = runtime.load(root)
        self.entries = [e for e in self.table.entries
                        if "13" in e.releases and "@" not in e.symbol and e.parameters is not None
                        and self.table.is_done(e) and not self.LEFT.match(e.symbol)]
        text = "".join((root / "runtime/include" / name).read_text() for name in self.HEADERS)
        self.entries = [e for e in self.entries
                        if re.search(rf"\bcudaError_t\s+CUDARTAPI\s+{re.sub('_pt[ds][sz]$', '', e.symbol)}\s*\(", text)]

    def pointer(self, parameter):
        if self.SYMBOLS.match(parameter.name):
            return "draw_symbol(draw)"
        handle = re.match(r"const (\w+) \*$", parameter.type)
        if handle and handle[1] in self.HANDLES:
            return f"draw_handles(draw, KIND_{self.HANDLES[handle[1]]})"
        if parameter.type in ("void *", "const void *") and self.JUDGED.match(parameter.name):
            return "draw_host(draw)"
        return "draw_buffer(draw)"

    def prototype(self, entry):
        """A per-thread form is not in the headers under its own name."""
        if not re.search(r"_pt[ds][sz]$", entry.symbol):
            return []
        return [f"cudaError_t {entry.symbol}({', '.join(p.declaration for p in entry.parameters) or 'void'});"]

    def keeps(self, parameter):
        pointee = parameter.type[:-1].strip()
        if pointee == "void *" and self.JUDGED.match(parameter.name):
            return "KIND_ADDRESS"
        return f"KIND_{self.HANDLES[pointee]}" if pointee in self.HANDLES else None


class Nvml:
    RESULT = "nvmlReturn_t"
    HANDLES = {"nvmlDevice_t": "nvmlDevice", "nvmlUnit_t": "nvmlUnit", "nvmlEventSet_t": "nvmlEventSet"}
    FUNCTIONS, STRUCTURES = set(), {"nvmlEventSet_t"}
    # Called by hand in fuzz/nvml_calls.c: structures with pointers, waits, and what starts and ends the library.
    BY_HAND = re.compile(r"^nvml(Init\w*|Shutdown|DeviceGetRunningProcessDetailList|DeviceGetProcessesUtilizationInfo|"
                         r"EventSetWait(_v\d)?|SystemEventSetWait|DeviceGetSramUniqueUncorrectedEccErrorCounts)$")

    def __init__(self, root):
        self.table = nvml.load(root)
        self.entries = [e for e in self.table.entries if e.parameters is not None]

    def pointer(self, parameter):
        pointee = parameter.type[:-1].strip()
        if re.match(r"nvml\w+_t$", pointee):
            return f"draw_versioned(draw, sizeof({pointee}))"
        return "draw_buffer(draw)"

    def prototype(self, entry):
        """The header declares the newest form alone, and older names by a macro."""
        return [f"nvmlReturn_t {entry.symbol}({', '.join(p.declaration for p in entry.parameters) or 'void'});"]

    def keeps(self, parameter):
        pointee = parameter.type[:-1].strip()
        return f"KIND_{self.HANDLES[pointee]}" if pointee in self.HANDLES else None


def draw(interface, parameter):
    kind = parameter.type
    if parameter.suffix:
        return "draw_buffer(draw)"
    if kind in interface.HANDLES:
        cast = f"({kind})(uintptr_t)"
        return f"{cast}draw_handle(draw, KIND_{interface.HANDLES[kind]})"
    if kind == "const char *":
        return "draw_string(draw)"
    if kind.endswith("*"):
        return interface.pointer(parameter)
    if kind in interface.FUNCTIONS:
        return f"({kind})draw_function(draw)"
    if kind.startswith("struct ") or kind in interface.STRUCTURES:
        return f"*({kind} *)draw_struct(draw)"
    if kind == "float":
        return "(float)draw_number(draw)"
    if kind in ("size_t", "unsigned long long") and SIZED.search(parameter.name):
        return f"({kind})draw_size(draw)"
    return f"({kind})draw_number(draw)"


def emit(interface, entry):
    lines = interface.prototype(entry) + [f"static CUresult call_{entry.symbol}(struct draw *draw)", "{"]
    for number, parameter in enumerate(entry.parameters):
        glue = "" if parameter.type.endswith("*") else " "
        kind = parameter.type + (" *" if parameter.suffix else "")
        value = draw(interface, parameter)
        lines.append(f"    {kind}{glue}a{number} = {f'({kind})' if kind.endswith('*') else ''}{value};")
    call = f"{entry.symbol}({', '.join(f'a{i}' for i in range(len(entry.parameters)))})"
    lines.append(f"    {interface.RESULT} result = {call};")
    if not entry.parameters:
        lines.append("    (void)draw;")
    kept = [(i, interface.keeps(p)) for i, p in enumerate(entry.parameters)
            if p.type.endswith("*") and not p.type.startswith("const ") and not p.suffix]
    for number, kind in [found for found in kept if found[1]][:1]:
        lines.append(f"    if (result == 0 && a{number})")
        lines.append(f"        keep(draw, {kind}, (uint64_t)(uintptr_t)*a{number});")
    return lines + ["    return (CUresult)result;", "}", ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("interface", choices=["runtime", "nvml"])
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--by-hand", required=True, help="the file with the calls made by hand")
    parser.add_argument("--missing", action="store_true", help="print the functions that are not called; fails if there are any")
    parser.add_argument("--output")
    arguments = parser.parse_args()
    interface = {"runtime": Runtime, "nvml": Nvml}[arguments.interface](arguments.root)
    chosen = [e for e in interface.entries if not interface.BY_HAND.match(e.symbol)]
    words = set(re.findall(r"\b(?:cuda|nvml)\w+", pathlib.Path(arguments.by_hand).read_text()))
    by_hand = [e for e in interface.entries if e not in chosen and re.sub("_pt[ds][sz]$", "", e.symbol) in words]
    if arguments.missing:
        missing = [e.symbol for e in interface.entries if e not in chosen and e not in by_hand]
        print(f"{len(chosen)} by the table, {len(by_hand)} by hand, of {len(interface.entries)} functions; not called:",
              *missing or ["none"])
        sys.exit(1 if missing else 0)
    lines = list(NOTICE)
    for entry in chosen:
        lines += emit(interface, entry)
    lines += [f"enum {{ CALLED_BY_HAND = {len(by_hand)} }};", "", "static const struct call generated_calls[] = {"]
    write(arguments.output, lines + [f'    {{"{e.symbol}", call_{e.symbol}}},' for e in chosen] + ["};", ""])


main()
