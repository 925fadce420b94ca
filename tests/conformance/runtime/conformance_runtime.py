#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hold a libcudart.so.13 against the recorded answers of NVIDIA's runtime (CUDA 13.0 on an H200).

Builds the recorder of this folder with nvcc, links it with the library, runs it group by group and
compares its lines with the recording. docs/CONFORMANCE.md says how to read what it prints.

A line where NVIDIA's library crashed, hung or let the device fault (outside the groups that ask about
faults) has no right answer: there the library must live on. Such a line is counted as survived.
Exit status: 0 as expected, 1 not, 77 no nvcc.
"""
import argparse
import collections
import concurrent.futures
import glob
import gzip
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.dirname(os.path.dirname(HERE))]
from compilers import nvcc as find_nvcc  # noqa: E402
from conformance import AGREE, CRASHED, DIFFER, EXCEPTED, SURVIVED, matches_any, read_patterns  # noqa: E402

SKIPPED = 77
RECORDING = os.path.join(HERE, "..", "recorded", "h200-cudart13.golden.gz")
# Groups of many short processes; the others look at time or at free memory and run alone.
SHARED_GROUPS = ["first", "firstpt", "lazy", "visible", "risky", "fuzz"]
FAULT_GROUPS = ("fault", "assert", "errname", "lasterr", "symbols")
FAULTS = ("cudaErrorIllegalAddress", "cudaErrorLaunchFailure", "cudaErrorMisalignedAddress")
DEAD = ("CRASH", "TIMEOUT", "EXIT")


def compile_commands(nvcc, build):
    """(source, object, command) for every part of the recorder."""
    toolkit = os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))
    include = next(d for d in (os.path.join(toolkit, "include"), "/usr/local/cuda/include")
                   if os.path.exists(os.path.join(d, "cuda_runtime_api.h")))
    cuda = [nvcc, "-std=c++17", "-O1"]
    plain = ["-gencode", "arch=compute_75,code=compute_75"]
    linked = ["-rdc=true", "-gencode", "arch=compute_90,code=[sm_90,compute_90]"]
    host = ["g++", "-std=gnu++17", "-O1", "-fno-strict-aliasing", "-Wno-deprecated-declarations", "-I" + include]
    special = {"kern.cu": cuda + plain + ["--extended-lambda"],
               "kern90.cu": cuda + ["-gencode", "arch=compute_90,code=compute_90"],
               "kern_pt.cu": cuda + plain + ["--default-stream", "per-thread"],
               "rdc_a.cu": cuda + linked, "rdc_b.cu": cuda + linked}
    parts = [(name, name[:-3] + ".o", command) for name, command in special.items()]
    parts += [(os.path.basename(p), os.path.basename(p)[:-4] + ".o", host)
              for p in sorted(glob.glob(os.path.join(HERE, "*.cpp")))]
    parts.append(("r_table.cpp", "r_tablept.o", host + ["-DCUDA_API_PER_THREAD_DEFAULT_STREAM"]))
    return [(os.path.join(HERE, s), os.path.join(build, o), c) for s, o, c in parts], cuda + linked, toolkit


def build_recorder(nvcc, library, build, jobs):
    os.makedirs(build, exist_ok=True)
    parts, link_device, toolkit = compile_commands(nvcc, build)
    header = os.path.getmtime(os.path.join(HERE, "rt.hpp"))

    def compile_part(part):
        source, output, command = part
        if os.path.exists(output) and os.path.getmtime(output) > max(header, os.path.getmtime(source)):
            return
        subprocess.run(command + ["-c", source, "-o", output], check=True)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(compile_part, parts))
    in_build = lambda name: os.path.join(build, name)
    subprocess.run(link_device + ["-dlink", in_build("rdc_a.o"), in_build("rdc_b.o"), "-lcudadevrt", "-o",
                                  in_build("rdc_link.o")], check=True)
    runtime = os.path.join(library, "libcudart.so.13")
    tail = [runtime, "-ldl", "-lpthread", "-lm", "-Wl,-z,lazy", "-Wl,--no-as-needed"]
    host = [o for _, o, _ in parts if os.path.basename(o).startswith("r_") or os.path.basename(o) == "rt_main.o"]
    subprocess.run(["g++", "-o", in_build("recorder")] + host +
                   [in_build(n) for n in ("kern.o", "kern90.o", "kern_pt.o")] + tail, check=True)
    devrt = next((p for d in ("lib64", "lib", "targets/*/lib")
                  for p in glob.glob(os.path.join(toolkit, d, "libcudadevrt.a"))), None)
    subprocess.run(["g++", "-o", in_build("recorder-rdc"), in_build("rt_main.o")] +
                   [in_build(n) for n in ("rdc_a.o", "rdc_b.o", "rdc_link.o")] + ([devrt] if devrt else []) + tail,
                   check=True)


def parse(text):
    answers = {}
    for line in text.splitlines():
        if not line.startswith("#") and ": " in line:
            key, value = line.split(": ", 1)
            answers.setdefault(key, value)
    return answers


def list_groups(options):
    """(recorder, group) for everything that can be asked; the groups that `options` names, if any."""
    pairs = []
    for recorder in ("recorder", "recorder-rdc"):
        done = subprocess.run([os.path.join(options.build, recorder), "--list"], env=environment(options),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
        pairs += [(recorder, name) for name in done.stdout.decode().split()]
    if options.groups:
        pairs = [(r, n) for r, n in pairs if matches_any(n, options.groups) or matches_any(n.split("/")[0], options.groups)]
    first, last = options.seeds
    return [(r, n) for r, n in pairs if not n.startswith("fuzz/") or first <= int(n.split("/")[1]) <= last]


def environment(options):
    """The driver is the one that was recorded."""
    return dict(os.environ, CUPIPE_DRIVER="13.0",
                LD_LIBRARY_PATH=options.library + ":" + os.environ.get("LD_LIBRARY_PATH", ""))


def ask(options, recorder, groups):
    """The answers of some groups; those of a group that does not end are what it printed until then."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen([os.path.join(options.build, recorder), "--seeds", str(options.seeds[0]),
                                    str(options.seeds[1])] + groups, env=environment(options),
                                   stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.DEVNULL)
        try:
            process.wait(options.limit)
        except subprocess.TimeoutExpired:
            process.kill()
            print("no end within %d s: %s" % (options.limit, " ".join(groups)), flush=True)
        if options.verbose:
            print("%.1f s: %s" % (time.monotonic() - start, " ".join(groups[:3])), flush=True)
        output.seek(0)
        text = output.read().decode(errors="replace")
    if options.keep:
        with open(options.keep, "a") as file:
            file.write(text)
    return parse(text)


def record(options):
    """What the library answers. Groups that look at time or at free memory are asked alone at the end, unless all
    are asked together."""
    answers = {}
    pairs = list_groups(options)
    together = [(r, n) for r, n in pairs if options.together or n.split("/")[0] in SHARED_GROUPS]
    together.sort(key=lambda pair: pair[1].split("/")[0] in SHARED_GROUPS)  # the short ones last
    batches = [(r, [n]) for r, n in together] if options.together else [
        ("recorder", [n for _, n in together[i::options.jobs * 4]]) for i in range(options.jobs * 4)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for part in pool.map(lambda batch: ask(options, *batch), [b for b in batches if b[1]]):
            answers.update(part)
    for recorder in ("recorder", "recorder-rdc"):
        alone = [n for r, n in pairs if r == recorder and (r, n) not in together]
        if alone:
            answers.update(ask(options, recorder, alone))
    return answers


def broke(group, value):
    """NVIDIA's library did not survive the line."""
    return value.split()[0] in DEAD or (not group.startswith(FAULT_GROUPS) and any(f in value for f in FAULTS))


def judge(wanted, given, excepted):
    if given is None:
        return DIFFER
    dead = given.split()[0] in DEAD
    if wanted is None:
        return CRASHED if dead else SURVIVED
    if dead:
        return CRASHED
    if given == wanted:
        return AGREE
    return EXCEPTED if excepted else DIFFER


def compare(options, answers):
    with gzip.open(RECORDING, "rt", errors="replace") as file:
        recording = parse(file.read())
    skipped = [p for p, _ in read_patterns(os.path.join(HERE, "not-comparable.txt"))]
    exceptions, pending = ([] if options.strict else [p for p, _ in read_patterns(os.path.join(HERE, name))]
                           for name in ("exceptions.txt", "pending.txt"))
    counts = collections.defaultdict(lambda: [0] * 6)
    waiting, wrong = 0, []
    for key, value in recording.items():
        group = key.split("/")[0]
        if (options.groups and not matches_any(group, options.groups)) or matches_any(key, skipped):
            continue
        if group == "fuzz" and not options.seeds[0] <= int(key.split("/")[1].split(":")[0]) <= options.seeds[1]:
            continue
        nothing_right = broke(group, value)
        given = answers.get(key)
        if nothing_right and given is None:
            continue
        verdict = judge(None if nothing_right else value, given, matches_any(key, exceptions))
        if verdict in (DIFFER, CRASHED) and matches_any(key, pending):
            waiting += 1
            continue
        counts[group][verdict] += 1
        if verdict in (DIFFER, CRASHED):
            wrong.append((key, value, given))
    return counts, waiting, wrong


def report(options, counts, waiting, wrong):
    print("%-22s %7s %7s %7s %9s %9s" % ("group", "agree", "differ", "dead", "survived", "excepted"))
    total = [0] * 6
    for group, row in sorted(counts.items()):
        total = [a + b for a, b in zip(total, row)]
        if options.verbose or row[DIFFER] or row[CRASHED]:
            print("%-22s %7d %7d %7d %9d %9d" % (group, row[AGREE], row[DIFFER], row[CRASHED], row[SURVIVED], row[EXCEPTED]))
    for key, value, given in wrong[: options.show]:
        print("- %s\n    nvidia: %s\n    here:   %s" % (key, value[:160], (given or "(no line)")[:160]))
    print("%d lines agree, %d differ, %d crashed or hung; %d excepted, %d pending; %d survived where NVIDIA's library did not"
          % (total[AGREE], total[DIFFER], total[CRASHED], total[EXCEPTED], waiting, total[SURVIVED]))
    return 1 if wrong or not total[AGREE] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--library", required=True, help="folder with libcudart.so.13 and libcuda.so.1")
    parser.add_argument("--build", required=True, help="folder to build the recorder in")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seeds", type=int, nargs=2, default=[1, 30])
    parser.add_argument("--show", type=int, default=20)
    parser.add_argument("--keep", help="file for the answers, written as they come")
    parser.add_argument("--limit", type=int, default=600, help="seconds for the groups that one process asks")
    parser.add_argument("--together", action="store_true",
                        help="every group in a process of its own, --jobs of them at once")
    parser.add_argument("--built", action="store_true", help="the recorder is in the build folder already")
    parser.add_argument("--strict", action="store_true", help="on NVIDIA's driver: nothing is excepted or pending")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("groups", nargs="*")
    options = parser.parse_args()
    options.library, options.build = os.path.abspath(options.library), os.path.abspath(options.build)
    if not options.built:
        nvcc = find_nvcc()
        if not nvcc:
            print("no nvcc: the recorder cannot be built")
            return SKIPPED
        build_recorder(nvcc, options.library, options.build, options.jobs)
    if options.keep:
        open(options.keep, "w").close()
    answers = record(options)
    return report(options, *compare(options, answers))


if __name__ == "__main__":
    sys.exit(main())
