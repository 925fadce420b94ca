#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Packs the tables of Sobol's sequences into directions.bin.

    pack_directions.py directions64 scrambled64 constants64 directions.bin

The first three files hold what curandGetDirectionVectors64 and curandGetScrambleConstants64 of
NVIDIA's library answer, as they lie in memory: 20000 x 64, 20000 x 64 and 20000 words of 64 bits.
"""

import array
import sys

DIMENSIONS = 20000


class Writer:
    def __init__(self):
        self.data, self.bits, self.count = bytearray(), 0, 0

    def write(self, value, count):
        self.bits |= value << self.count
        self.count += count
        while self.count >= 8:
            self.data.append(self.bits & 255)
            self.bits >>= 8
            self.count -= 8

    def finish(self):
        return bytes(self.data) + bytes([self.bits & 255])


def words(path):
    values = array.array("Q", open(path, "rb").read())
    if sys.byteorder != "little":
        values.byteswap()
    return values


def equations(vectors, degree):
    """Rows of bits: a coefficient for each inner term, and above them the right side."""
    for k in range(degree, min(64, 2 * degree + 2)):
        wanted = vectors[k] ^ vectors[k - degree] ^ vectors[k - degree] >> degree
        for bit in range(64):
            row = 0
            for j in range(1, degree):
                row |= (vectors[k - j] >> bit & 1) << (degree - 1 - j)
            yield row | (wanted >> bit & 1) << (degree - 1)


def solve(vectors, degree):
    mask, basis = (1 << (degree - 1)) - 1, {}
    for row in equations(vectors, degree):
        while row & mask:
            high = (row & mask).bit_length() - 1
            if high not in basis:
                basis[high] = row
                break
            row ^= basis[high]
        if row and not row & mask:
            return None
    solution = 0
    for high in sorted(basis):
        rest = basis[high] & ((1 << high) - 1)
        solution |= ((basis[high] >> (degree - 1) ^ bin(rest & solution).count("1")) & 1) << high
    return solution


def follows(vectors, degree, terms):
    for k in range(degree, 64):
        value = vectors[k - degree] ^ vectors[k - degree] >> degree
        for j in range(1, degree):
            if terms >> (degree - 1 - j) & 1:
                value ^= vectors[k - j]
        if value != vectors[k]:
            return False
    return True


def recurrence(vectors, degree):
    """The degree, at least `degree`, and the inner terms of the polynomial that vectors follow from."""
    for degree in range(degree, 19):
        terms = solve(vectors, degree)
        if terms is not None and follows(vectors, degree, terms):
            return degree, terms
    raise SystemExit("vectors without a polynomial")


def main():
    plain, scrambled, constants = (words(path) for path in sys.argv[1:4])
    writer, degree = Writer(), 1
    for d in range(DIMENSIONS):
        v = plain[64 * d : 64 * d + 64]
        if d == 0:
            writer.write(0, 5)
            continue
        degree, terms = recurrence(v, degree)
        writer.write(degree, 5)
        writer.write(terms, degree - 1)
        for k in range(degree):
            writer.write(v[k] >> (64 - k) if k else 0, k)
    for d in range(DIMENSIONS):
        v, s, columns = plain[64 * d : 64 * d + 64], scrambled[64 * d : 64 * d + 64], []
        for k in range(64):
            column = s[k]
            for j in range(k):
                if v[k] >> (63 - j) & 1:
                    column ^= columns[j]
            columns.append(column)
        writer.write(constants[d], 64)
        for k, column in enumerate(columns):
            writer.write(column & ((1 << (63 - k)) - 1), 63 - k)
    open(sys.argv[4], "wb").write(writer.finish())


main()
