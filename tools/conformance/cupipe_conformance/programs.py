# SPDX-License-Identifier: MIT
"""Random programs of driver calls: their lines and their recordings.

A recorder prints `SEED/CALL text: answer` for each call of a program, and `SEED/end` behind the last.
A recording is a compressed text: for each seed a line `seed N HASH`, then the answers of its calls in
order. HASH is over the calls without their answers, so that a recording of another version of the
programs is noticed. Programs that the recorded driver did not survive are not in it.
"""
import lzma
import re
import zlib


def parse(text, whole=True):
    """Seeds with their lines: name, call, answer. Unless `whole` is false, what did not end is left out."""
    seeds, ended = {}, set()
    for line in text.splitlines():
        match = re.match(r"(\d+)/(\w+) ?(.*)", line)
        if not match:
            continue
        seed, name, rest = int(match[1]), match[2], match[3]
        if name == "end":
            if not rest or rest == "broken":
                ended.add(seed)
            continue
        call, _, answer = rest.partition(": ")
        seeds.setdefault(seed, []).append((name, call, answer.strip()))
    return {seed: lines for seed, lines in seeds.items() if seed in ended or not whole}


def broken_ends(text):
    """{seed: "crash" or "timeout"} of the programs that did not end."""
    return {int(seed): how for seed, how in re.findall(r"^(\d+)/end (crash|timeout)$", text, re.M)}


def program_hash(lines):
    # Results and sizes stand in some calls' texts as well; the names of the functions do not change.
    words = [re.sub(r" (pitch|[A-Z_]{4,}).*", "", call) for _, call, _ in lines]
    return "%08x" % zlib.crc32("\n".join(words).encode())


def write_recording(text, path):
    """Makes a recording of what a recorder printed. Returns how many programs it has."""
    seeds = parse(text)
    out = []
    for seed in sorted(seeds):
        out.append("seed %d %s" % (seed, program_hash(seeds[seed])))
        out += [answer for _, _, answer in seeds[seed]]
    with lzma.open(path, "wt", preset=9) as file:
        file.write("\n".join(out) + "\n")
    return len(seeds)


def read_recording(path):
    """{seed: (hash, answers)}"""
    seeds, lines = {}, None
    with lzma.open(path, "rt") as file:
        text = file.read()
    for line in text.split("\n"):
        match = re.match(r"seed (\d+) (\w+)$", line)
        if match:
            lines = []
            seeds[int(match[1])] = (match[2], lines)
        elif lines is not None:
            lines.append(line)
    if lines:
        lines.pop()  # what follows the last newline
    return seeds


def read_recordings(paths):
    """All recordings as if they were one; a seed may be in one of them only."""
    seeds = {}
    for path in paths:
        more = read_recording(path)
        both = seeds.keys() & more.keys()
        if both:
            raise SystemExit("%s: seed %d is in another recording as well" % (path, min(both)))
        seeds.update(more)
    return seeds
