# SPDX-License-Identifier: MIT
"""What the parts of scripts/clients share: tables in a document, between marks that name the script that makes them."""
SKIP = 77


def write_table(path, script, lines):
    begin, end = f"<!-- made by {script} -->", f"<!-- end of what {script} makes -->"
    head, rest = path.read_text().split(begin, 1)
    tail = rest.split(end, 1)[1]
    path.write_text(head + begin + "\n" + "\n".join(lines) + "\n" + end + tail)
