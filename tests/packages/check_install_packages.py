#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/install-packages with a dpkg and an apt-get that only write down what they are asked: nothing is installed
unasked, what is missing is named with the command, and other distributions' names are found.

usage: check_install_packages.py BUILD SOURCE CC
"""
import os
import pty
import re
import subprocess

from packages import FOLDER, SOURCE, check, finish

SCRIPT = SOURCE / "scripts" / "install-packages"
TOOLS, LOG = FOLDER / "tools", FOLDER / "log"
STAND_INS = {
    "dpkg-query": "sed 's/^/installed /' \"$INSTALLED\"",
    "apt-get": "echo \"apt-get $*\" >> \"$LOG\"",
    "apt-cache": "case \" $OFFERED \" in *\" $2 \"*) echo '  Candidate: 1.0' ;; *) echo '  Candidate: (none)' ;; esac",
    "id": "echo ${USER_ID:-0}",
}


def words():
    """The list of the script: each set with its words."""
    text, sets = SCRIPT.read_text(), {}
    for name, value in re.findall(r'^(\w+)="([^"]*)"', text, re.M):
        if name in ("build", "package", "test", "fuzz", "bench", "cross"):
            sets[name] = sets.get(name, []) + [word for word in value.split() if word[0] != "$"]
    return sets


def prepare():
    TOOLS.mkdir()
    for name, body in STAND_INS.items():
        (TOOLS / name).write_text("#!/bin/sh\n" + body + "\n")
        (TOOLS / name).chmod(0o755)
    for name in ("sh", "sed", "tr", "sort", "grep", "env"):
        (TOOLS / name).symlink_to(next(path for path in (f"/usr/bin/{name}", f"/bin/{name}") if os.path.exists(path)))


def call(*arguments, installed, offered="", answer=None, **env):
    """Returns the exit status, what was told, and what apt-get was asked. With an answer there is a terminal."""
    (FOLDER / "installed").write_text("".join(name + "\n" for name in installed))
    LOG.write_text("")
    environment = {"PATH": str(TOOLS), "INSTALLED": str(FOLDER / "installed"), "OFFERED": offered, "LOG": str(LOG), **env}
    command = [str(SCRIPT), *arguments]
    if answer is None:
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout + done.stderr, LOG.read_text()
    master, terminal = pty.openpty()
    with subprocess.Popen(command, env=environment, stdin=terminal, stdout=terminal, stderr=terminal) as process:
        os.close(terminal)
        os.write(master, answer.encode())
        told = b""
        while True:
            try:
                piece = os.read(master, 4096)
            except OSError:
                piece = b""
            if not piece:
                break
            told += piece
    os.close(master)
    return process.returncode, told.decode(), LOG.read_text()


prepare()
sets = words()
build = sets["build"]
some = [name for name in build if name not in ("ninja-build", "llvm-19-dev")]
check(call("--ask", "build", installed=build) == (0, "", ""), "with nothing missing nothing is said")
code, told, asked = call("--ask", "build", installed=some)
check(code == 1 and asked == "", f"nothing is installed unasked: {code} {asked}")
check("missing: llvm-19-dev ninja-build\n" in told and 'make deps SETS="build"' in told and
      "apt-get install --no-install-recommends llvm-19-dev ninja-build" in told, f"it says what is missing: {told}")
code, told, asked = call("--ask", "build", installed=some, CI="true")
check(code == 0 and "install -y -qq --no-install-recommends llvm-19-dev ninja-build" in asked, f"CI=true: {code} {asked}")
code, told, asked = call("build", installed=some)
check(code == 0 and asked.startswith("apt-get update") and "llvm-19-dev" in asked, f"make deps: {code} {asked}")
for answer, status in (("n\n", 1), ("\n", 1), ("y\n", 0)):
    code, told, asked = call("--ask", "build", installed=some, answer=answer)
    check(code == status and bool(asked) == (status == 0) and "[y/N]" in told, f"the answer {answer!r}: {code} {told} {asked}")
code, told, asked = call("build", installed=some, USER_ID="1000")
check(code == 1 and asked == "" and "not root and there is no sudo" in told, f"without rights: {code} {told}")

optional = [word.rstrip("?") for word in sets["test"] if word.endswith("?")]
either = [word.split("|") for word in sets["test"] if "|" in word]
check(optional and either, f"words of both kinds are in the list: {sets['test']}")
rest = build + sets["package"] + [word for word in sets["test"] if not re.search(r"[?|]", word)]
code, told, _ = call("--list", "test", installed=rest, offered=either[0][1])
check(told.split() == [either[0][1]], f"another name of a package, and none of what is not offered: {told}")
code, told, _ = call("--list", "test", installed=rest + either[0][1:2], offered=" ".join(optional))
check(sorted(told.split()) == sorted(optional), f"what is offered and may be left out: {told}")
code, told, _ = call("--list", "test", installed=rest)
check(told.split() == [either[0][0]], f"before the first apt-get update: {told}")
code, told, asked = call("everything", installed=[])
check(code == 2 and "'everything'" in told and "usage:" in told and asked == "", f"a set that is none: {code} {told}")
finish()
