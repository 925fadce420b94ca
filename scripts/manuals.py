#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the manual pages of the commands beside `cupipe`, from what they print with --help and the texts below.

usage: manuals.py BUILD            writes tools/manuals/*.1
       manuals.py --check BUILD    fails where a page has other options than its command

cupipe(1) is tools/command/cupipe.1: its options are written by variables.py.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tools" / "manuals"
NO_CHANGE = ": accepted, changes nothing"
STAND_IN = ("It lies in a folder of its own, lib/cupipe/bin, which `cupipe run` puts before the others in PATH and "
            "`cupipe toolkit` into a toolkit's folder, and never takes the place of NVIDIA's by itself.")

# name of the page: (program in lib/bin, summary, paragraphs, arguments before --help)
PAGES = {
    "cupipe-conformance": ("cupipe-conformance", "compare an implementation of CUDA with an H200", [
        "Asks a CUDA driver, runtime or library questions and compares the answers with those that NVIDIA's gave on an "
        "H200. Each group of questions runs in a process of its own, with a time limit for each question, so that a "
        "library that crashes or hangs loses a line and no more.",
        "It builds its programs with a C compiler when they are needed first, and keeps them below the user's cache. The "
        "questions to the runtime are built by nvcc."], [["run"], ["record"], ["compare"], ["list"], ["build"]]),
    "cupipe-fatbinary": ("fatbinary", "put PTX and images into one file", [
        "Takes the place of NVIDIA's fatbinary for clang. " + STAND_IN], []),
    "cupipe-nvlink": ("nvlink", "link device code to an image that carries PTX", [
        "Takes the place of NVIDIA's nvlink: it links PTX, images that carry PTX, objects and libraries. The result has no "
        "machine code, and says so. " + STAND_IN], []),
    "cupipe-objdump": ("cupipe-objdump", "list device code and print PTX", [
        "Says of each entry whether it is PTX, a cubin of machine code or an image of cupipe's that carries PTX."], []),
    "cupipe-profile": ("cupipe-profile", "show what kernels executed", [
        "Reads a file that `cupipe run --profile FILE` wrote: how often each line of each kernel was executed, what it "
        "read and wrote, and where lanes were idle."], []),
    "cupipe-ptxas": ("ptxas", "check PTX and write an image that carries it", [
        "Takes the place of NVIDIA's ptxas: what it writes stands where a cubin is expected, and holds the PTX, which "
        "cupipe's driver compiles when it is loaded. Errors have ptxas' form and lines. " + STAND_IN], []),
    "cupipe-rebuild": ("cupipe-rebuild", "build a package with cupipe's CUDA runtime", [
        "The wheels of some packages of Python have NVIDIA's CUDA runtime linked in, which runs on NVIDIA's driver alone. "
        "This builds such a package from its sources with cupipe's runtime and installs it into an environment."], []),
    "cupipe-roofs": ("cupipe-roofs", "measure what this machine can do at most", [
        "Prints, as JSON, float and double operations a second and bytes a second from and to memory, with a thread on "
        "each processor. `cupipe profile --roofline` starts it and keeps what it found. It takes no options."], []),
    "cupipe-smi": ("cupipe-smi", "show cupipe's devices as nvidia-smi does", [
        "Shows the devices, their memory, and the processes that use them. Programs that `cupipe run` starts find it under "
        "the name nvidia-smi."], []),
    "cupipe-toolkit": ("cupipe-toolkit", "make a CUDA toolkit folder with cupipe's tools", [
        "nvcc looks for its tools beside itself. This makes a folder of links to an installed toolkit, in which ptxas, "
        "nvlink and the runtime libraries are cupipe's; nvcc is copied. clang takes the folder by --cuda-path."], []),
    "cupipe-trace": ("cupipe-trace", "draw what the streams of a program did", [
        "Reads files that `cupipe run --trace FILE` wrote, and those of torch.profiler."], []),
}
EXIT = {
    "cupipe-conformance": "0 if all lines agree, 1 if some do not, 2 if nothing could be asked.",
    "cupipe-objdump": "0 if all files could be read, else 1.",
}


def help_of(program, words):
    run = subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=False, timeout=60,
                         env={**os.environ, "COLUMNS": "200", "LC_ALL": "C"})
    if run.returncode != 0 or not run.stdout:
        raise SystemExit(f"{program} {' '.join(words)} --help: status {run.returncode}: {run.stderr}")
    return run.stdout


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.split("\n"))


def parse_help(text):
    """(the lines of usage, {option: its text}, options that change nothing, positional arguments)."""
    usage, options, positional, ignored, section = [], {}, {}, [], ""
    for line in text.split("\n"):
        if line.startswith("usage: ") or (section == "usage" and line.startswith(" " * 7)):
            section = "usage"
            usage.append(line.replace("usage: ", "").strip())
            continue
        if line and not line.startswith(" "):
            section = "positional" if line.startswith("positional") else "text"
        option = re.match(r" {2,4}(-.+?)(?:  +(\S.*))?$", line)
        place = re.match(r" {2,4}(\w\S*)  +(\S.*)$", line)
        if option and option[1].endswith(NO_CHANGE):
            ignored.append(option[1][:-len(NO_CHANGE)])
        elif option:
            name = option[1]
            options[name] = option[2] or ""
        elif place and (section == "positional" or (place[1].isupper() and not options)):
            positional[place[1]] = place[2]
        elif line.startswith("      ") and (options or positional):
            entries = options or positional
            last = next(reversed(entries))
            entries[last] = (entries[last] + " " + line.strip()).strip()
    return usage, options, ignored, positional


def option_names(words):
    return set(re.findall(r"(?<![\w\\-])--?[A-Za-z0-9][\w-]*", " ".join(words)))


def options_of(program, words):
    _, options, ignored, _ = parse_help(help_of(program, words))
    return option_names([*options, *ignored])


def page_options(usage, options, ignored, positional):
    lines = []
    for name, text in [*positional.items(), *options.items()]:
        lines += [".TP", ".B " + escape(name), escape(text) or "\\&"]
    if ignored:
        lines += [".PP", "Accepted, because NVIDIA's has them, and without effect:", ".PP",
                  escape(", ".join(sorted(ignored, key=str.lower))) + "."]
    return lines


def text_of(paragraph):
    """A paragraph in which what stands in backquotes is bold."""
    parts = re.split(r"`([^`]+)`", paragraph)
    return "".join("\\fB%s\\fR" % escape(part) if i % 2 else escape(part) for i, part in enumerate(parts))


def make_page(name, tools):
    program, summary, paragraphs, commands = PAGES[name]
    parsed = [] if name == "cupipe-roofs" else [
        (words, parse_help(help_of(tools / program, words))) for words in commands or [[]]]
    lines = ['.\\" SPDX-License-Identifier: MIT', '.\\" made by scripts/manuals.py, do not edit',
             '.TH %s 1 "" "cupipe" "User Commands"' % name.upper().replace("-", "\\-"),
             ".SH NAME", escape(name) + " \\- " + escape(summary), ".SH SYNOPSIS"]
    usages = [" ".join(usage) for _, (usage, *_) in parsed] or [name]
    for i, usage in enumerate(usages):
        command, _, rest = usage.partition(" ")
        if name == "cupipe-" + (rest.split() or [""])[0] and command == "cupipe":
            command, rest = "cupipe " + rest.split()[0], rest.partition(" ")[2]
        lines += ([".br"] if i else []) + [".B " + escape(command)] + ([escape(rest)] if rest else [])
    lines += [".SH DESCRIPTION"]
    for i, paragraph in enumerate(paragraphs):
        lines += ([".PP"] if i else []) + [text_of(paragraph)]
    if parsed:
        lines += [".SH OPTIONS"]
    for words, parts in parsed:
        lines += ([".SS " + escape(" ".join(words))] if words else []) + page_options(*parts)
    if name in EXIT:
        lines += [".SH EXIT STATUS", escape(EXIT[name])]
    return "\n".join(lines + [".SH SEE ALSO", ".BR cupipe (1)", ""])


def check(tools):
    failed = 0
    for name, (program, _, _, commands) in PAGES.items():
        text = (FOLDER / (name + ".1")).read_text().replace("\\-", "-")
        if name == "cupipe-roofs":
            continue
        for words in commands or [[]]:
            asked = options_of(tools / program, words)
            section = text.split(".SS " + " ".join(words) + "\n")[1].split(".SS ")[0] if words else text
            section = re.split(r"^\.SH OPTIONS\n", section, flags=re.M)[-1].split(".SH ")[0]
            listed = [line[3:] for line in section.split("\n") if line.startswith(".B ")]
            listed += section.split("without effect:\n.PP\n")[1:]
            missing, stale = asked - option_names(listed), option_names(listed) - asked
            if not asked or missing or stale:
                print(f"{name}.1 {' '.join(words)}: missing {sorted(missing)}, not there {sorted(stale)}; run scripts/manuals.py BUILD")
                failed += 1
    return failed


def main():
    arguments = [word for word in sys.argv[1:] if word != "--check"]
    if len(arguments) != 1:
        raise SystemExit(__doc__)
    tools = Path(arguments[0]).resolve() / "lib" / "bin"
    if "--check" in sys.argv:
        failed = check(tools)
        print("%d passed, %d failed" % (len(PAGES) - failed, failed))
        return 1 if failed else 0
    FOLDER.mkdir(exist_ok=True)
    for name in PAGES:
        (FOLDER / (name + ".1")).write_text(make_page(name, tools))
    return 0


if __name__ == "__main__":
    sys.exit(main())
