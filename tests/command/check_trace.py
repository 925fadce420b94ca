#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cupipe trace: the timeline, the picture and the sums of a trace, of a broken one too.

usage: check_trace.py BUILD SOURCE CC
"""
import json
import re
import xml.dom.minidom

from command import FOLDER, LIBRARY, check, compile_c, cupipe, finish, write

program = compile_c("program", """
#include <cuda.h>
static const char ptx[] = ".version 8.0\\n.target sm_80\\n.address_size 64\\n.visible .entry _Z3onei(.param .u32 n)\\n{\\n ret;\\n}\\n";
int main(void)
{
    CUcontext context; CUmodule module; CUfunction function; CUstream stream; CUdeviceptr plain, one, two;
    int n = 0; void *parameters[] = {&n};
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
        cuModuleLoadData(&module, ptx) || cuModuleGetFunction(&function, module, "_Z3onei") ||
        cuStreamCreate(&stream, 1) || cuMemAlloc(&plain, 1 << 20) || cuMemAllocAsync(&one, 4 << 20, stream) ||
        cuMemsetD8Async(one, 0, 4 << 20, stream) || cuMemAllocAsync(&two, 2 << 20, stream))
        return 1;
    for (int i = 0; i < 3; i++)
        if (cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, parameters, 0))
            return 2;
    if (cuMemFreeAsync(one, stream) || cuMemFreeAsync(two, stream) || cuMemAllocAsync(&one, 1 << 20, stream) ||
        cuStreamSynchronize(stream) || cuMemAlloc(&two, 0) != CUDA_ERROR_INVALID_VALUE)
        return 3;
    return 0;
}
""", f"-L{LIBRARY}", "-lcuda")
code, _, err = cupipe("run", "--trace", "t.json", program)
check((code, err) == (0, ""), f"the program runs: {code} {err}")
events = json.loads((FOLDER / "t.json").read_text())
handle = [event for event in events if event["name"] == "cuStreamCreate"][0]["args"]["*phStream"]
stream = [event for event in events if event["name"] == "stream" and event["args"]["handle"] == handle][0]["args"]["name"]

code, out, err = cupipe("trace", "t.json", "--svg", "t.svg", "--calls", "100")
check((code, err) == (0, ""), f"trace: {code} {err}")


def line(pattern):
    found = re.search(pattern, out, re.M)
    check(found, f"{pattern}:\n{out}")
    return found.groups() if found else ("0",) * 9


check(line(r"^(?:one\(int\)|_Z3onei) +(\d+) ")[0] == "3", "the kernel ran three times")
check(line(r"^fill +(\d+) .* ([\d.]+)$") == ("1", "4.0"), "one memset of 4 MiB")
check(line(r"^cuMemAlloc_v2 +(\d+) .* (\d+)$") == ("2", "1"), "a call that failed")
check(line(rf"^{stream} +(\d+) +([\d.]+) +([\d.]+)$") == ("3", "6.000", "1.000"), "memory of the stream, by the name of its row")
check(line(r"^no stream +(\d+) +([\d.]+) +([\d.]+)$") == ("1", "1.000", "1.000"), "memory of no stream")
total = sum(event["dur"] for event in events if event["name"] == "cuInit") / 1e3
check(line(r"^cuInit +1 +([\d.]+) ")[0] == f"{total:.3f}", "the time of a call")
check(re.search(rf"^cupipe device 0, {stream} +\|.*[kf]", out, re.M), f"the timeline: {out}")
picture = xml.dom.minidom.parse(str(FOLDER / "t.svg"))
check(len(picture.getElementsByTagName("title")) >= 4, "the picture has the work")

# A process that was killed leaves whole events and no end.
text = (FOLDER / "t.json").read_text().rstrip()[:-1].rstrip()
check(cupipe("trace", write("cut.json", text + ","))[0] == 0, "a trace without its end")
for name, contents in (("empty", ""), ("other.json", '{"a": 1}'), ("text", "hello"), ("list.json", "[1]"),
                       ("half.json", text[:len(text) // 2 + 7])):
    code, _, err = cupipe("trace", write(name, contents))
    check(code == 1 and err == f"cupipe trace: {FOLDER / name} is not a trace of cupipe\n", f"{name}: {code} {err}")
# A file of another kind: what it is, and which command reads it.
write("p.json", '{"kernels": []}')
for command, file, part in (("profile", "t.json", "cupipe trace t.json"), ("trace", "p.json", "cupipe profile p.json"),
                            ("trace", ".", "is a folder"), ("profile", write("x.cu", "int x;\n"), "CUDA source file")):
    code, out, err = cupipe(command, file)
    check(code == 1 and out == "" and part in err and "Traceback" not in err, f"{command} {file}: {code} {out} {err}")
for name, contents in (("empty", ""), ("text", "hello"), ("list.json", "[1]"), ("number.json", '{"kernels": 3}'),
                       ("numbers.json", '{"kernels": [3]}'), ("names.json", '{"kernels": [{"name": "k"}]}'), ("bytes", b"\xff\xfe\0")):
    code, out, err = cupipe("profile", write(name, contents))
    check(code == 1 and out == "" and "is not a profile" in err and err.count("\n") == 1, f"profile {name}: {code} {err}")
code, _, err = cupipe("profile", "no-such-file")
check(code == 1 and "No such file" in err, f"no profile: {code} {err}")
check(cupipe("profile", "p.json", "--lines", "t.json")[0] == 0, "the name of a kernel is no file")
code, _, err = cupipe("trace", "no-such-file")
check(code == 1 and "No such file" in err, f"no file: {code} {err}")
calls = [event for event in events if event.get("args", {}).get("result")]
code, out, _ = cupipe("trace", write("calls.json", json.dumps(calls)))
check(code == 0 and "no device work" in out and "cuInit" in out, f"calls alone: {out}")
code, _, err = cupipe("trace", "t.json", env={"PATH": "/nowhere"})
check(code == 125 and "needs python3" in err, f"without Python: {code} {err}")
finish()
