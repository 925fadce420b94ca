#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The hot tier's code grows with the kernel, not by the square of its blocks: values that LLVM keeps at the start of blocks
(phis) are counted in a kernel of divergent loops and barriers, and in one of twice as many.

usage: check_growth.py LIBRARY_FOLDER
"""
import ctypes
import os
import subprocess
import sys
import tempfile
from pathlib import Path

LOOPS = 32
HEAD = """.version 7.8
.target sm_75
.address_size 64
.visible .entry grows(.param .u64 data)
{
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b32 words[1024];
    ld.param.u64 %rd1, [data];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    mov.u32 %r4, 1;
"""
LOOP = """    ld.global.u32 %r2, [%rd3+{offset}];
AGAIN{n}:
    mad.lo.s32 %r4, %r4, %r2, {n};
    and.b32 %r5, %r4, 4092;
    mov.u32 %r3, words;
    add.s32 %r3, %r3, %r5;
    st.shared.u32 [%r3], %r4;
    add.s32 %r2, %r2, -1;
    setp.gt.s32 %p1, %r2, 0;
    @%p1 bra AGAIN{n};
    bar.sync 0;
"""
TAIL = "    st.global.u32 [%rd3], %r4;\n    ret;\n}\n"


def compile_here(library, loops):
    """In a process of its own, which CUPIPE_DUMP has leave the code behind."""
    driver = ctypes.CDLL(os.path.join(library, "libcuda.so.1"))
    text = HEAD + "".join(LOOP.format(n=n, offset=4096 * n) for n in range(loops)) + TAIL
    context, module, function = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    results = [driver.cuInit(0), driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), driver.cuCtxSetCurrent(context),
               driver.cuModuleLoadData(ctypes.byref(module), text.encode()),
               driver.cuModuleGetFunction(ctypes.byref(function), module, b"grows"), driver.cuFuncLoad(function)]
    if any(results):
        sys.exit(f"the kernel is not compiled: {results}")


def phis(library, loops):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, __file__, library, str(loops)], check=True,
                       env={**os.environ, "CUPIPE_DUMP": folder, "CUPIPE_JIT": "hot", "CUPIPE_CACHE": "off"})
        texts = [path.read_text() for path in Path(folder).glob("*.optimized.ll")]
    return sum(text.count(" = phi ") for text in texts)


def main():
    if len(sys.argv) == 3:
        compile_here(sys.argv[1], int(sys.argv[2]))
        return 0
    few, many = phis(sys.argv[1], LOOPS), phis(sys.argv[1], 2 * LOOPS)
    print(f"{few} phis with {LOOPS} loops, {many} with {2 * LOOPS}")
    return 0 if 0 < many < 3 * few else 1


sys.exit(main())
