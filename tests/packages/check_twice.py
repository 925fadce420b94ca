#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Packages made twice of one build are the same bytes, whatever the umask, the time zone, the language, the folder and the
day; and the command says the version that they have. scripts/release --twice builds twice, too.

usage: check_twice.py BUILD SOURCE CC
"""
import os
import shutil
import subprocess
import sys
import time

from packages import BUILD, FOLDER, SOURCE, VERSION, check, finish, installed, run

EPOCH = "1700000000"
SURROUNDINGS = (
    {"TZ": "UTC", "LC_ALL": "C", "umask": 0o022},
    {"TZ": "Asia/Kathmandu", "LC_ALL": "C.UTF-8", "umask": 0o077},
)


def make(maker, number, env, umask):
    """Makes the packages in a folder of their own, with temporary files in another one."""
    folder, temporary = FOLDER / f"{maker}-{number}", FOLDER / ("temporary" * (number + 1))
    temporary.mkdir(exist_ok=True)
    result = subprocess.run([sys.executable, SOURCE / "packaging" / maker, "--fast", BUILD, folder], capture_output=True, text=True,
                            env={**os.environ, **env, "TMPDIR": str(temporary), "SOURCE_DATE_EPOCH": EPOCH},
                            preexec_fn=lambda: os.umask(umask))
    check(result.returncode == 0, f"{maker}: {result.stderr}")
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def check_maker(maker, fewest):
    made = []
    for number, env in enumerate(SURROUNDINGS):
        made.append(make(maker, number, {name: env[name] for name in ("TZ", "LC_ALL")}, env["umask"]))
        time.sleep(2.1)  # two seconds are what a zip file counts in
    check(len(made[0]) >= fewest, f"{maker} makes {sorted(made[0])}")
    check(sorted(made[0]) == sorted(made[1]), f"{maker} makes {sorted(made[0])} and {sorted(made[1])}")
    for name in made[0]:
        check(made[0][name] == made[1].get(name), f"{name} has the same bytes twice")


def main():
    installed()
    check(run(BUILD / "bin" / "cupipe", "--version") == (0, f"cupipe {VERSION}\n", ""), "cupipe --version")
    check_maker("wheel.py", 1)
    if all(map(shutil.which, ("dpkg", "dpkg-deb", "dpkg-shlibdeps"))):
        check_maker("deb.py", 3)
    finish()


main()
