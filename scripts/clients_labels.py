# SPDX-License-Identifier: MIT
"""Judges the pictures of labels that CUDALibrarySamples of NPP write.

A card's labels of connected regions change from run to run, as those samples say, so that pictures and counts differ also
between two of NVIDIA's: here they must be the regions themselves, found in the source. Labels of watersheds have other
numbers than NVIDIA's, which joins some basins: a label must be the place of a lowest pixel, and each basin lie within one of
NVIDIA's.
"""
import array
import itertools
import re

REGIONS = re.compile(r"^(\w+?)_(Compressed)?(?:MarkerLabels|LabelMarkers)UF(?:Batch)?_8Way_(\d+)x(\d+)_32u\.raw$")
BASINS = re.compile(r"^Labels_(\w+?)_(\d+)x(\d+)_8u_Gray\.raw$")
COUNTS = re.compile(r"[Ll]abel(?: count is|s:) (\d+)")


def read_words(path):
    words = array.array("I")
    words.frombytes(path.read_bytes())
    return words


def find_runs(pixels, width):
    """Lists of (first column, end, value) of equal pixels, row by row."""
    for start in range(0, len(pixels), width):
        runs, column = [], 0
        for value, group in itertools.groupby(pixels[start:start + width]):
            end = column + sum(1 for _ in group)
            runs.append((column, end, value))
            column = end
        yield runs


def label_regions(pixels, width):
    """(labels, count) of regions of equal pixels that touch, by corners, too: the place of their first pixel."""
    parents, places, rows = [], [], []

    def root(run):
        while parents[run] != run:
            run = parents[run]
        return run

    for y, runs in enumerate(find_runs(pixels, width)):
        above, row = rows[-1] if rows else [], []
        for first, end, value in runs:
            run = len(parents)
            parents.append(run)
            places.append(y * width + first)
            for other, other_first, other_end, other_value in above:
                if other_value == value and other_first <= end and first <= other_end:
                    a, b = root(run), root(other)
                    parents[max(a, b)] = min(a, b)
            row.append((run, first, end, value))
        rows.append(row)
    labels = array.array("I")
    for row in rows:
        for run, first, end, _ in row:
            labels.extend([places[root(run)]] * (end - first))
    return labels, sum(parent == run for run, parent in enumerate(parents))


def source_of(folder, name, width, height):
    """The picture of a name, in whatever case the sample's folder has it."""
    wanted = f"{name}_{width}x{height}_8u".lower()
    return next((path for path in folder.glob("*.raw") if path.stem.lower() == wanted), None)


def judge_regions(images, place, match, known):
    name, compressed, width, height = match.groups()
    source = source_of(images, name, width, height)
    if source is None:
        return ""
    if source not in known:
        known[source] = label_regions(source.read_bytes(), int(width))
    labels = known[source][0]
    if compressed:
        ranks = {label: rank for rank, label in enumerate(sorted(set(labels)))}
        labels = array.array("I", map(ranks.__getitem__, labels))
    return "" if read_words(place / match[0]) == labels else f"{match[0]} does not have the regions of {source.name}"


def is_lowest(pixels, width, at):
    x, y = at % width, at // width
    return all(pixels[at] <= pixels[j * width + i] for i in range(max(x - 1, 0), min(x + 2, width))
               for j in range(max(y - 1, 0), min(y + 2, len(pixels) // width)))


def judge_basins(images, place, match):
    name, width, height = match.groups()
    source = (images / f"{name}_{width}x{height}_8u_Gray.raw").read_bytes()
    theirs = images / f"{name}_CompressedSegmentLabels_8Way_{width}x{height}_32u.raw"
    labels = read_words(place / match[0])
    if len(labels) != len(source) or not all(label < len(source) and is_lowest(source, int(width), label) for label in set(labels)):
        return f"{match[0]} has labels that are not the places of lowest pixels"
    if theirs.is_file() and len(set(zip(labels, read_words(theirs)))) != len(set(labels)):
        return f"{match[0]} has basins that cross those of {theirs.name}"
    return ""


def judge_labels(images, place, output):
    """What is wrong with the pictures of labels in the folder `place`, written for the sources in the folder `images`, and with
    the counts that were printed; empty when nothing is."""
    known, basins = {}, ""
    for path in sorted(place.glob("*.raw")):
        regions, basin = REGIONS.match(path.name), BASINS.match(path.name)
        wrong = judge_regions(images, place, regions, known) if regions else judge_basins(images, place, basin) if basin else ""
        basins = basins or wrong
    counts = {count for _, count in known.values()}
    strange = [number for number in COUNTS.findall(output) if int(number) not in counts]
    return basins or (f"{strange[0]} labels are as many as no picture has" if strange else "")


def are_labels(name):
    return bool(REGIONS.match(name) or BASINS.match(name))
