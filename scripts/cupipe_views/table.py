# SPDX-License-Identifier: MIT
"""The table of kernels, and of work of the host."""
from . import svg, terminal
from .counts import per, size, sum_up

HEADS = ("kernel", "launches", "ms", "instructions", "lanes on", "loaded", "stored", "sectors", "passes")
HOST_HEADS = ("host work", "calls", "ms", "read", "written")
NOTE = ("ms: with counting, several times as long as without, unless --times tells. instructions: of warps. sectors of 32\n"
        "bytes, passes over the banks of shared memory: of an access; 4 for 32 neighbouring words, 1 without bank conflicts.")


def line_of(kernel):
    sums = sum_up(kernel)
    return (kernel["plain_name"], size(sums["launches"]), f"{kernel['duration_ns'] / 1e6:.2f}",
            size(sums["instructions"]), f"{100 * sums['lanes_on']:.0f}%", size(sums["bytes_loaded"]),
            size(sums["bytes_stored"]), f"{per(sums['sectors'], sums['global_accesses']):.1f}",
            f"{per(sums['shared_passes'], sums['shared_accesses']):.1f}")


def host_line_of(name, row):
    return (name, size(row["calls"]), f"{row['duration_ns'] / 1e6:.2f}", size(row["bytes_read"]), size(row["bytes_written"]))


def shares(values):
    """Each as a part of the sum."""
    whole = sum(values)
    return [per(value, whole) for value in values]


def print_table(kernels, host_work):
    if kernels or not host_work:
        bars = shares([sum_up(kernel)["instructions"] for kernel in kernels])
        terminal.print_columns([HEADS] + [line_of(kernel) for kernel in kernels], bars)
        print("\n" + terminal.paint(NOTE, "soft"))
    if host_work:
        print("" if not kernels else "\n", end="")
        terminal.print_columns([HOST_HEADS] + [host_line_of(*item) for item in host_work],
                               shares([row["duration_ns"] for _name, row in host_work]))


def draw_rows(picture, top, heads, rows, widths):
    """A table with a bar behind the first column; each row is its texts, its share and its title."""
    left, height = 20, 26
    places = [left]
    for width in widths:
        places.append(places[-1] + width)
    for index, head in enumerate(heads):
        picture.text(places[index] if index == 0 else places[index + 1], top, head, "soft" if index == 0 else "soft end")
    picture.line(left, top + 8, places[-1], top + 8)
    for number, (texts, share, title) in enumerate(rows):
        y = top + 14 + number * height
        picture.rect(left, y, (widths[0] - 10) * share, height - 6, title=title, rx=3, fill=svg.colour(number), fill_opacity=0.45)
        picture.text(left + 6, y + 15, svg.fit(texts[0], widths[0] - 20), title=title)
        for index, text in enumerate(texts[1:], 1):
            picture.text(places[index + 1], y + 15, text, "number")
    return top + 14 + len(rows) * height + 24


def draw(kernels, host_work, path):
    picture = svg.Picture(1000, "kernels of a profile")
    picture.head("Kernels", "bars: the share of all instructions of warps, or of the time of host work")
    bars = shares([sum_up(kernel)["instructions"] for kernel in kernels])
    rows = [(line_of(kernel), bar, f"{kernel['plain_name']}\n{100 * bar:.1f}% of all instructions\n{kernel['blocks']} blocks, "
             f"{kernel['threads']} threads") for kernel, bar in zip(kernels, bars)]
    bottom = draw_rows(picture, 80, HEADS, rows, (360, 70, 80, 95, 75, 75, 75, 65, 65)) if rows else 70
    if host_work:
        bars = shares([row["duration_ns"] for _name, row in host_work])
        rows = [(host_line_of(name, row), bar, f"{name}\n{100 * bar:.1f}% of the time") for (name, row), bar in zip(host_work, bars)]
        bottom = draw_rows(picture, bottom + 20, HOST_HEADS, rows, (360, 70, 80, 95, 95))
    picture.write(path, bottom)
