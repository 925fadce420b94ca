#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds functions that can only fail, by reading their sources.

A function can succeed when one of its `return` statements can: when it returns CUDA_SUCCESS, what a
function that can succeed returned, or something that this file does not understand. An error is what
cup_error() returns, an enumerator of an error, and a variable that was just compared with success.
"""
import pathlib
import re

DEFINITION = re.compile(
    r"^(?:static |inline |const |unsigned )*(?:CUresult|cudaError_t|nvmlReturn_t)\s+(\w+)\s*\([^;{}]*\)\s*\{(.*?)^\}",
    re.M | re.S)
FAILED = re.compile(r"(?:CUDA_ERROR_|NVML_ERROR_(?!TIMEOUT)|cudaError)\w+$")  # after NVML_ERROR_TIMEOUT one may ask again
SUCCESS = r"(?:CUDA_SUCCESS|cudaSuccess|NVML_SUCCESS)"
CALL = re.compile(r"([\w.]+)\s*\((.*)\)$", re.S)
PASSED_ON = ("rt_result",)  # they answer what their argument says


def without_comments(text):
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', text)


def split_top(text, separators):
    """The pieces of an expression between separators that stand outside of parentheses."""
    pieces, depth, start = [], 0, 0
    for index, letter in enumerate(text):
        depth += letter in "([{"
        depth -= letter in ")]}"
        if not depth and letter in separators:
            pieces.append(text[start:index].strip())
            start = index + 1
    return pieces + [text[start:].strip()]


class Functions:
    """The functions of the C files below some folders, and which of them can succeed."""

    def __init__(self, folders, refusing=()):
        """refusing: names of functions elsewhere that always fail."""
        self.bodies = {}
        self.refusing = set(refusing)
        for folder in folders:
            for path in sorted(pathlib.Path(folder).rglob("*.[ch]")):
                self.read(path)
        self.known = {}

    def read(self, path):
        local = dict(DEFINITION.findall(without_comments(path.read_text(errors="replace"))))
        for name, body in local.items():
            self.bodies.setdefault(name, []).append((body, local))

    def can_succeed(self, name, local=None):
        """A name that several files define as static is looked for in the caller's file first."""
        if name in self.refusing:
            return False
        candidates = [(local[name], local)] if local and name in local else self.bodies.get(name)
        if not candidates:
            return True
        key = id(candidates[0][0])
        if key not in self.known:
            self.known[key] = False  # a function that calls itself succeeds by another way
            self.known[key] = any(self.body_can(body, home) for body, home in candidates)
        return self.known[key]

    def body_can(self, body, local):
        returns = list(re.finditer(r"\breturn\b\s*([^;]*);", body))
        return any(self.value_can(match[1].strip(), body[:match.start()], body, local) for match in returns) or not returns

    def value_can(self, value, before, body, local):
        while value.startswith("(") and value.endswith(")") and len(split_top(value[1:-1], ")")) == 1:
            value = value[1:-1].strip()
        choice = split_top(value, "?:")
        if len(choice) >= 3:
            return self.choice_can(choice, before, body, local)
        if FAILED.fullmatch(value):
            return False
        if re.fullmatch(r"[A-Za-z_]\w*", value) and not re.fullmatch(SUCCESS, value):
            return self.variable_can(value, before, body, local)
        call = CALL.fullmatch(value)
        if call and call[1] == "cup_error":
            return not FAILED.fullmatch(split_top(call[2], ",")[0]) and \
                self.value_can(split_top(call[2], ",")[0], before, body, local)
        if call and call[1] in PASSED_ON:
            return self.value_can(call[2].strip(), before, body, local)
        return self.can_succeed(call[1], local) if call else True

    def choice_can(self, choice, before, body, local):
        """condition ? first : others; of a comparison with success the failed branch is known to fail."""
        condition, first, rest = choice[0], choice[1], choice[2:]
        value = " : ".join(rest) if len(rest) == 1 else rest[0] + " ? " + " : ".join(rest[1:])
        equal = re.fullmatch(r"(\w+) == " + SUCCESS, condition)
        unequal = re.fullmatch(r"(\w+) != " + SUCCESS, condition)
        first_can = not (unequal and first == unequal[1]) and self.value_can(first, before, body, local)
        rest_can = not (equal and value == equal[1]) and self.value_can(value, before, body, local)
        return first_can or rest_can

    def variable_can(self, name, before, body, local):
        if re.search(r"if \(%s(?: != %s)?\)\s*(?:\{[^{}]*)?$" % (name, SUCCESS), before):
            return False
        values = re.findall(r"\b%s = ([^;]*);" % name, body)
        return not values or any(self.value_can(value.strip(), "", body, local) for value in values)
