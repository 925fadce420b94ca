# SPDX-License-Identifier: MIT
"""The command, for `python -m cupipe` and for the script that pip makes: the program takes its place."""
import os
import sys

from cupipe import command


WRONG_USE = 125  # the exit status of cupipe that is never a program's


def main():
    try:
        os.execv(command(), ["cupipe", *sys.argv[1:]])
    except OSError as error:
        print(f"cupipe: {command()} cannot be started: {error.strerror}. The installation is not complete, or is for another "
              "kind of machine: install cupipe again", file=sys.stderr)
        sys.exit(WRONG_USE)


if __name__ == "__main__":
    main()
