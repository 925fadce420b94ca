#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes what documents and the command say of variables, from src/core/variables.def: the table in
docs/ENVIRONMENT.md, options and variables in the manual page, the completion of bash and the inputs of
action.yml. In each file the lines between two markers are replaced; the rest is left alone.

usage: variables.py [--check]     --check: say what is stale or missing, and write nothing

It is also an error if a variable has no section in docs/ENVIRONMENT.md, and if the sources name a
CUPIPE_ variable that the table does not have.
"""
import os
import re
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = "src/core/variables.def"
ENVIRONMENT, MANUAL = "docs/ENVIRONMENT.md", "tools/command/cupipe.1"
COMPLETION, ACTION = "tools/command/cupipe.bash", "action.yml"
READERS = ("src", "runtime", "tools", "nvml", "layers", "codec", "packaging")  # folders that read variables
HELP_BYTES = 56


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


# The table

class Call:
    """A call of a macro: its name and arguments, which are calls, texts, names or None for NULL."""

    def __init__(self, name, arguments):
        self.name, self.arguments = name, arguments


def parse_value(tokens):
    if tokens[0].startswith('"'):
        text = ""
        while tokens and tokens[0].startswith('"'):
            text += tokens.pop(0)[1:-1].replace('\\"', '"')
        return text
    name = tokens.pop(0)
    if not tokens or tokens[0] != "(":
        return None if name == "NULL" else name
    arguments = []
    while tokens.pop(0) != ")":  # "(" or ","
        arguments.append(parse_value(tokens))
        if tokens[0] == ")":
            tokens.pop(0)
            break
    return Call(name, arguments)


def calls(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    tokens = re.findall(r'"(?:[^"\\]|\\.)*"|\w+|[(),]', text)
    while tokens:
        yield parse_value(tokens)


def driver_versions():
    numbers = re.findall(r"^CUP_DRIVER_VERSION\((\d+)", read("src/core/driver_versions.def"), re.M)
    return ["%d.%d" % (int(number) // 1000, int(number) % 1000 // 10) for number in numbers]


def constant(text):
    """A number of the table, which may be a #define of core/config.h."""
    if text.isdigit():
        return text
    return re.search(r"#define %s (\d+)" % text, read("src/core/config.h")).group(1)


class Variable:
    """One line of the table. `option` is None, or a Call whose arguments are option, argument, completions."""

    def __init__(self, call):
        versions = driver_versions()
        self.reader = None  # libcuda
        self.words, self.option = [], None
        if call.name == "CUP_OTHER_VARIABLE":
            self.name, self.reader, self.values, self.default, self.help = call.arguments
        else:
            self.name, kind, self.values, self.default, option, self.help = call.arguments
            self.option = option if isinstance(option, Call) else None
            if kind.name == "WORDS":
                self.words = kind.arguments[1:]
                self.values = ", ".join("`%s`" % word for word in self.words)
                self.default = "`%s`" % self.words[0]
            elif kind.name == "NUMBER":
                self.values = "%s to %s" % tuple(constant(text) for text in kind.arguments[1:3])
        for key in "values", "default":
            text = getattr(self, key).replace("{oldest}", versions[0]).replace("{newest}", versions[-1])
            setattr(self, key, text)

    def is_file(self):
        return self.option.name == "FILE_OPTION"

    def flag(self):
        return self.option.arguments[0]

    def argument(self):
        return "FILE" if self.is_file() else self.option.arguments[1]


def variables():
    return [Variable(call) for call in calls(read(TABLE))]


def options(table):
    return [variable for variable in table if variable.option]


# The parts of the files

def anchors():
    """{variable: anchor of its section}"""
    found = {}
    for title in re.findall(r"^## (C.*)$", read(ENVIRONMENT), re.M):
        anchor = re.sub(r"[^\w -]", "", title).lower().replace(" ", "-")
        found.update({name: anchor for name in title.split(", ")})
    return found


def environment_table(table):
    places = anchors()
    lines = ["| variable | values | default | option of `cupipe run`, or who else reads it |", "|---|---|---|---|"]
    for each in table:
        lines.append("| [`%s`](#%s) | %s | %s | %s |" % (
            each.name, places.get(each.name, ""), each.values, each.default,
            "`%s`" % each.flag() if each.option else each.reader if each.reader else ""))
    return lines


def roff(text):
    return text.replace("-", "\\-")


def manual_options(table):
    lines = []
    for each in options(table):
        lines += [".TP", '.BI %s " %s"' % (roff(each.flag()), each.argument().lower())]
        lines += textwrap.wrap("%s: %s." % (each.name, roff(each.help)), 100)
    return lines


def manual_variables(table):
    lines = []
    for each in table:
        if not each.option:
            lines += [".TP", ".B " + each.name]
            who = "; %s reads it" % each.reader if each.reader else ""
            lines += textwrap.wrap(roff(each.help[0].upper() + each.help[1:] + who + "."), 100)
    return lines


def completion_words(each):
    """The text for bash that completes the option's value, or None."""
    words = each.option.arguments[2] if not each.is_file() else None
    if words == "{gpus}":
        return "$(cupipe info --gpus 2>/dev/null | cut -d' ' -f1)"
    if words == "{versions}":
        return " ".join(driver_versions())
    return words or " ".join(each.words) or None


def completion_settings(table):
    return ['    local settings="%s"' % " ".join(each.flag() for each in options(table))]


def completion_values(table):
    lines, plain = [], []
    files = [each.flag() for each in options(table) if each.is_file()]
    for each in options(table):
        words = completion_words(each)
        if words:
            lines.append('    %s) mapfile -t COMPREPLY < <(compgen -W "%s" -- "$word"); return ;;' % (each.flag(), words))
        elif not each.is_file():
            plain.append(each.flag())
    lines.append('    %s) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;' % " | ".join(files))
    return lines + ["    %s) return ;;" % " | ".join(plain)]


def inputs(table):
    """Variables that the action can set for all steps; one file for all processes is of no use."""
    return [(each.flag().lstrip("-"), each) for each in options(table) if not each.is_file()]


def action_inputs(table):
    lines = []
    for name, each in inputs(table):
        lines += ["  %s:" % name, "    description: '%s'" % each.help.replace("'", "''"), "    default: ''"]
    return lines


def action_environment(table):
    return ["        %s: ${{ inputs.%s }}" % (each.name, name) for name, each in inputs(table)]


# File, name of the part, what begins and ends a comment there, and the function that makes the lines.
PARTS = [
    (ENVIRONMENT, "variables", "<!-- ", " -->", environment_table),
    (MANUAL, "options", '.\\" ', "", manual_options),
    (MANUAL, "variables", '.\\" ', "", manual_variables),
    (COMPLETION, "settings", "    # ", "", completion_settings),
    (COMPLETION, "values", "    # ", "", completion_values),
    (ACTION, "inputs", "  # ", "", action_inputs),
    (ACTION, "variables", "        # ", "", action_environment),
]


def replaced(name, text, part, opening, closing, lines):
    """The text with these lines between the markers of the part."""
    begin = "%s%s: made by scripts/variables.py, do not edit%s\n" % (opening, part, closing)
    end = "%send of %s%s\n" % (opening, part, closing)
    if text.count(begin) != 1 or text.count(end) != 1:
        sys.exit("%s: the lines `%s` and `%s` are wanted once each" % (name, begin.strip(), end.strip()))
    before, rest = text.split(begin)
    return before + begin + "".join(line + "\n" for line in lines) + end + rest.split(end)[1]


def generated(table):
    """{file: its text with all parts made anew}"""
    texts = {}
    for name, part, opening, closing, make in PARTS:
        texts[name] = replaced(name, texts.get(name) or read(name), part, opening, closing, make(table))
    return texts


# What the table alone does not show

def check_table(table):
    names = [each.name for each in table]
    for name in sorted(set(names)):
        if names.count(name) > 1:
            yield "%s: %s stands there twice" % (TABLE, name)
    for each in options(table):
        if each.option.name != "RARE_OPTION" and len(each.help) > HELP_BYTES:
            yield "%s: the help of %s has more than %d bytes" % (TABLE, each.name, HELP_BYTES)


def check_sections(table):
    sections, names = anchors(), [each.name for each in table]
    for name in names:
        if name not in sections:
            yield "%s has no section for %s" % (ENVIRONMENT, name)
    for name in sections:
        if name not in names:
            yield "%s has a section for %s, which is not in %s" % (ENVIRONMENT, name, TABLE)


def check_sources(table):
    """Whole literals that are the name of a variable: getenv("CUPIPE_..."), and names in tables."""
    names = {each.name for each in table}
    for part in READERS:
        for folder, _, files in sorted(os.walk(os.path.join(ROOT, part))):
            for file in sorted(files):
                path = os.path.relpath(os.path.join(folder, file), ROOT)
                if not file.endswith((".c", ".cpp", ".h", ".py", ".in", ".json")):
                    continue
                for name in re.findall(r'"(CUPIPE_[A-Z0-9_]*[A-Z0-9])"', read(path)):
                    if name not in names:
                        yield "%s names the variable %s, which is not in %s" % (path, name, TABLE)


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    table = variables()
    errors = list(check_table(table)) + list(check_sections(table)) + list(check_sources(table))
    for name, text in generated(table).items():
        if text == read(name):
            continue
        if sys.argv[1:]:
            errors.append("%s is not what scripts/variables.py makes of %s: run it" % (name, TABLE))
        else:
            with open(os.path.join(ROOT, name), "w", encoding="utf-8") as file:
                file.write(text)
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
