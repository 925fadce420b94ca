#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/release in a small repository, with programs in place of CMake and of what makes packages that only write files:
what is no release is refused before anything is built, and of two builds that differ it says in what.

usage: check_release.py BUILD SOURCE CC
"""
import os
import platform
import shutil
import subprocess

from packages import FOLDER, SOURCE, check, finish, skip

REPOSITORY, TOOLS = FOLDER / "repository", FOLDER / "release-tools"
CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n## [1.2.3]{date}\n\nThe first.\n"
MAKER = "import sys\nopen(sys.argv[2] + '/cupipe-1.2.3{suffix}', 'w').write({text})\n"
ENVIRONMENT = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
               "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org", "TORCH_VERSIONS": "",
               "MACHINES": platform.machine(), "PATH": f"{TOOLS}:{os.environ['PATH']}"}


def git(*words):
    subprocess.run(["git", *words], cwd=REPOSITORY, env={**os.environ, **ENVIRONMENT}, check=True, capture_output=True)


def write(name, text, commit=True):
    path = REPOSITORY / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    if commit:
        git("add", name)
        git("commit", "-q", "-m", name)


def prepare():
    TOOLS.mkdir()
    (TOOLS / "cmake").write_text("#!/bin/sh\nmkdir -p build\n")
    (TOOLS / "cmake").chmod(0o755)
    REPOSITORY.mkdir()
    git("init", "-q")
    (REPOSITORY / "scripts").mkdir()
    shutil.copy(SOURCE / "scripts" / "release", REPOSITORY / "scripts")
    git("add", "scripts")
    write("CMakeLists.txt", "project(cupipe VERSION 1.2.3 LANGUAGES C)\n")
    write("CHANGELOG.md", CHANGELOG.format(date=""))
    write("packaging/wheel.py", MAKER.format(suffix="-py3-none-any.whl", text="'wheel'"))
    write("packaging/deb.py", MAKER.format(suffix=".deb", text="'deb'"))
    write("packaging/conformance.py", "")


def release(*words, folder="out", **env):
    """Returns the exit status and what was told; FOLDER/out is made anew."""
    if folder == "out":
        shutil.rmtree(FOLDER / "out", ignore_errors=True)
    done = subprocess.run([REPOSITORY / "scripts" / "release", *words, FOLDER / folder], capture_output=True, text=True,
                          env={**os.environ, **ENVIRONMENT, **env}, timeout=100)
    return done.returncode, done.stdout + done.stderr


def check_refused(why, *words, **options):
    code, told = release(*words, **options)
    check(code == 1 and why in told, f"refused, {why!r}: {code} {told}")


def check_refusals():
    write("CMakeLists.txt", "project(cupipe VERSION 1.2.4 LANGUAGES C)\n", commit=False)
    check_refused("commit or stash")
    git("commit", "-q", "-a", "-m", "version")
    check_refused("no section [1.2.4]")
    git("revert", "--no-edit", "HEAD")
    (FOLDER / "full").mkdir()
    (FOLDER / "full" / "file").write_text("")
    check_refused("is not empty", folder="full")
    check_refused("pdp11", MACHINES="pdp11")
    git("tag", "v1.2.4")
    check_refused("tagged v1.2.4")
    git("tag", "-d", "v1.2.4")
    git("tag", "v1.2.3")
    check_refused("no date")
    git("tag", "-d", "v1.2.3")
    write("CHANGELOG.md", CHANGELOG.format(date=" - 2026-11-19"))
    git("tag", "v1.2.3")


def check_made():
    code, told = release()
    names = sorted(path.name for path in (FOLDER / "out").iterdir())
    check(code == 0 and names == ["SHA256SUMS", "cupipe-1.2.3-py3-none-any.whl", "cupipe-1.2.3.deb", "cupipe-1.2.3.tar.gz"],
          f"a release: {code} {names} {told}")
    sums = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=FOLDER / "out", capture_output=True, text=True)
    check(sums.returncode == 0 and sums.stdout.count(": OK") == 3, f"checksums: {sums.stdout} {sums.stderr}")
    code, told = release("--twice")
    check(code == 0 and "the same bytes twice:" in told, f"twice: {code} {told}")
    write("packaging/deb.py", MAKER.format(suffix=".deb", text="sys.argv[2]"))
    check_refused("not the same bytes twice: SHA256SUMS cupipe-1.2.3.deb;", "--twice")


if not shutil.which("git"):
    skip("there is no git here")
prepare()
check_refusals()
check_made()
finish()
