# SPDX-License-Identifier: MIT
"""Hold an implementation of CUDA against the recorded answers of an H200."""
import argparse
import datetime
import gzip
import json
import os
import sys
import time

from . import programs
from .answers import read_patterns
from .asking import ASK, Answers, Setting, describe, judge_all, not_comparable_of, read_wanted, recordings_of
from .build import CannotBuild, build
from .recorder import end_with_signals
from .report import SuiteReport, print_reports
from .suites import DRIVER, FILES, HERE, ROOT, SUITES, find_files, has_subject

EPILOG = """LIBRARY is a libcuda.so.1, or a folder that has it, a libcudart.so or CUDA's libraries. Without it the one
that $CONFORMANCE_LIBRARY names is asked. GROUP is a pattern of the shell for groups ("copy*") or lines
("alloc/size-*"). Exit status: 0, all lines agree; 1, some do not; 2, nothing could be asked."""


def version():
    """The kit's: from the file that packages carry, or the source tree's."""
    for path in (os.path.join(HERE, "VERSION"), os.path.join(ROOT, "VERSION")):
        if os.path.exists(path):
            with open(path) as file:
                return file.read().strip()
    with open(os.path.join(ROOT, "CMakeLists.txt")) as file:
        return file.read().split("project(cupipe VERSION ")[1].split()[0]


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "cupipe-conformance")


def seeds_of(text):
    if text == "all":
        return (1, 10 ** 9)
    first, _, last = text.partition("-")
    return (int(first), int(last or first))


def parse_arguments(arguments):
    commands = ("run", "record", "compare", "list", "build")
    if arguments and arguments[0] not in commands + ("-h", "--help", "--version"):
        arguments = ["run"] + arguments
    parser = argparse.ArgumentParser(prog="cupipe-conformance", description=__doc__.splitlines()[0], epilog=EPILOG)
    parser.add_argument("--version", action="version", version="cupipe-conformance " + version())
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--suite", action="append", metavar="NAME", choices=list(SUITES),
                        help="a suite to ask; may be given again; all when none is named")
    common.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="how many processes at once")
    common.add_argument("--cache", default=cache_folder(), metavar="FOLDER", help="where recorders are built and kept")
    common.add_argument("--seeds", type=seeds_of, default=(1, 100), metavar="FIRST-LAST",
                        help="of the random programs, these; or: all (default: 1-100)")
    asking = argparse.ArgumentParser(add_help=False, parents=[common])
    asking.add_argument("--limit", type=int, default=600, metavar="SECONDS", help="time for one run of a recorder")
    asking.add_argument("--case-limit", type=int, default=20, metavar="SECONDS",
                        help="time after which a question counts as hung")
    asking.add_argument("--suite-limit", type=int, default=1800, metavar="SECONDS",
                        help="time after which no further group of a suite is begun")
    judging = argparse.ArgumentParser(add_help=False)
    judging.add_argument("--json", metavar="FILE", help="write the verdicts there; - for standard output")
    judging.add_argument("--show", type=int, default=3, metavar="N", help="lines to name for each group (0: all)")
    judging.add_argument("--summary", action="store_true", help="print a line for each suite alone")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = commands.add_parser("run", parents=[asking, judging], help="ask a library and compare", epilog=EPILOG)
    run.add_argument("library", nargs="?", default=os.environ.get("CONFORMANCE_LIBRARY"), metavar="LIBRARY")
    run.add_argument("group", nargs="*", metavar="GROUP")
    run.add_argument("--recorded", default="", metavar="FOLDER", help="compare with a recording of one's own")
    record = commands.add_parser("record", parents=[asking], help="record the answers of a library")
    record.add_argument("library", metavar="LIBRARY")
    record.add_argument("folder", metavar="FOLDER")
    record.add_argument("--once", action="store_true", help="do not ask a second time for lines that change")
    compare = commands.add_parser("compare", parents=[common, judging], help="compare two recordings")
    compare.add_argument("recorded", metavar="FOLDER")
    compare.add_argument("other", metavar="FOLDER")
    commands.add_parser("list", parents=[common], help="name suites, their groups and how many lines they have")
    commands.add_parser("build", parents=[common], help="build the recorders")
    args, rest = parser.parse_known_args(arguments)
    if args.command == "run":  # groups may stand behind options
        args.group += [word for word in rest if not word.startswith("-")]
        rest = [word for word in rest if word.startswith("-")]
    if rest:
        parser.error("unknown arguments: " + " ".join(rest))
    return args


def fail(text):
    print("cupipe-conformance: " + text, file=sys.stderr)
    sys.exit(2)


def chosen(args):
    return [SUITES[name] for name in args.suite or SUITES]


def find_library(path):
    """{subject: files}"""
    if not path:
        fail("which library? Name a libcuda.so.1 or a folder with libraries")
    if not os.path.exists(path):
        fail("there is no library %s" % path)
    files = {subject: find_files(subject, path) for subject in FILES}
    if not any(has_subject(subject, files[subject]) for subject in files):
        fail("%s has no libcuda.so.1, libcudart.so or CUDA library" % path)
    return files


def setting_of(args, **more):
    return Setting(find_library(args.library), args.limit, args.case_limit, args.suite_limit, args.jobs,
                   seeds=args.seeds, **more)


def ask_suite(suite, setting, args):
    """A suite's answers. Raises CannotBuild when there is nothing to ask, or to ask it with."""
    if not has_subject(suite.subject, setting.files[suite.subject]):
        raise CannotBuild("the library is not there: " + FILES[suite.subject][-1][0])
    return ASK[suite.kind](suite, build(suite, args.cache, args.jobs), setting)


def report_suite(suite, setting, args):
    start = time.monotonic()
    wanted = read_wanted(suite, setting)
    if not wanted:
        return None if setting.patterns else SuiteReport(suite, "nothing is recorded")
    try:
        answers = ask_suite(suite, setting, args)
    except CannotBuild as reason:
        return SuiteReport(suite, str(reason))
    if sys.stderr.isatty():
        print("%s: %d of %d lines answered" % (suite.name, len(answers.lines), len(wanted)), file=sys.stderr)
    return SuiteReport(suite, "", wanted, answers, judge_all(suite, wanted, answers.lines), time.monotonic() - start)


def finish(reports, args, about):
    """Prints, writes JSON, and gives the exit status."""
    reports = [report for report in reports if report]
    if args.json != "-":
        for key, value in about.items():
            print("%s: %s" % (key, value))
        print_reports(reports, args.show, args.summary)
    if args.json:
        document = {**about, "kit": version(), "suites": [report.as_json(args.show) for report in reports]}
        with (sys.stdout if args.json == "-" else open(args.json, "w")) as file:
            json.dump(document, file, indent=1)
            file.write("\n")
    asked = [report for report in reports if not report.skipped]
    if not asked:
        return 2
    return 1 if any(report.disagreeing() or report.broken() for report in asked) else 0


def about_library(setting, args):
    about = {"library": ", ".join(dict.fromkeys(path for files in setting.files.values() for path in files))}
    if setting.files[DRIVER]:
        try:
            recorder, = build(SUITES["driver"], args.cache, args.jobs)
        except CannotBuild as reason:
            fail(str(reason))
        said = describe(recorder, setting, SUITES["driver"])
        about["driver"] = "%d.%d, %d of the functions asked about missing" % (
            said["driver"] // 1000, said["driver"] % 1000 // 10, said["missing"])
        about["device"] = said["device"] or "none"
        if said["end"]:
            about["end"] = said["end"]
    return about


def run_command(args):
    setting = setting_of(args, patterns=tuple(args.group), recorded=args.recorded)
    about = about_library(setting, args)
    return finish([report_suite(suite, setting, args) for suite in chosen(args)], args, about)


def write_recording(suite, answers, folder):
    if suite.kind == "programs":
        return programs.write_recording(answers.text, os.path.join(folder, suite.name + ".xz"))
    with gzip.GzipFile(os.path.join(folder, suite.name + ".gz"), "wb", mtime=0) as file:
        for key, answer in answers.lines.items():
            file.write(("%s: %s\n" % (key, answer)).encode())
    return len(answers.lines)


def record_command(args):
    """Records each suite twice; what differs says nothing about the library and is named as not comparable."""
    setting = setting_of(args, recorded=os.path.abspath(args.folder) + "/none")
    os.makedirs(args.folder, exist_ok=True)
    about = about_library(setting, args)
    failed = 0
    for suite in chosen(args):
        try:
            answers = ask_suite(suite, setting, args)
            again = None if args.once else ask_suite(suite, setting, args)
        except CannotBuild as reason:
            print("%-10s not recorded: %s" % (suite.name, reason))
            continue
        count = write_recording(suite, answers, args.folder)
        changing = sorted(key for key, answer in answers.lines.items() if again and again.lines.get(key) != answer)
        carried = [] if not suite.not_comparable else [p for p, _ in read_patterns(os.path.join(ROOT, suite.not_comparable))]
        with open(os.path.join(args.folder, suite.name + ".not-comparable.txt"), "w") as file:
            file.write("# What belongs to one card or machine, and what differed when it was asked twice.\n")
            file.writelines(line + "\n" for line in carried + changing)
        print("%-10s %d %s, %d lines changed" % (suite.name, count, "programs" if suite.kind == "programs" else "lines",
                                                len(changing)))
        failed += not count
    about["date"] = datetime.date.today().isoformat()
    with open(os.path.join(args.folder, "about.json"), "w") as file:
        json.dump({**about, "kit": version()}, file, indent=1)
    return 2 if failed else 0


def compare_command(args):
    reports = []
    for suite in chosen(args):
        setting, other = (Setting({}, seeds=args.seeds, recorded=folder) for folder in (args.recorded, args.other))
        if not recordings_of(suite, setting) or not recordings_of(suite, other):
            continue
        wanted, got = read_wanted(suite, setting), read_wanted(suite, other)
        left_out = set(not_comparable_of(suite, other))
        wanted = {key: answer for key, answer in wanted.items() if key not in left_out}
        reports.append(SuiteReport(suite, "", wanted, Answers(got), judge_all(suite, wanted, got)))
    return finish(reports, args, {"recorded": args.recorded, "compared": args.other})


def list_command(args):
    for suite in chosen(args):
        wanted = read_wanted(suite, Setting({}, seeds=args.seeds))
        print("%-10s %7d lines  %s" % (suite.name, len(wanted), suite.asks))
    return 0


def build_command(args):
    failed = 0
    for suite in chosen(args):
        try:
            print("\n".join(build(suite, args.cache, args.jobs)))
        except CannotBuild as reason:
            print("%s: %s" % (suite.name, reason))
            failed += 1
    return 2 if failed == len(chosen(args)) else 0


COMMANDS = {"run": run_command, "record": record_command, "compare": compare_command, "list": list_command,
            "build": build_command}


def main(arguments=None):
    args = parse_arguments(sys.argv[1:] if arguments is None else arguments)
    end_with_signals()
    sys.stdout.reconfigure(line_buffering=True)
    return COMMANDS[args.command](args)


if __name__ == "__main__":
    sys.exit(main())
