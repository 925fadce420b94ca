#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cupipe info, --help, and the man page and completion that come with it.

usage: check_info.py BUILD SOURCE CC
"""
import ctypes
import json
import re
import shutil

from command import CLEAN, CUPIPE, LIBRARY, SOURCE, check, cupipe, finish, run

code, out, err = cupipe("info", "--json", env={"CUPIPE_DEVICES": "2", "CUPIPE_MEMORY": "64M", "CUPIPE_DEVICE_NAME": 'a "b\\'})
check((code, err) == (0, ""), f"info --json: {code} {err}")
facts = json.loads(out)
check(len(facts["devices"]) == 2 and facts["devices"][1]["ordinal"] == 1, f"two devices: {facts['devices']}")
check(facts["devices"][0]["name"] == 'a "b\\', f"names are quoted: {facts['devices'][0]}")
check(facts["devices"][0]["memory_bytes"] == 64 << 20, "their memory")
check(facts["variables"].get("CUPIPE_DEVICES") == "2", "variables that are set")
check(facts["library"] == str(LIBRARY), "the folder")
version = ctypes.c_int()
ctypes.CDLL(str(LIBRARY / "libcuda.so.1")).cuDriverGetVersion(ctypes.byref(version))
check(facts["cuda"] == f"{version.value // 1000}.{version.value % 1000 // 10}", "the version is the driver's")
for part in facts["parts"]:
    known = part.get("path")
    check(part["found"] == (known is not None) and (part["found"] or part["without"]), f"found or explained: {part}")
found = {part["name"] for part in facts["parts"] if part["found"]}
check({"driver", "runtime 13", "runtime 12", "ptxas", "nvlink", "NVML"} <= found, f"found: {found}")
# NVIDIA's libraries, for the Python in PATH: at most one of a name is taken, and all say what led to them.
check(facts["nvidia"]["python"] is None or facts["nvidia"]["python"].startswith("/"), f"the Python: {facts['nvidia']}")
for name in ("libnvrtc.so.13", "libnvrtc.so.12", "libnvJitLink.so.13", "libnvJitLink.so.12"):
    libraries = [library for library in facts["nvidia"]["libraries"] if library["name"] == name]
    usable = [library for library in libraries if "cuda" in library]
    check([library["taken"] for library in usable] == [True] + [False] * (len(usable) - 1) if usable else True, f"{libraries}")
    check(all(library["found_by"] and library["path"] for library in libraries), f"{libraries}")
code, out, _ = cupipe("info", env={"CUPIPE_NVRTC": "/none", "CUPIPE_NVJITLINK": "/none"})
check(code == 0 and out.count("names /none, which cannot be read") == 4, f"libraries that are not there: {out}")

code, text, _ = cupipe("info", env={"CUPIPE_DEVICES": "2"})
check(code == 0 and text.count("compute capability") == 2 and "CUPIPE_DEVICES=2" in text, f"info: {text}")
code, text, err = cupipe("info", env={"CUPIPE_DEVICES": "none"})
check(code == 1 and "CUDA_ERROR_INVALID_VALUE" in text and "is not a number" in err, f"a wrong variable: {code} {text}")
check(cupipe("info", env={"CUDA_VISIBLE_DEVICES": ""})[0] == 1, "without a device the status is 1")
check(cupipe("info", "--yaml")[0] == 125, "a wrong option")

code, text, _ = cupipe("info", "--gpus")
names = [line.split()[0] for line in text.splitlines()]
check(code == 0 and "a100" in names and "h200" in names, f"the GPUs: {text}")
for name in names[::5]:
    check(cupipe("info", env={"CUPIPE_GPU": name})[0] == 0, f"the driver knows {name}")

code, text, _ = cupipe("--help")
lines = text.splitlines()
check(code == 0 and len(lines) <= 23 and max(map(len, lines)) <= 80, f"help fits a screen: {len(lines)} lines")
check(cupipe()[0] == 125 and cupipe("rum")[0] == 125, "no command, and a wrong one")
check(cupipe("version")[1].startswith("cupipe "), "version")

# What the help names is in the man page and in the completion.
man = (SOURCE / "tools/command/cupipe.1").read_text().replace("\\-", "-")
completion = (SOURCE / "tools/command/cupipe.bash").read_text()
for word in sorted(set(re.findall(r"--[a-z]+|(?<=cupipe )[a-z]+", text)) - {"--help"}):
    check(word in man, f"the man page has {word}")
    check(word in completion, f"the completion has {word}")
if shutil.which("bash"):
    script = ('. "$1"; complete_at() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cupipe; echo "${COMPREPLY[*]}"; };'
              'complete_at cupipe do; complete_at cupipe run --sch; complete_at cupipe run --schedule la;'
              'complete_at cupipe run true --sch; complete_at cupipe run --gpu a100-')
    code, out, err = run("bash", "-c", script, "bash", SOURCE / "tools/command/cupipe.bash",
                         env={"PATH": f"{CUPIPE.parent}:{CLEAN['PATH']}"})
    check(out == "doctor\n--schedule\nlazy\n\na100-80gb\n", f"bash completes: {out!r} {err}")
if shutil.which("man"):
    code, out, err = run("man", "--warnings", "-l", SOURCE / "tools/command/cupipe.1", env={"MANPAGER": "cat"})
    check(code == 0 and "EXIT STATUS" in out and not err, f"man reads the page: {err}")
code, out, err = cupipe("smi", "-L", env={"CUPIPE_DEVICES": "2"})
check(code == 0 and out.count("UUID") == 2 and all(device["uuid"] in out for device in facts["devices"]),
      f"smi has the same devices: {out} {err}")
code, _, err = cupipe("conformance", "/no/such/libcuda.so")
check(code == 2 and "there is no library /no/such/libcuda.so" in err, f"conformance: {code} {err}")
check(CUPIPE.exists(), "the command is built")
finish()
