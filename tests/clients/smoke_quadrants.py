# SPDX-License-Identifier: MIT
"""Quadrants: a loop over a field."""
import quadrants as qd

qd.init(arch=qd.cuda)
field = qd.field(qd.i32, shape=100)


@qd.kernel
def fill():
    for i in field:
        field[i] = i * i


fill()
assert field[9] == 81 and field[99] == 9801
