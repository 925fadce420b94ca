# SPDX-License-Identifier: MIT
"""What the scripts share that run a client's own tests by pytest: each file of tests in a pytest of its own, whose
processes may die, and what it printed counted by result. clients_sample.py is a plugin of that pytest."""
import collections
import re
import subprocess
from pathlib import Path

RESULT = re.compile(r"^\[gw\d+\] \[ *\d+%\] (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) (\S.*?) *$", re.M)
KIND = {"PASSED": "passed", "XPASS": "passed", "SKIPPED": "skipped", "XFAIL": "skipped"}
END = re.compile(r"=+ .*(\d+ (passed|failed|skipped|deselected|error)|no tests ran).* in ")


def results_of(output):
    """The last result of each test."""
    return {test: result for result, test in RESULT.findall(output)}


def is_ended(output, log, most=0):
    """Whether all tests that were to run have a result. How many there are stands beside the log."""
    number = log.with_suffix(".count")
    if not number.is_file():
        return bool(END.search(output))
    collected = int(number.read_text())
    return len(results_of(output)) >= (min(most, collected) if most else collected)


def run(path, python, folder, variables, log, options, words=()):
    """What pytest printed for one file of tests below the folder, which the log keeps. With options.keep it goes on
    where earlier runs stopped: tests that passed are not run again. None: the file was not run before, and
    options.count forbids to run it."""
    before = log.read_text() if (options.keep or options.count) and log.is_file() else ""
    if options.count or (before and is_ended(before, log, options.most)):
        return before or None
    log.parent.mkdir(parents=True, exist_ok=True)
    done = log.with_suffix(".done")
    done.write_text("".join(f"{test}\n" for test, result in results_of(before).items() if result in KIND))
    made = {**variables, "PYTHONPATH": f"{Path(__file__).parent}:" + variables.get("PYTHONPATH", ""),
            "CLIENTS_MOST": str(options.most), "CLIENTS_COLLECTED": str(log.with_suffix(".count")),
            "CLIENTS_DONE": str(done)}
    command = ["timeout", options.timeout, python, "-m", "pytest", "-v", "-n", options.jobs, "-p", "clients_sample",
               "-p", "no:cacheprovider", "--timeout", options.each, "--timeout-method", "thread", "--tb=short",
               "--max-worker-restart", "100", "-rfE", *words, path]
    result = subprocess.run([str(word) for word in command], cwd=folder, env=made, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    done.unlink()
    log.write_text(before + result.stdout)
    return before + result.stdout


def count(output, log, reason_of):
    """Counts of one file's results, by their kind and as "collected", and the names of tests that failed for no known
    reason."""
    results = results_of(output)
    counts, unknown = collections.Counter(), []
    for test, result in results.items():
        kind = KIND.get(result, "known" if reason_of(test) else "failed")
        counts[kind] += 1
        if kind == "failed":
            unknown.append(test)
    if not results and not END.search(output):
        unknown.append(f"{log.stem}: not run")
    number = log.with_suffix(".count")
    counts["collected"] = int(number.read_text()) if number.is_file() else len(results)
    counts["tried"] = len(results)
    return counts, unknown


def add_options(parser):
    """The options that run() reads, and those that choose what is run."""
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--files", default="")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--count", action="store_true")
    parser.add_argument("--most", type=int, default=0)
    parser.add_argument("--timeout", type=int, default=1800)
    parser.add_argument("--each", type=int, default=300)
    parser.add_argument("--table", type=Path)
