# SPDX-License-Identifier: MIT
"""What the parts of scripts/clients share: tables in a document or a folder of documents, between marks that name the script that makes them."""
SKIP = 77


def client_of(row):
    return row.split("|")[1].strip()


def page_of(path, script):
    """The document itself or, of a folder of documents, the one that has the script's marks."""
    if not path.is_dir():
        return path
    return next(page for page in sorted(path.glob("*.md")) if f"<!-- made by {script} -->" in page.read_text())


def split(path, script):
    """What stands before the table, its rows by client, and what stands behind it."""
    begin, end = f"<!-- made by {script} -->", f"<!-- end of what {script} makes -->"
    before, rest = page_of(path, script).read_text().split(begin, 1)
    table, after = rest.split(end, 1)
    return before + begin, {client_of(row): row for row in table.splitlines()[3:]}, end + after


def known_cells(path, script, client):
    """The cells of a client's row as they stand in the table, without its name; empty if it has none."""
    row = split(path, script)[1].get(client, "")
    return [cell.strip() for cell in row.split("|")[2:-1]]


def write_table(path, script, head, rows, order):
    """Writes the table. Clients that were not run now keep their rows; order names all, as they stand in the table."""
    before, known, after = split(path, script)
    known.update({client_of(row): row for row in rows})
    lines = [head, "|" + "---|" * head.count(" |"), *(known[client] for client in order if client in known)]
    page_of(path, script).write_text(before + "\n" + "\n".join(lines) + "\n" + after)
