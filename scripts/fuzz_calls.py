#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes fuzz_calls.h: for each entry point that is done, a function that calls it with arguments drawn
by the type of its parameters (fuzz/draw.h), from the same table and headers as the doors.

    fuzz_calls.py --table T --include DIR --by-hand FILE... -- FILE
    fuzz_calls.py --table T --include DIR --zero FILE    fuzz_zero_calls.h: each with every argument zero
    fuzz_calls.py --table T --include DIR --by-hand FILE... --missing
"""

import argparse
import pathlib
import re
import sys

import entrypoints

HANDLES = ["CUcontext", "CUstream", "CUevent", "CUarray", "CUmipmappedArray", "CUmemoryPool", "CUmodule", "CUfunction",
           "CUlibrary", "CUkernel", "CUlinkState", "CUexternalMemory", "CUexternalSemaphore", "CUgraphicsResource",
           "CUasyncCallbackHandle", "CUtexref", "CUsurfref", "CUgreenCtx", "CUdevResourceDesc", "CUlogsCallbackHandle",
           "CUgraph", "CUgraphNode", "CUgraphExec", "CUuserObject"]
NUMBERED = ["CUmemGenericAllocationHandle", "CUtexObject", "CUsurfObject"]

# Called by hand in fuzz/api_*.c: they take over descriptors, read memory the program vouches for, wait for what
# may never come, or hand pointers to other libraries.
BY_HAND = re.compile(
    r"^(cuInit|cuImportExternal\w+|cuMem(Pool)?ImportFromShareableHandle|cuMem(Pool)?ExportToShareableHandle|"
    r"cuMemGetHandleForAddressRange|cuStreamWaitValue\w+|cuStreamBatchMemOp\w*|cuWaitExternalSemaphoresAsync|"
    r"cuModuleLoadData|cuModuleLoadDataEx|cuModuleLoadFatBinary|cuLibraryLoadData|cuLink\w+|cuLaunch\w*|"
    r"cuGraphicsEGLRegisterImage|cuParamSet(f|i|Size|v|TexRef)|"
    r"cuStreamAddCallback|cuMemBatchDecompressAsync|cuMemcpyBatchAsync\w*|"
    r"cuMemcpy3DBatchAsync\w*|cuLibraryLoadFromFile|cuOccupancyMax\w*Cluster\w*|"
    r"cuOccupancyMaxPotentialBlockSize\w*|cuCtxCreate_v[34]|"
    r"cuCheckpointProcess(Lock|Checkpoint|Restore|Unlock)|cuMulticastCreate|"
    r"cuLogsDumpToFile|cuCoredumpSetAttribute(Global)?|"
    r"cuPointerGetAttributes|cuMemRangeGetAttributes|cuMemGetLocationInfo|"
    r"cuGraphAdd\w+|cuGraphRemoveDependencies|cuGraph\w*Node(Set|Get)Params|cuGraphExec\w*NodeSet\w+|"
    r"cuGraphEvent\w+NodeSetEvent|cuGraphGet(Nodes|RootNodes|Edges)|cuGraphNodeGetDepend\w+|cuGraphInstantiate\w*|"
    r"cuGraphExecUpdate|cuGraphDebugDotPrint|cuGraphConditionalHandleCreate|cuStreamBeginCaptureToGraph|"
    r"cuStreamBeginRecaptureToGraph|cuStreamUpdateCaptureDependencies|cuUserObjectCreate)(_v\d+)?(_pt[ds][sz])?$")

# Pointers to the host's memory that the driver judges; others are the program's word.
JUDGED = {"dstHost", "srcHost", "p"}

SIZED = re.compile(r"(?i)bytecount|^n$|width|height|bytesize|^size|length|pitch|offset|depth|bytes")


def draw(headers, parameter):
    kind = parameter.type
    if parameter.suffix:
        return "draw_buffer(draw)"
    if kind in HANDLES:
        return f"draw_handle(draw, KIND_{kind})"
    if kind in NUMBERED:
        return f"({kind})(uintptr_t)draw_handle(draw, KIND_{kind})"
    if kind in ("CUdeviceptr", "CUdeviceptr_v2"):
        return "draw_address(draw)"
    if kind == "const char *":
        return "draw_string(draw)"
    if kind in ("void *", "const void *"):
        return "draw_host(draw)" if parameter.name in JUDGED else "draw_buffer(draw)"
    if kind == "VdpGetProcAddress *":
        return "(%s)draw_function(draw)" % kind
    if kind.endswith("*"):
        return "draw_buffer(draw)"
    if headers.kinds.get(kind) == "POINTER":
        return "(%s)draw_function(draw)" % kind
    if headers.kind(parameter)[0] == "BYTES":
        return f"*({kind} *)draw_struct(draw)"
    if headers.kind(parameter)[0] == "FLOAT":
        return "(float)draw_number(draw)"
    if kind in ("size_t", "unsigned long long", "cuuint64_t") and SIZED.search(parameter.name):
        return f"({kind})draw_size(draw)"
    return f"({kind})draw_number(draw)"


def keeps(parameter):
    """What a successful call has left behind a pointer."""
    kind = parameter.type
    if not kind.endswith(" *") or kind.startswith("const "):
        return None
    pointee = kind[:-2].strip()
    if pointee in HANDLES + NUMBERED:
        return f"KIND_{pointee}", pointee
    if pointee in ("CUdeviceptr", "CUdeviceptr_v2"):
        return "KIND_ADDRESS", pointee
    return None


def emit(headers, entry):
    lines = [f"static CUresult call_{entry.symbol}(struct draw *draw)", "{"]
    for number, parameter in enumerate(entry.parameters):
        glue = "" if parameter.type.endswith("*") else " "
        kind = parameter.type + (" *" if parameter.suffix else "")
        lines.append(f"    {kind}{glue}a{number} = {draw(headers, parameter)};")
    lines.append(f"    CUresult result = {entry.symbol}({', '.join(f'a{i}' for i in range(len(entry.parameters)))});")
    if not entry.parameters:
        lines.append("    (void)draw;")
    kept = [(i, keeps(p)) for i, p in enumerate(entry.parameters) if keeps(p)]
    for number, (kind, pointee) in kept[:1]:
        lines.append(f"    if (result == CUDA_SUCCESS && a{number})")
        lines.append(f"        keep(draw, {kind}, (uint64_t)(uintptr_t)*a{number});")
    return lines + ["    return result;", "}", ""]


def emit_zero(headers, entry):
    values = [f"({p.type}){{0}}" if not p.suffix and headers.kind(p)[0] == "BYTES" else "0" for p in entry.parameters]
    return [f"CUresult {entry.symbol}({entrypoints.argument_list(entry)});",
            f"static CUresult zero_{entry.symbol}(void)", "{", f"    return {entry.symbol}({', '.join(values)});", "}", ""]


def write(path, lines):
    text = "\n".join(lines)
    path = pathlib.Path(path)
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


NOTICE = ["/* SPDX-License-Identifier: MIT */", "/* Made by scripts/fuzz_calls.py; do not edit. */"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", required=True)
    parser.add_argument("--include", required=True)
    parser.add_argument("--by-hand", nargs="*", default=[], help="files with the calls made by hand")
    parser.add_argument("--missing", action="store_true", help="print the entry points that are not called; fails if there are any")
    parser.add_argument("--zero", action="store_true", help="all entry points, without arguments to draw")
    parser.add_argument("output", nargs="?")
    arguments = parser.parse_args()
    table, headers = entrypoints.load(arguments)
    done = [e for e in table.entries if not e.is_object and table.is_done(e) and e.has_prototype]
    chosen = [e for e in done if not BY_HAND.match(e.symbol)]
    words = set(re.findall(r"\bcu\w+", " ".join(pathlib.Path(f).read_text() for f in arguments.by_hand)))
    by_hand = [e for e in done if BY_HAND.match(e.symbol) and e.symbol in words]
    if arguments.missing:
        functions = [e for e in table.entries if not e.is_object]
        missing = [e.symbol for e in functions if e not in chosen and e not in by_hand]
        print(f"{len(chosen)} by the table, {len(by_hand)} by hand, of {len(functions)} functions; not called:",
              *missing or ["none"])
        sys.exit(1 if missing else 0)
    if arguments.zero:
        lines = NOTICE + [line for entry in done for line in emit_zero(headers, entry)]
        lines += ["static const struct zero_call {", "    const char *name;", "    CUresult (*call)(void);",
                  "} zero_calls[] = {"]
        write(arguments.output, lines + [f'    {{"{e.symbol}", zero_{e.symbol}}},' for e in done] + ["};", ""])
        return
    lines = list(NOTICE)
    for entry in chosen:
        lines += [f"CUresult {entry.symbol}({entrypoints.argument_list(entry)});"]
        lines += emit(headers, entry)
    lines += [f"enum {{ CALLED_BY_HAND = {len(by_hand)} }};", ""]
    lines += ["static const struct call generated_calls[] = {"]
    write(arguments.output, lines + [f'    {{"{e.symbol}", call_{e.symbol}}},' for e in chosen] + ["};", ""])


if __name__ == "__main__":
    main()
