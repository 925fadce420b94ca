#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the workflows call is there: jobs of scripts/ci, scripts, targets of make. Where Python can read YAML, that they
are YAML with steps, too. And scripts/release makes whatever packaging can make.

usage: check_workflows.py SOURCE_ROOT
"""
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

root = Path(sys.argv[1])
workflows = sorted((root / ".github" / "workflows").glob("*.yml"))
targets = set(re.findall(r"^([\w-]+):", (root / "Makefile").read_text(), re.M))
listing = subprocess.run([root / "scripts" / "ci", "--list"], capture_output=True, text=True, check=True).stdout
jobs = {line.split()[0] for line in listing.splitlines()}
failures, called = [], set()


def fail(path, line, text):
    failures.append(f"{path.name}: {line.strip()}: {text}")


def check_command(path, line, command, matrix):
    words = shlex.split(command)
    for word in words:
        if re.fullmatch(r"[\w.-]*/[\w./-]+", word) and word.startswith(("scripts/", "packaging/", "tests/", "torch/")):
            if not os.access(root / word, os.X_OK):
                fail(path, line, f"{word} is not there, or cannot be executed")
    if words[:1] == ["make"]:
        for word in words[1:]:
            if "=" not in word and not word.startswith("-") and word not in targets:
                fail(path, line, f"the Makefile has no target {word}")
    if words[:1] == ["scripts/ci"]:
        for job in matrix if "matrix.job" in command else words[1:]:
            called.add(job)
            if job not in jobs:
                fail(path, line, f"scripts/ci has no job {job}")


def commands(text):
    """Lines that a step runs: `run: COMMAND`, or the lines below `run: |`."""
    indent = None
    for line in text.splitlines():
        here = len(line) - len(line.lstrip())
        found = re.match(r"\s*(?:- )?run: (.*)", line)
        if found and found[1] in ("|", ">"):
            indent = here
        elif found:
            yield line, found[1]
        elif indent is not None and line.strip() and here > indent:
            yield line, line.strip()
        elif line.strip():
            indent = None


def check_yaml(path):
    try:
        import yaml
    except ImportError:
        return
    for name, job in yaml.safe_load(path.read_text())["jobs"].items():
        if not job.get("steps") or not job.get("runs-on") or "timeout-minutes" not in job:
            failures.append(f"{path.name}: the job {name} needs runs-on, timeout-minutes and steps")


for path in workflows:
    text = path.read_text()
    matrix = set()
    for value in re.findall(r"^\s*(?:- )?job: (.+)$", text, re.M):
        matrix |= set(re.findall(r"[\w.-]+", value))
    for line, command in commands(text):
        for part in re.split(r"&&|;|\|", command):
            check_command(path, line, part.strip(), matrix)
    for used in re.findall(r"uses: (\S+)", text):
        if not re.search(r"@v\d+$|@[0-9a-f]{40}$", used):
            failures.append(f"{path.name}: {used}: name a version")
    check_yaml(path)
# The chroots are what containers do there.
for job in sorted(jobs - called - {"debian-12", "debian-13", "ubuntu-24.04"}):
    failures.append(f"no workflow calls the job {job} of scripts/ci")
release = (root / "scripts" / "release").read_text()
for maker in sorted((root / "packaging").glob("*.py")):
    if re.search(r"^usage: .*\bBUILD FOLDER\b", maker.read_text(), re.M) and f"packaging/{maker.name} build" not in release:
        failures.append(f"scripts/release does not run packaging/{maker.name}")
if not workflows:
    failures.append("there are no workflows")
print("\n".join(failures) or f"{len(workflows)} workflows call {len(called)} jobs")
sys.exit(bool(failures))
