# SPDX-License-Identifier: MIT
"""Quadrants: a loop over a field, and two loops that become a graph."""
import quadrants as qd

qd.init(arch=qd.cuda)
field = qd.field(qd.i32, shape=100)


@qd.kernel
def fill():
    for i in field:
        field[i] = i * i


fill()
assert field[9] == 81 and field[99] == 9801


@qd.kernel(graph=True)
def count(a: qd.types.ndarray(), b: qd.types.ndarray()):
    for i in range(a.shape[0]):
        a[i] = a[i] + 1
    for i in range(a.shape[0]):
        b[i] = a[i] * 2


a, b = qd.ndarray(qd.i32, shape=(64,)), qd.ndarray(qd.i32, shape=(64,))
a.fill(0)
for _ in range(3):
    count(a, b)
assert (b.to_numpy() == 6).all()
