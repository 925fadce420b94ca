#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The conformance kit: its verdicts on made-up recordings, and libraries that crash, hang and lack functions.

usage: check_kit.py BUILD SOURCE CC
"""
import gzip
import json
import lzma
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "command"), str(HERE.parents[2] / "tools" / "conformance")]
from command import BUILD, CC, FOLDER, SOURCE, check, finish, run, write  # noqa: E402
from cupipe_conformance import answers, numbers, programs  # noqa: E402

CACHE = BUILD / "tests" / "conformance" / "kit"
PROGRAM = BUILD / "lib" / "bin" / "cupipe-conformance"


def kit(*words):
    """Exit status, JSON if it wrote any, and what it printed."""
    path = FOLDER / "out.json"
    path.unlink(missing_ok=True)
    options = ("--json", path) if words[0] in ("run", "compare") else ()
    code, out, err = run(PROGRAM, *words, *options, "--cache", CACHE, env={"CC": CC})
    return code, json.loads(path.read_text()) if path.exists() else {}, out + err


def pack(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    with (lzma if path.suffix == ".xz" else gzip).open(path, "wt") as file:
        file.write(text)


def check_verdicts():
    wanted = [("a/1", "CUDA_SUCCESS x=1", "CUDA_SUCCESS x=1", answers.AGREE),
              ("a/1", "CUDA_SUCCESS x=1", "CUDA_SUCCESS x=2", answers.DIFFER),
              ("a/1", "CUDA_SUCCESS", None, answers.ABSENT),
              ("a/1", "CUDA_SUCCESS", "SKIP missing=cuMemAlloc", answers.ABSENT),
              ("a/1", "SKIP nothing to ask", "SKIP nothing to ask", answers.AGREE),
              ("a/1", "CUDA_SUCCESS", "CRASH signal 11", answers.CRASHED),
              ("a/1", "CUDA_SUCCESS", "TIMEOUT", answers.CRASHED),
              ("a/1", "CRASH signal 11", "CUDA_ERROR_INVALID_VALUE", answers.SURVIVED),
              ("a/1", "CRASH signal 11", "CRASH signal 11", answers.CRASHED),
              ("a/1", "CRASH signal 11", None, None),
              ("a/1", "CUDA_ERROR_ILLEGAL_ADDRESS", "CUDA_ERROR_ILLEGAL_ADDRESS", answers.SURVIVED),
              ("kfault-x/1", "CUDA_ERROR_ILLEGAL_ADDRESS", "CUDA_ERROR_ILLEGAL_ADDRESS", answers.AGREE),
              ("kfault-x/1", "CUDA_ERROR_ILLEGAL_ADDRESS", "CUDA_SUCCESS", answers.DIFFER)]
    for key, recorded, here, verdict in wanted:
        got = answers.judge(key, recorded, here)
        check(got == verdict, f"{key}: {recorded!r} and {here!r} are judged {got}, not {verdict}")
    pairs = [("0 ~1.5", "0 ~1.5", True), ("0 ~1.5", "0 ~1.500005", True), ("0 ~1.5", "0 ~1.51", False),
             ("0 ~1.5", "1 ~1.5", False), ("0 ~1.5", "0", False), ("~nan", "~nan", True), ("~nan", "~1", False),
             ("~1e6 ~0.1", "~1e6 ~1.5", True), ("~0.1 ~0.1", "~0.1 ~1.5", False), ("~inf", "~inf", True), ("~1", "~inf", False)]
    for recorded, here, agrees in pairs:
        check(numbers.agree(here, recorded) == agrees, f"numbers {recorded!r} and {here!r}: not {agrees}")
    lines, remarks = answers.parse_answers("# x\na/1: OK\na: STOPPED\nno colon\nlog-x/1: OK text=words\n", ())
    check(lines == {"a/1": "OK", "log-x/1": "OK"} and remarks == [("a", "STOPPED")], f"parsed: {lines} {remarks}")


def check_programs():
    text = "7/setup a: OK\n7/0 call x: OK 1\n7/end\n8/0 call y: OK\n8/1 call z\n8/end crash\n"
    check(set(programs.parse(text)) == {7} and programs.broken_ends(text) == {8: "crash"}, "programs that did not end")
    programs.write_recording(text, FOLDER / "p.xz")
    (_, recorded), = programs.read_recording(FOLDER / "p.xz").values()
    check(recorded == ["OK", "OK 1"], f"a recording of programs: {recorded}")


def check_compared():
    """Two recordings that differ in known ways."""
    one, other = FOLDER / "one", FOLDER / "other"
    pack(one / "driver.gz", "alloc/a: CUDA_SUCCESS\nalloc/b: CUDA_SUCCESS n=1\nfree/a: CRASH signal 11\nfree/b: CUDA_SUCCESS\n")
    pack(other / "driver.gz", "alloc/a: CUDA_SUCCESS\nalloc/b: CUDA_SUCCESS n=2\nfree/a: CUDA_ERROR_INVALID_VALUE\n")
    pack(one / "libraries.gz", "blas/x/1: 0 ~2\nblas/x/2: 0 ~2\n")
    pack(other / "libraries.gz", "blas/x/1: 0 ~2.000001\nblas/x/2: 7\n")
    pack(one / "random.xz", "seed 3 00000000\nOK\nOK\n")
    pack(other / "random.xz", "seed 3 00000000\nOK\nNO\n")
    code, document, out = kit("compare", one, other)
    suites = {suite["name"]: suite for suite in document.get("suites", ())}
    check(code == 1 and set(suites) == {"driver", "libraries", "random"}, f"compare: {code} {out}")
    if len(suites) != 3:
        return
    groups = suites["driver"]["groups"]
    check(groups["alloc"] == {"judged": 2, "percent": 50.0, "agree": 1, "differ": 1, "absent": 0, "survived": 0, "crashed": 0},
          f"the group alloc: {groups['alloc']}")
    check(groups["free"] == {"judged": 1, "percent": 0.0, "agree": 0, "differ": 0, "absent": 1, "survived": 1, "crashed": 0},
          f"the group free: {groups['free']}")
    check({line["line"]: line["verdict"] for line in suites["driver"]["lines"]} == {"alloc/b": "differ", "free/b": "absent"},
          f"the lines: {suites['driver']['lines']}")
    check(suites["libraries"]["groups"]["blas/x"]["agree"] == 1, f"numbers: {suites['libraries']}")
    check(suites["random"]["total"]["percent"] == 50.0, f"programs: {suites['random']['total']}")
    check("here:   CUDA_SUCCESS n=2" in out and " 50.00%" in out, f"the table: {out}")
    write("other/driver.not-comparable.txt", "alloc/b\nfree/b\n")
    code, document, _ = kit("compare", one, other, "--suite", "driver")
    check(code == 0 and document["suites"][0]["total"]["percent"] == 100.0, f"lines that are not comparable: {document}")
    code, _, out = kit("compare", one, FOLDER)
    check(code == 2, f"nothing to compare: {code} {out}")


# A driver with one device. It crashes in one function, hangs in another and has few more.
DRIVER = r"""
#include <stdlib.h>
#include <unistd.h>
typedef unsigned long long address;
int cuInit(unsigned flags) { return flags ? 1 : 0; }
int cuDriverGetVersion(int *version) { *version = 13000; return 0; }
int cuDeviceGet(int *device, int ordinal) { *device = 0; return ordinal ? 101 : 0; }
int cuDeviceGetName(char *name, int length, int device) { name[0] = 'x'; name[1] = 0; return 0; }
int cuDevicePrimaryCtxRetain(void **context, int device) { *context = (void *)8; return 0; }
int cuDevicePrimaryCtxRelease_v2(int device) { return 0; }
int cuCtxSetCurrent(void *context) { return 0; }
int cuCtxSynchronize(void) { return 0; }
int cuMemsetD8_v2(address to, unsigned char byte, size_t count) { return 0; }
int cuMemcpyHtoD_v2(address to, const void *from, size_t count) { return 0; }
int cuMemcpyDtoH_v2(void *to, address from, size_t count) { return 0; }
int cuMemAlloc_v2(address *to, size_t bytes)
{
    if (bytes == 1)
        abort();
    if (bytes == 3) {
        if (fork() == 0)
            for (;;)
                pause(); /* what a library starts is gone afterwards, too */
    }
    if (bytes == 512)
        _exit(3);
    for (; bytes == 511;)
        pause();
    if (!to || !bytes)
        return 1;
    *to = (address)(size_t)malloc(bytes);
    return 0;
}
int cuMemFree_v2(address from) { return 0; }
"""
BLAS = r"""
#include <stdlib.h>
int cublasCreate_v2(void **handle) { *handle = (void *)8; return 0; }
int cublasSgemm_v2(void *handle, int ta, int tb, int m, int n, int k) { if (m == -1) abort(); return n < 0 ? 7 : 0; }
"""


def library(name, text, folder):
    (FOLDER / folder).mkdir(exist_ok=True)
    write(name + ".c", text)
    code, _, err = run(CC, "-shared", "-fPIC", "-w", f"-Wl,-soname,{name}", name + ".c", "-o", f"{folder}/{name}")
    check(code == 0, f"{name} compiles: {err}")
    return FOLDER / folder / name


def processes_of(folder):
    """Processes that have a file of the folder mapped."""
    found = []
    for maps in Path("/proc").glob("[0-9]*/maps"):
        try:
            if str(folder) in maps.read_text():
                found.append(maps.parent.name)
        except OSError:
            pass
    return found


def check_broken_driver():
    path = library("libcuda.so.1", DRIVER, "broken")
    start = time.monotonic()
    code, document, out = kit("run", path, "--suite", "driver", "--case-limit", "1", "alloc", "ptrset", "--show", "0")
    check(code == 1 and document, f"a driver that crashes: {code} {out}")
    if not document:
        return
    check(document["driver"].startswith("13.0, ") and document["device"] == "x", f"what it is: {document}")
    suite, = document["suites"]
    lines = {line["line"]: line for line in suite["lines"]}
    here = [line["here"] or "" for line in lines.values()]
    check(any(answer.startswith("CRASH signal 6") for answer in here), f"an abort is told: {sorted(set(here))[:20]}")
    check(any(answer.startswith("TIMEOUT") for answer in here), f"so is a hang: {sorted(set(here))[:20]}")
    check(any(answer.startswith("EXIT status 3") for answer in here), f"and an end: {sorted(set(here))[:20]}")
    check(any(answer.startswith("SKIP missing=") for answer in here), f"and what is missing: {sorted(set(here))[:20]}")
    total = suite["total"]
    check(total["agree"] > 0 and total["crashed"] > 2 and total["absent"] > 0, f"the rest is asked: {total}")
    check(time.monotonic() - start < 110, "in little time")
    check(not processes_of(FOLDER / "broken"), "no process is left")


def check_unloadable():
    path = library("libcuda.so.1", '#include <stdlib.h>\n__attribute__((constructor)) static void load(void) { abort(); }\n', "dead")
    code, document, out = kit("run", path, "--suite", "driver", "alloc")
    check(code == 1 and document["suites"][0]["total"]["agree"] == 0, f"a library that does not load: {code} {out}")
    path = write("empty/libcuda.so.1", "")
    code, document, out = kit("run", path, "--suite", "driver", "alloc")
    check(code == 1 and document["suites"][0]["total"]["agree"] == 0, f"a file that is no library: {code} {out}")
    for words in (("run", "/none"), ("run", FOLDER / "one")):
        code, _, out = kit(*words)
        check(code == 2 and "cupipe-conformance: " in out, f"{words}: {code} {out}")


def check_broken_library():
    library("libcublas.so.13", BLAS, "broken")
    code, document, out = kit("run", FOLDER / "broken", "--suite", "libraries", "--case-limit", "2", "--show", "0", "blas/wrong/*",
                              "blas/levels/*")
    check(code == 1 and document, f"a library that crashes: {code} {out}")
    if document:
        here = {line["line"]: line["here"] or "" for line in document["suites"][0]["lines"]}
        check(any(answer == "CRASH signal 6" for answer in here.values()), f"its crash: {set(here.values())}")
        check("SKIP missing" in here.values(), f"its missing functions: {set(here.values())}")
        check(here["blas/wrong/2/-1"] == "CRASH signal 6" and here["blas/wrong/3/-1"] == "SKIP missing",
              f"what follows the crash is asked: {here['blas/wrong/3/-1']}")


def check_own():
    """cupipe's driver, with a recording of itself: lines that change are told apart, and the same answers agree."""
    driver = BUILD / "lib" / "libcuda.so.1"
    code, document, out = kit("run", driver, "--suite", "driver", "alloc", "memset*")
    total = document["suites"][0]["total"] if document else {}
    check(total.get("percent", 0) > 99, f"cupipe's driver: {code} {total} {out}")
    write("tiny/driver.gz", b"")
    pack(FOLDER / "tiny" / "driver.gz", "alloc/size-1: CUDA_ERROR_UNKNOWN\n")
    code, document, out = kit("run", driver, "--suite", "driver", "--recorded", FOLDER / "tiny")
    check(code == 1 and document["suites"][0]["total"]["judged"] == 1, f"a recording of one's own: {code} {out}")


check_verdicts()
check_programs()
check_compared()
check_broken_driver()
check_unloadable()
check_broken_library()
check_own()
finish()
