#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cupipe cache: its folder, clear, and warm, after which a program compiles nothing.

usage: check_cache.py BUILD SOURCE CC
"""
from command import FOLDER, LIBRARY, PTX, check, compile_c, cupipe, fatbin, finish, with_device_code, write

cache = FOLDER / "cache"
here = {"CUPIPE_CACHE": str(cache)}


def kernels():
    return sorted(path.name for path in cache.glob("*.kernel")) if cache.exists() else []


code, out, err = cupipe("cache", env=here)
check((code, out, err) == (0, f"{cache}: 0 kernels, 0.0 MiB\n", ""), f"an empty cache: {out} {err}")
check(str(FOLDER / "x" / "cupipe") in cupipe("cache", env={"XDG_CACHE_HOME": str(FOLDER / "x")})[1], "XDG_CACHE_HOME")
check(cupipe("cache", env={"CUPIPE_CACHE": "off"})[0] == 1, "a cache that is off")

two = write("two.ptx", PTX.rstrip(b"\0") + b".visible .entry other(.param .u64 p)\n{\n .reg .b64 %a;\n ld.param.u64 %a, [p];\n"
            b" st.global.u32 [%a], 42;\n ret;\n}\n")
code, out, err = cupipe("cache", "warm", two, env=here)
check((code, out, err) == (0, f"{two}: 2 kernels are in the cache\n", ""), f"warm: {code} {out} {err}")
warmed = kernels()
check(len(warmed) == 2, f"two kernels are there: {warmed}")

# A program that launches one finds it: nothing is added, in either tier.
launch = compile_c("launch", """
#include <cuda.h>
#include <stdio.h>
int main(int count, char **files)
{
    CUcontext context; CUmodule module; CUfunction function; CUdeviceptr p; unsigned value = 0;
    void *parameters[] = {&p};
    (void)count;
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) || cuMemAlloc(&p, 4) ||
        cuModuleLoad(&module, files[1]) || cuModuleGetFunction(&function, module, "other") ||
        cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, 0, parameters, 0) || cuMemcpyDtoH(&value, p, 4))
        return 1;
    return (int)value;
}
""", f"-L{LIBRARY}", "-lcuda")
code, _, err = cupipe("run", launch, two, env=here)
check(code == 42, f"the program runs: {code} {err}")
check(kernels() == warmed, "it compiled nothing")

program = compile_c("program", with_device_code(fatbin(1, PTX, 80)) + "int main(void) { return 0; }\n")
code, out, _ = cupipe("cache", "warm", program, env=here)
check((code, out) == (0, f"{program}: 1 kernels are in the cache\n"), f"an executable: {code} {out}")
code, out, err = cupipe("cache", "warm", write("bad.ptx", ".version 8.0\n.target sm_80\n.address_size 64\nnonsense\n"), env=here)
check(code == 1 and "CUDA_ERROR" in err, f"wrong PTX: {code} {err}")
check(cupipe("cache", "warm", write("text", "hello"), env=here)[0] == 1, "neither PTX nor device code")
check(cupipe("cache", "warm", "no-such-file", env=here)[0] == 1, "no file")

(cache / "torch").mkdir()
write("cache/torch/libcupipe-torch-9.9.0-0.so", "x")
check("torch: 1 objects for PyTorch" in cupipe("cache", env=here)[1], "what was compiled for PyTorch is counted")
keep = cache / "mine.txt"
keep.write_text("not a kernel")
code, out, _ = cupipe("cache", "clear", env=here)
check(code == 0 and "removed" in out and kernels() == [], f"clear: {out}")
check(not list((cache / "torch").iterdir()), f"and what was compiled for PyTorch: {out}")
check(keep.exists(), "clear leaves other files alone")
check(cupipe("cache", "clean", env=here)[0] == 125, "a wrong word")
finish()
