# SPDX-License-Identifier: MIT
"""Answers of libraries: words, of which those that begin with `~` are numbers that two libraries may
round differently. They agree within a few units in the last place of f32, measured by the number and by
the largest of its line; all other words are equal.
"""
import gzip
import math

OF_NUMBER, OF_LINE = 1e-5, 2e-6  # tolerances, relative to the number and to the largest of its line


def read_lines(text):
    """{name of the question: its answer}; the name ends at the first colon."""
    lines = {}
    for line in text.splitlines():
        name, colon, answer = line.partition(":")
        if colon:
            lines[name] = answer.strip()
    return lines


def read_recording(path):
    with gzip.open(path, "rt") as file:
        return read_lines(file.read())


def number(word):
    try:
        return float(word[1:]) if word.startswith("~") else None
    except ValueError:
        return None


def agree(given, wanted):
    if given is None:
        return False
    wanted, given = wanted.split(), given.split()
    if len(wanted) != len(given):
        return False
    largest = max((abs(value) for value in map(number, wanted) if value is not None and math.isfinite(value)),
                  default=0)
    return all(words_agree(a, b, largest) for a, b in zip(wanted, given))


def words_agree(wanted, given, largest):
    x, y = number(wanted), number(given)
    if wanted == given:
        return True
    if x is None or y is None:
        return False
    return (math.isnan(x) and math.isnan(y)) or abs(x - y) <= OF_NUMBER * abs(x) + OF_LINE * largest
