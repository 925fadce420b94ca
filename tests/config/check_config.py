#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Starts print_devices under many environments and checks what it sees and what is said on stderr.

usage: check_config.py PRINT_DEVICES LIBCUDA

Prints one TAP line a case and a summary; exits with 1 when a case failed.
"""
import os
import re
import subprocess
import sys
import tempfile

MIB = 1 << 20
UUID = "63757069706580008000000000000000"
GPU = "GPU-63757069-7065-8000-8000-0000000000"  # two digits short
OK, VALUE = "CUDA_SUCCESS", "CUDA_ERROR_INVALID_VALUE"
NO_DEVICE, BAD_DEVICE = "CUDA_ERROR_NO_DEVICE", "CUDA_ERROR_INVALID_DEVICE"
KEPT = ("PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS")

NUMBER_64 = 'cupipe: {0}="{1}" is not a number from 1 to 64\n'
NUMBER_1024 = 'cupipe: {0}="{1}" is not a number from 1 to 1024\n'
MEMORY = ('cupipe: {0}="{1}" is not a number of bytes from 32M to 64T '
          "(K, M, G or T may follow the number)\n")
BUDGET = MEMORY.replace("32M", "2M")
TOPOLOGY = 'cupipe: {0}="{1}" is not all, none or pairs\n'
SCHEDULE = ('cupipe: {0}="{1}" is not eager, lazy or random:SEED, '
            "where SEED is a number of at most 64 bits\n")
LOG = 'cupipe: {0}="{1}" is not none, error, warning, info or debug, with or without :FILE\n'
LONG_NAME = 'cupipe: {0}="{1}" is more than 255 bytes with H200 in place of {{}}\n'
NAME = 'cupipe: {0}="{1}" is not a text of 1 to 255 printable bytes\n'
UUID_TEXT = ('cupipe: {0}="{1}" is not a UUID: 32 hexadecimal digits, '
             "with or without dashes and GPU- before them; nor is it vulkan\n")
SMS = NUMBER_1024
CAPABILITY = 'cupipe: {0}="{1}" is not a compute capability such as 8.6\n'
DRIVER = 'cupipe: {0}="{1}" is not a version of CUDA from 12.0 to 13.4, such as 13.0\n'
PTX = 'cupipe: {0}="{1}" is not known or newer\n'
EXPORT = 'cupipe: {0}="{1}" is not auto, llvmpipe or plain\n'
CPU = 'cupipe: {0}="{1}" is not all, avx512, avx2 or plain\n'
CAPTURE_RANGE = 'cupipe: {0}="{1}" is not program or profiler\n'
MATH = 'cupipe: {0}="{1}" is not exact or fast\n'
ORDER = 'cupipe: {0}="{1}" is not FASTEST_FIRST or PCI_BUS_ID\n'
CHECK = ('cupipe: {0}: "{1}" is not a check; one is all, memory, memory:quarantine=BYTES, leaks, init, races, sync or streams; '
         'several have commas between them\n')
LIMIT = 'cupipe: {0}="{1}" is not a number of reports\n'
EXIT = 'cupipe: {0}="{1}" is not an exit code from 1 to 255\n'
TWICE = 'cupipe: {0}="{1}" names a device twice\n'

# Variable, values, the message each must give. All of them fail with CUDA_ERROR_INVALID_VALUE.
BAD = [
    ("CUPIPE_DEVICES", ["abc", "0", "65", "-1", "+1", " 1", "1 ", "1.5", "1x", "0x1",
                        "18446744073709551617", "99999999999999999999999"], NUMBER_64),
    ("CUPIPE_THREADS", ["0", "1025", "many", "-4", "4 ", "18446744073709551617"], NUMBER_1024),
    ("CUPIPE_MEMORY", ["0", "1", "31M", "33554431", "lots", "1P", "1GB", "G", "-1G", "1.5G", " 1G",
                       "65T", "16777217T", "18446744073709551616", "18446744073709551616T"], MEMORY),
    ("CUPIPE_MEMORY_BUDGET", ["0", "1", "2097151", "lots", "1P", "-1G", "65T"], BUDGET),
    ("CUPIPE_TOPOLOGY", ["All", "pair", "pairs ", "0", "all,none"], TOPOLOGY),
    ("CUPIPE_SCHEDULE", ["Eager", "random", "random:", "random:x", "random:-1", "random:1 ", "eager:1",
                         "random:18446744073709551616"], SCHEDULE),
    ("CUPIPE_LOG", ["verbose", "Debug", "2", ":file", "debug:", "debugging", "error,info"], LOG),
    ("CUPIPE_DEVICE_NAME", ["x" * 256, "a\nb", "a\tb", "a\x7fb"], NAME),
    ("CUPIPE_DEVICE_NAME", ["x" * 252 + "{}", "{}" * 100], LONG_NAME),
    ("CUPIPE_DEVICE_UUID", ["GPU-", "0", "0" * 31, "0" * 33, "g" * 32, "GPU-" + "0" * 31 + " ",
                            "gpu-" + "0" * 32, "MIG-" + "0" * 32, "Vulkan", "vulkan "], UUID_TEXT),
    ("CUPIPE_CHECK", ["leak", "Memory", "alles", "memory:", "memory:quarantine=", "memory:quarantine=4X"], CHECK),
    ("CUPIPE_CHECK", ["leaks,memory:kept=1M"], CHECK.replace("{1}", "memory:kept=1M")),
    ("CUPIPE_CHECK_LIMIT", ["-1", "all", "1 ", "18446744073709551615"], LIMIT),
    ("CUPIPE_CHECK_EXIT", ["0", "256", "-1", "one"], EXIT),
    ("CUPIPE_SMS", ["0", "1025", "-1", "many"], SMS),
    ("CUPIPE_COMPUTE_CAPABILITY", ["9", "90", "9.1", "9.0a", "sm_90", "9.", "8.60", "256.0"],
     CAPABILITY),
    ("CUPIPE_PTX", ["Newer", "9.4", "newer "], PTX),
    ("CUPIPE_DRIVER", ["13", "13.9", "11.8", "13.0 ", "13.00", "v13.0", "13000"], DRIVER),
    ("CUPIPE_CPU", ["AVX2", "avx", "native", "plain "], CPU),
    ("CUPIPE_MATH", ["Exact", "fast ", "slow"], MATH),
    ("CUPIPE_CAPTURE_RANGE", ["Profiler", "range", "1"], CAPTURE_RANGE),
    ("CUPIPE_EXPORT", ["Auto", "llvm", "plain ", "lavapipe"], EXPORT),
]

# Value of CUPIPE_DEVICES, value of CUDA_VISIBLE_DEVICES, the physical devices seen or the error.
VISIBLE = [
    (3, None, [0, 1, 2]),
    (3, "0", [0]),
    (3, "2,0,1", [2, 0, 1]),
    (3, "1,2", [1, 2]),
    (3, "", NO_DEVICE),
    (3, " ", NO_DEVICE),
    (3, ",", NO_DEVICE),
    (3, ",0", NO_DEVICE),
    (3, "-1", NO_DEVICE),
    (3, "3", NO_DEVICE),
    (3, "3,0", NO_DEVICE),
    (3, "none", NO_DEVICE),
    (3, "NoDevFiles", NO_DEVICE),
    (3, "99999999999999999999", NO_DEVICE),
    (3, "2147483648", NO_DEVICE),
    (3, "4294967296", [0]),
    (3, "1,-1,2", [1]),
    (3, "1,3,2", [1]),
    (3, "1,,2", [1]),
    (3, "1, ,2", [1]),
    (3, "1,x,2", [1]),
    (3, "1,", [1]),
    (3, "1,3,1", [1]),
    (3, " 1 , 2", [1, 2]),
    (3, "+1,-0,02", [1, 0, 2]),
    (3, "1abc,2", [1, 2]),
    (3, "0x2,1", [0, 1]),
    (3, "1;2", [1]),
    (3, "1,1", BAD_DEVICE),
    (3, "0,2,0", BAD_DEVICE),
    (3, "0, 0", BAD_DEVICE),
    (3, GPU + "01", [1]),
    (3, GPU + "02," + GPU + "00", [2, 0]),
    (3, "GPU-" + UUID, [0]),
    (3, "GPU--" + UUID, [0]),
    (3, "MIG-" + UUID, [0]),
    (3, GPU + "01ff", [1]),
    (3, GPU + "01 ," + GPU + "02", [1, 2]),
    (3, GPU + "01, " + GPU + "02", [1]),
    (3, GPU + "01,0", [1]),
    (3, "0," + GPU + "01", [0]),
    (3, GPU + "01," + GPU + "03," + GPU + "02", [1]),
    (3, GPU + "01," + GPU + "01", BAD_DEVICE),
    (3, GPU + "0", NO_DEVICE),
    (3, "GPU-6375", NO_DEVICE),
    (1, "GPU-6375", [0]),
    (1, "GPU-6", [0]),
    (1, "GPU-637", [0]),
    (1, "GPU-638", NO_DEVICE),
    (1, "GPU-637 ", NO_DEVICE),
    (1, "GPU-637zz", NO_DEVICE),
    (1, "GPU-", NO_DEVICE),
    (1, " GPU-6375", NO_DEVICE),
    (1, "gpu-6375", NO_DEVICE),
    (1, UUID, NO_DEVICE),
    (1, "0,0", BAD_DEVICE),
    (64, "63", [63]),
]

passed = failed = 0


def run(environment, *changes):
    """What cuInit said, the devices (None when they could not be counted), and stderr."""
    clean = {name: os.environ[name] for name in KEPT if name in os.environ}
    done = subprocess.run([sys.argv[1], sys.argv[2], *changes], env=dict(clean, **environment),
                          capture_output=True, text=True, errors="replace")
    rounds = []
    for line in done.stdout.splitlines():
        word, rest = line.split(" ", 1)
        if word == "cuInit":
            rounds.append([rest, None])
        elif word == "cuDeviceGetCount" and rest != "CUDA_ERROR_NOT_INITIALIZED":
            rounds[-1][1] = []
        elif word == "device":
            memory, uuid, pci, name = rest.split(" ", 3)
            rounds[-1][1].append({"memory": int(memory), "uuid": uuid, "pci": pci, "name": name})
    if done.returncode:
        rounds.append(["exit code %d" % done.returncode, None])
    return rounds, done.stderr


def check(title, *pairs):
    """One test: every pair (what came, what was wanted) must be equal."""
    global passed, failed
    wrong = [pair for pair in pairs if pair[0] != pair[1]]
    passed, failed = passed + (not wrong), failed + bool(wrong)
    print("%s %d - %s" % ("not ok" if wrong else "ok", passed + failed, title))
    for came, wanted in wrong:
        print("# came   %r\n# wanted %r" % (came, wanted))


def shown(value):
    return repr(value if len(value) < 40 else value[:37] + "...")


def check_bad_values():
    for name, values, message in BAD:
        for value in values:
            rounds, stderr = run({name: value})
            check("%s=%s fails" % (name, shown(value)), (rounds, [[VALUE, None]]),
                  (stderr, message.format(name, value)))
    for value in ["", "x", "pci_bus_id", "PCI_BUS_ID "]:
        rounds, stderr = run({"CUDA_DEVICE_ORDER": value})
        check("CUDA_DEVICE_ORDER=%r fails" % value, (rounds, [[BAD_DEVICE, None]]),
              (stderr, ORDER.format("CUDA_DEVICE_ORDER", value)))


def check_visible():
    for count, value, wanted in VISIBLE:
        environment = {"CUPIPE_DEVICES": str(count)}
        if value is not None:
            environment["CUDA_VISIBLE_DEVICES"] = value
        rounds, stderr = run(environment)
        title = "%d devices, CUDA_VISIBLE_DEVICES=%r" % (count, value)
        message = TWICE.format("CUDA_VISIBLE_DEVICES", value) if wanted == BAD_DEVICE else ""
        if isinstance(wanted, str):
            check(title, (rounds, [[wanted, None]]), (stderr, message))
            continue
        devices = rounds[0][1] or []
        check(title, (rounds[0][0], OK), (stderr, message),
              ([d["uuid"] for d in devices], [UUID[:-2] + "%02x" % i for i in wanted]),
              ([d["pci"] for d in devices], ["0000:%02x:%02x.0" % (i // 16, 6 + i % 16) for i in wanted]))


def check_field(variable, value, field, wanted, count="1"):
    rounds, stderr = run({variable: value, "CUPIPE_DEVICES": count})
    devices = rounds[0][1] or []
    check("%s=%s" % (variable, shown(value)), (rounds[0][0], OK), (stderr, ""),
          ([device[field] for device in devices], wanted))


def check_good_values():
    for value, wanted in [("32M", 32), ("33M", 32), ("65535K", 62), ("34m", 34), ("1G", 1024),
                          ("2g", 2048), ("1073741824", 1024), ("67108863", 62)]:
        check_field("CUPIPE_MEMORY", value, "memory", [wanted * MIB])
    for value in ["H", "NVIDIA H100 80GB HBM3", "x" * 255, "caf\u00e9"]:
        check_field("CUPIPE_DEVICE_NAME", value, "name", [value] * 2, "2")
    for value in ["{}", "NVIDIA {}", "{}{}", "{", "}{ } {}", "a {} b {}", "{{}}", "x" * 251 + "{}"]:
        check_field("CUPIPE_DEVICE_NAME", value, "name", [value.replace("{}", "H200")])
    rounds, stderr = run({"CUPIPE_DEVICE_NAME": "NVIDIA {}", "CUPIPE_GPU": "h200,rtx3090"})
    check("a name for each GPU", (stderr, ""), ([device["name"] for device in rounds[0][1] or []],
                                                ["NVIDIA H200", "NVIDIA RTX 3090"]))
    digits = "0123456789abcdefABCDEF00112233fe"
    wanted = [digits.lower(), digits[:-2].lower() + "ff", digits[:-2].lower() + "00"]
    for value in [digits, "GPU-" + digits, "GPU-01234567-89ab-cdef-ABCD-EF00112233fe"]:
        check_field("CUPIPE_DEVICE_UUID", value, "uuid", wanted, "3")
    for name, values in [("CUPIPE_THREADS", ["1", "1024"]),
                         ("CUPIPE_MEMORY_BUDGET", ["2M", "64T", "1g"]),
                         ("CUPIPE_TOPOLOGY", ["all", "none", "pairs"]),
                         ("CUPIPE_CPU", ["all", "avx512", "avx2", "plain"]),
                         ("CUPIPE_MATH", ["exact", "fast"]), ("CUPIPE_CAPTURE_RANGE", ["program", "profiler"]),
                         ("CUPIPE_SCHEDULE", ["eager", "lazy", "random:0", "random:18446744073709551615"]),
                         ("CUDA_DEVICE_ORDER", ["FASTEST_FIRST", "PCI_BUS_ID"]),
                         ("CUDA_LAUNCH_BLOCKING", ["0", "1", ""]),
                         ("CUPIPE_LOG", ["none", "error", "warning", "info"])]:
        for value in values:
            check_field(name, value, "uuid", [UUID])


def check_defaults():
    rounds, stderr = run({})
    device = (rounds[0][1] or [{"memory": 0, "uuid": "", "pci": "", "name": ""}])[0]
    host = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE")
    check("defaults", (rounds[0][0], OK), (stderr, ""), (len(rounds[0][1] or []), 1),
          (device["name"], "NVIDIA H200 (cupipe)"), (device["uuid"], UUID),
          (device["pci"], "0000:00:06.0"), (device["memory"] % (2 * MIB), 0),
          (32 * MIB <= device["memory"] <= max(32 * MIB, host * 3 // 4), True))
    empty = {name: "" for name, _, _ in BAD}
    check("empty values count as unset", (run(empty), (rounds, stderr)))


def check_more():
    rounds, stderr = run({"CUPIPE_DEVICES": "x", "CUPIPE_THREADS": "y"})
    check("every mistake is reported", (rounds, [[VALUE, None]]),
          (stderr, NUMBER_64.format("CUPIPE_DEVICES", "x") + NUMBER_1024.format("CUPIPE_THREADS", "y")))
    rounds, stderr = run({"CUPIPE_DEVICES": "2", "CUPIPE_GPU": "a101"})
    check("a wrong GPU of several devices", (rounds, [[VALUE, None]]),
          (stderr.startswith('cupipe: CUPIPE_GPU="a101" is not a list of 1 to 64 GPUs of these: p100 '), True))
    rounds, stderr = run({"CUPIPE_DEVICES": "x", "CUPIPE_LOG": "none"})
    check("CUPIPE_LOG=none hides no mistake", (rounds, [[VALUE, None]]),
          (stderr, NUMBER_64.format("CUPIPE_DEVICES", "x")))
    rounds, stderr = run({"CUPIPE_DEVICE": "2"})
    check("an unknown name is a warning", (rounds[0][0], OK), (len(rounds[0][1] or []), 1),
          (stderr, "cupipe: CUPIPE_DEVICE is not a variable cupipe knows; it is ignored\n"))
    rounds, stderr = run({"CUPIPE_DEVICES": "x"}, "CUPIPE_DEVICES=2", "CUPIPE_DEVICES=x",
                         "CUPIPE_DEVICES=3")
    check("read until it succeeds, then never again",
          ([(r[0], len(r[1] or [])) for r in rounds], [(VALUE, 0), (OK, 2), (OK, 2), (OK, 2)]),
          (stderr, NUMBER_64.format("CUPIPE_DEVICES", "x")))
    rounds, stderr = run({"CUDA_VISIBLE_DEVICES": "", "CUPIPE_LOG": "info"})
    check("CUPIPE_LOG=info tells why no device is seen", (rounds, [[NO_DEVICE, None]]),
          (bool(re.fullmatch(r'cupipe \[info\] src/\S+\.c:\d+: CUDA_VISIBLE_DEVICES="" .*\n', stderr)), True))


def check_documented():
    """Whatever the documents, the layer and the compiler name is known to the library."""
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    paths = [os.path.join(root, "docs", "ENVIRONMENT.md")]
    for part in ["layers", os.path.join("src", "jit"), os.path.join("tools", "nvrtc"), os.path.join("tools", "nvjitlink")]:
        folder = os.path.join(root, part)
        paths += [os.path.join(folder, name) for name in sorted(os.listdir(folder))
                  if os.path.isfile(os.path.join(folder, name))]
    names = set()
    for path in paths:
        with open(path) as file:
            text = file.read()
        if path.endswith(".md"):
            names.update(re.findall(r"`(CUPIPE_[A-Z_]*[A-Z])\b", text))
        else:
            names.update(re.findall(r'"(CUPIPE_[A-Z_]*[A-Z])"', text))
    rounds, stderr = run({name: "" for name in names})
    check("every variable that is documented or read is known", (rounds[0][0], OK), (stderr, ""),
          ("CUPIPE_VULKAN_VENDOR_ID" in names and "CUPIPE_DUMP" in names, True))


def check_injection():
    """A tool that cannot be used is reported, and the program goes on."""
    message = 'cupipe: CUDA_INJECTION64_PATH="%s" '
    rounds, stderr = run({"CUDA_INJECTION64_PATH": "/nowhere/libtool.so", "CUPIPE_LOG": "none"})
    check("CUDA_INJECTION64_PATH names no file", (rounds[0][0], OK),
          (stderr.startswith(message % "/nowhere/libtool.so" + "cannot be loaded: "), True), (stderr.count("\n"), 1))
    rounds, stderr = run({"CUDA_INJECTION64_PATH": "libm.so.6"})
    check("CUDA_INJECTION64_PATH names a library that is no tool", (rounds[0][0], OK),
          (stderr, message % "libm.so.6" + "has no function InitializeInjection\n"))


def check_log_file():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "log:of the day")
        with open(path, "w") as file:
            file.write("before\n")
        rounds, stderr = run({"CUDA_VISIBLE_DEVICES": "", "CUPIPE_LOG": "debug:" + path})
        with open(path) as file:
            lines = file.read().splitlines()
        check("CUPIPE_LOG=debug:FILE appends to the file", (rounds, [[NO_DEVICE, None]]), (stderr, ""),
              (lines[0], "before"), (len(lines) > 1, True),
              ([l for l in lines[1:] if not re.match(r"cupipe \[(info|debug)\] src/\S+\.c:\d+: ", l)], []))
        missing = "debug:" + os.path.join(folder, "no", "such")
        rounds, stderr = run({"CUPIPE_LOG": missing})
        check("CUPIPE_LOG with a file that cannot be written fails", (rounds, [[VALUE, None]]),
              (stderr, 'cupipe: CUPIPE_LOG="%s" names a file that cannot be written: '
                       "No such file or directory\n" % missing))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    check_defaults()
    check_good_values()
    check_bad_values()
    check_visible()
    check_more()
    check_documented()
    check_injection()
    check_log_file()
    print("1..%d" % (passed + failed))
    print("# %d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed else 0)


main()
