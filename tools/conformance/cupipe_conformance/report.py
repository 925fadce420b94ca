# SPDX-License-Identifier: MIT
"""What the command prints: a table of groups, the first lines that differ, and the same as JSON."""
from .answers import (ABSENT, AGREE, CRASHED, DIFFER, SURVIVED, VERDICTS, count_verdicts, driver_broke, is_broken,
                      percentage, show_lines, sum_counts)
from .asking import group_name

COLUMNS = "%-10s %-24s %8s %8s %7s %7s %9s %8s"


def row(suite, group, counts):
    share, judged = percentage(counts)
    shown = "%.2f%%" % share if judged else "-"
    return COLUMNS % (suite, group[:24], judged, shown, counts[DIFFER], counts[ABSENT], counts[SURVIVED], counts[CRASHED])


class SuiteReport:
    """The verdicts on one suite, or why there are none."""

    def __init__(self, suite, skipped="", wanted=None, answers=None, verdicts=None, seconds=0.0):
        self.suite, self.skipped, self.seconds = suite, skipped, seconds
        self.wanted, self.answers, self.verdicts = wanted or {}, answers, verdicts or {}
        self.counts = count_verdicts(self.verdicts, lambda key: group_name(suite, key))
        self.total = sum_counts(self.counts.values())

    def disagreeing(self):
        return [key for key, verdict in self.verdicts.items() if verdict in (DIFFER, ABSENT, CRASHED)]

    def broken(self):
        """Groups that ended early."""
        return [(group, remark) for group, remark in (self.answers.remarks if self.answers else [])
                if is_broken(remark) or remark.startswith(("STOPPED", "NOLIB", "SETUP-FAILED"))]

    def print_groups(self):
        for group in sorted(self.counts):
            print(row(self.suite.name, group, self.counts[group]))

    def print_lines(self, show):
        keys = self.disagreeing()
        if not keys and not self.broken():
            return
        print("\n%s: lines that disagree" % self.suite.name)
        show_lines(keys, self.wanted, self.answers.lines, show)
        ended = self.broken()
        for group, remark in ended[:show or None]:
            print("- %s: %s" % (group, remark[:160]))
        if show and len(ended) > show:
            print("  (+%d more groups that ended early; --show N)" % (len(ended) - show))

    def as_json(self, show):
        if self.skipped:
            return {"name": self.suite.name, "skipped": self.skipped}
        keys = self.disagreeing()
        per_group, listed = {}, []
        for key in keys:
            group = group_name(self.suite, key)
            per_group[group] = per_group.get(group, 0) + 1
            if not show or per_group[group] <= show:
                listed.append({"line": key, "verdict": VERDICTS[self.verdicts[key]],
                               "recorded": None if driver_broke(key, self.wanted[key]) else self.wanted[key],
                               "here": self.answers.lines.get(key)})
        return {"name": self.suite.name, "asks": self.suite.asks, "seconds": round(self.seconds, 1),
                "total": as_dict(self.total),
                "groups": {group: as_dict(counts) for group, counts in sorted(self.counts.items())},
                "ended_early": [{"group": group, "how": remark} for group, remark in self.broken()],
                "agreed_when_asked_alone": self.answers.mended, "lines": listed}


def as_dict(counts):
    share, judged = percentage(counts)
    numbers = {VERDICTS[verdict]: counts[verdict] for verdict in (AGREE, DIFFER, ABSENT, SURVIVED, CRASHED)}
    return {"judged": judged, "percent": round(share, 4), **numbers}


def print_reports(reports, show, summary):
    asked = [report for report in reports if not report.skipped]
    if asked:
        print(COLUMNS % ("suite", "group", "lines", "agree", "differ", "absent", "survived", "crashed"))
    if not summary:
        for report in asked:
            report.print_groups()
        for report in asked:
            report.print_lines(show)
        print()
    for report in asked:
        print(row(report.suite.name, "(all)", report.total))
    for report in reports:
        if report.skipped:
            print("%-10s not asked: %s" % (report.suite.name, report.skipped))
    if len(asked) > 1:
        print(row("all", "", sum_counts([report.total for report in asked])))
