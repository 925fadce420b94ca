# SPDX-License-Identifier: MIT
"""The command, for `python -m cupipe` and for the script that pip makes: the program takes its place."""
import os
import sys

from cupipe import command


def main():
    os.execv(command(), ["cupipe", *sys.argv[1:]])


if __name__ == "__main__":
    main()
