#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Polynomials for the approximations of src/jit/lower/polynomials.c.

For each function: the polynomial of smallest largest error over its interval, by the exchange
algorithm of Remez in double precision, and the error that is left. The printed coefficients stand in
polynomials.c, lowest first, rounded to float there.

    python3 scripts/fit_polynomials.py
"""
import math


def solve(matrix, right):
    """Gauss with pivots."""
    n = len(right)
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    for k in range(n):
        best = max(range(k, n), key=lambda r: abs(rows[r][k]))
        rows[k], rows[best] = rows[best], rows[k]
        for r in range(n):
            if r != k:
                factor = rows[r][k] / rows[k][k]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[k])]
    return [rows[k][n] / rows[k][k] for k in range(n)]


def value(coefficients, x):
    result = 0.0
    for c in reversed(coefficients):
        result = result * x + c
    return result


def fit(function, weight, low, high, degree, rounds=20):
    """Minimises the largest |function(x) - p(x)| * weight(x)."""
    count = degree + 2
    points = [(low + high) / 2 + (high - low) / 2 * math.cos(math.pi * k / (count - 1)) for k in range(count)]
    grid = [low + (high - low) * k / 4000 for k in range(4001)]
    for _ in range(rounds):
        matrix = [[x**d for d in range(degree + 1)] + [(-1) ** k / weight(x)] for k, x in enumerate(points)]
        solution = solve(matrix, [function(x) for x in points])
        coefficients = solution[:-1]
        errors = [(function(x) - value(coefficients, x)) * weight(x) for x in grid]
        extremes = []
        for k, error in enumerate(errors):
            if extremes and (errors[extremes[-1]] > 0) == (error > 0):
                if abs(error) > abs(errors[extremes[-1]]):
                    extremes[-1] = k
            else:
                extremes.append(k)
        while len(extremes) > count:
            extremes.pop(0 if abs(errors[extremes[0]]) < abs(errors[extremes[-1]]) else -1)
        if len(extremes) < count:
            break
        points = [grid[k] for k in extremes]
    return coefficients, max(abs(e) for e in errors)


def near(x, limit, otherwise):
    """function(x), with its limit at 0."""
    return limit if abs(x) < 1e-6 else otherwise(x)


FITS = [
    # 2^x for x in [-1/2, 1/2], error relative.
    ("exp2", lambda x: 2.0**x, lambda x: 1 / 2.0**x, -0.5, 0.5, 6),
    # log2(1 + x) / x for x in [sqrt(1/2) - 1, sqrt(2) - 1], error relative.
    ("log2", lambda x: near(x, 1 / math.log(2), lambda y: math.log2(1 + y) / y),
     lambda x: 1 / near(x, 1 / math.log(2), lambda y: math.log2(1 + y) / y), math.sqrt(0.5) - 1, math.sqrt(2) - 1, 9),
    # sin(2 pi x) / x as a polynomial of x^2, x^2 in [0, 1/16], error absolute in sin / x.
    ("sin", lambda s: near(s, 2 * math.pi, lambda t: math.sin(2 * math.pi * math.sqrt(t)) / math.sqrt(t)),
     lambda s: 1.0, 0.0, 1 / 16, 4),
    # tanh(x) / x as a polynomial of x^2, |x| < 0.55, error relative.
    ("tanh", lambda s: near(s, 1.0, lambda t: math.tanh(math.sqrt(t)) / math.sqrt(t)),
     lambda s: 1.0, 0.0, 0.55**2, 4),
]

for name, function, weight, low, high, degree in FITS:
    coefficients, error = fit(function, weight, low, high, degree)
    print(f"{name}: error 2^{math.log2(error):.1f}")
    for c in coefficients:
        print(f"    {c!r},")
