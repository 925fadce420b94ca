#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a table calls done can succeed, and what it calls `refuses` cannot: the tables of the driver's, the
runtime's and NVML's functions are compared with the bodies in the sources.

    check_refusals.py SOURCE_ROOT
"""
import pathlib
import sys

import refusals

# These answer CUDA_SUCCESS where there is nothing to do, and fail in every other case.
NOTHING_TO_DO = {
    "cuMemFree": "of 0 without a context; otherwise there is no memory with a 32-bit address",
    "cuMemGetAddressRange": "when neither of its answers is asked for",
}


def check_table(table, functions, prefix, identifier):
    """Yields what is wrong; of bodies that macros make nothing is known."""
    for entry in table.entries:
        if entry.state not in ("done", "refuses") or getattr(entry, "is_object", False):
            continue
        name = prefix + identifier(entry)
        if name not in functions.bodies:
            continue
        works = functions.can_succeed(name) and entry.symbol not in NOTHING_TO_DO
        if works != (entry.state == "done"):
            yield "%s: state `%s`, and %s %s" % (entry.symbol, entry.state, name,
                                                 "can succeed" if works else "always fails")


def check_analysis():
    """The analysis tells the functions of refusals_sample.c apart."""
    functions = refusals.Functions([], ["elsewhere_refuses"])
    functions.read(pathlib.Path(__file__).parent / "refusals_sample.c")
    for name in sorted(functions.bodies):
        wanted = name.startswith(("works_", "find"))
        if functions.can_succeed(name) != wanted:
            yield "refusals.py: %s is taken for a function that %s" % (name, "always fails" if wanted else "can succeed")


def main():
    root = pathlib.Path(sys.argv[1])
    sys.path.insert(0, str(root / "scripts"))
    import entrypoints
    import nvml
    import runtime

    driver = entrypoints.Table(root / "src/api/entrypoints.def")
    refusing = ["rt_driver." + e.symbol for e in driver.entries if not e.is_object and driver.refuses(e)]
    bodies = refusals.Functions([root / "src"])
    problems = list(check_analysis())
    problems += check_table(driver, bodies, "impl_", lambda e: e.symbol)
    problems += check_table(runtime.Table(root), refusals.Functions([root / "runtime/src"], refusing), "impl_",
                            lambda e: e.identifier)
    problems += check_table(nvml.Table(root), refusals.Functions([root / "nvml/src"]), "nvml_impl_", lambda e: e.symbol)
    for problem in problems:
        print(problem)
    found = sum(e.state in ("done", "refuses") and "impl_" + e.symbol in bodies.bodies for e in driver.entries)
    print("%d bodies of the driver read, %d problems" % (found, len(problems)))
    return 1 if problems or found < 400 else 0


if __name__ == "__main__":
    sys.exit(main())
