# SPDX-License-Identifier: MIT
"""A plugin of pytest: writes a line for each test into the file that RECORD_TESTS_FILE names, and leaves out the tests that
the file has. A line is JSON: {"test", "result", "seconds", "reason"}; results: passed, failed, skipped. With pytest-xdist
the process that distributes tests writes, so that a test whose process dies is in the file, too. RECORD_TESTS_EVERY=N: only
every N-th test of those that are selected.
"""
import json
import os

import pytest

PATH = os.environ.get("RECORD_TESTS_FILE", "")
SAMPLE = int(os.environ.get("RECORD_TESTS_EVERY", "1"))
_begun = {}


def known():
    """The tests that the file had when this process began."""
    if not os.path.exists(PATH):
        return set()
    with open(PATH, encoding="utf-8") as file:
        return {json.loads(line)["test"] for line in file if line.endswith("}\n")}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    done = known()
    left = [item for item in items[::SAMPLE] if item.nodeid not in done]
    config.hook.pytest_deselected(items=[item for item in items if item not in left])
    items[:] = left


def reason_of(report):
    """The last line that says what was wrong."""
    if report.skipped and isinstance(report.longrepr, tuple):
        return report.longrepr[2]
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr or "")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " / ".join(lines[:3])


def write(report, result):
    with open(PATH, "a", encoding="utf-8") as file:
        line = {"test": report.nodeid, "result": result, "seconds": round(report.duration, 1)}
        if result != "passed":
            line["reason"] = reason_of(report)[:300]
        file.write(json.dumps(line) + "\n")


def pytest_runtest_logreport(report):
    """A test has up to three reports: of its preparation, of itself and of what comes after it. The first that is not
    passed decides."""
    if not PATH or "PYTEST_XDIST_WORKER" in os.environ or report.nodeid in _begun:
        return
    expected = hasattr(report, "wasxfail")
    if report.failed or report.skipped:
        _begun[report.nodeid] = True
        write(report, "skipped" if report.skipped or expected else "failed")
    elif report.when == "call":
        _begun[report.nodeid] = True
        write(report, "passed")
