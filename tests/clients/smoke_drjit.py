# SPDX-License-Identifier: MIT
"""Dr.Jit: sums, a gather, a scatter with atomics and a loop that runs differently often in each lane, as PTX of its own."""
import drjit as dr
from drjit.cuda import Float, UInt32

x = dr.arange(Float, 1000)
assert dr.allclose(dr.sum(dr.fma(x, 2, 1)), 1000 * 1000)
assert dr.all(dr.gather(Float, x, 999 - dr.arange(UInt32, 1000)) == 999 - x)
counts = dr.zeros(UInt32, 10)
dr.scatter_reduce(dr.ReduceOp.Add, counts, UInt32(1), dr.arange(UInt32, 1000) % 10)
assert dr.all(counts == 100)


@dr.syntax
def steps(n: UInt32):
    count = UInt32(0)
    while n != 1:
        n = dr.select(n % 2 == 0, n // 2, 3 * n + 1)
        count += 1
    return count


def expected(n):
    count = 0
    while n != 1:
        n, count = n // 2 if n % 2 == 0 else 3 * n + 1, count + 1
    return count


assert list(steps(dr.arange(UInt32, 100) + 1)) == [expected(n) for n in range(1, 101)]
