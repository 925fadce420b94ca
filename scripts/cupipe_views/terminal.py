# SPDX-License-Identifier: MIT
"""Bars and columns in a terminal: as wide as it is, in colour only if somebody looks, in ASCII if it has nothing else."""
import os
import shutil
import sys

EIGHTHS = " \u258f\u258e\u258d\u258c\u258b\u258a\u2589\u2588"
HUES = {"strong": "1", "soft": "2", "blue": "34", "green": "32", "yellow": "33", "red": "31"}


WIDE = 140  # columns of what is written to a file, unless COLUMNS says otherwise


def width():
    return max(60, shutil.get_terminal_size((WIDE, 24)).columns)


def has_blocks():
    try:
        EIGHTHS.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def paint(text, hue):
    if not sys.stdout.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb":
        return text
    return f"\x1b[{HUES[hue]}m{text}\x1b[0m"


def bar(part, columns):
    """A bar for a part of one, so many columns long, padded with blanks."""
    part = min(max(part, 0.0), 1.0)
    if not has_blocks():
        return ("#" * round(part * columns)).ljust(columns)
    eighths = round(part * columns * 8)
    if part > 0 and eighths == 0:
        eighths = 1
    whole, rest = divmod(eighths, 8)
    return (EIGHTHS[8] * whole + (EIGHTHS[rest] if rest else "")).ljust(columns)


def shorten(text, columns):
    if len(text) <= columns:
        return text
    return text[:max(columns - 3, 0)] + "..." if columns > 3 else text[:columns]


def print_columns(lines, bars=None):
    """Columns of texts, the first to the left and the others to the right. `bars` is a share for each line but the
    first, drawn behind it in what room is left. The first column gives way where the terminal is too narrow."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    others = sum(widths[1:]) + 2 * (len(widths) - 1)
    widths[0] = min(widths[0], max(width() - others, 16))
    room = min(width() - widths[0] - others - 2, 40)
    for number, line in enumerate(lines):
        text = "  ".join([shorten(line[0], widths[0]).ljust(widths[0])] + [part.rjust(size) for part, size in
                                                                          zip(line[1:], widths[1:])])
        if bars and number > 0 and room >= 4:
            text += "  " + paint(bar(bars[number - 1], room), "blue")
        print(paint(text.rstrip(), "strong") if number == 0 else text.rstrip())
