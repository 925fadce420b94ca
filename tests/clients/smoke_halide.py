# SPDX-License-Identifier: MIT
# Halide makes PTX itself: a stencil with borders, and a sum over a reduction domain, against Python's own arithmetic.
import halide as hl

WIDTH, HEIGHT = 67, 35
source = hl.Buffer(hl.Int(32), [WIDTH, HEIGHT])
for y in range(HEIGHT):
    for x in range(WIDTH):
        source[x, y] = (x * 31 + y * y * 7) % 255
target = hl.Target("host-cuda-cuda_capability_80")
vx, vy, inner_x, inner_y = hl.Var("x"), hl.Var("y"), hl.Var("xi"), hl.Var("yi")
edged = hl.BoundaryConditions.repeat_edge(source)

stencil = hl.Func("stencil")
stencil[vx, vy] = 2 * edged[vx, vy] + edged[vx - 1, vy] + edged[vx + 1, vy] + edged[vx, vy - 1] - edged[vx, vy + 1]
stencil.gpu_tile(vx, vy, inner_x, inner_y, 16, 8)
got = stencil.realize([WIDTH, HEIGHT], target)


def at(x, y):
    return source[min(max(x, 0), WIDTH - 1), min(max(y, 0), HEIGHT - 1)]


for y in range(HEIGHT):
    for x in range(WIDTH):
        assert got[x, y] == 2 * at(x, y) + at(x - 1, y) + at(x + 1, y) + at(x, y - 1) - at(x, y + 1), (x, y)

rows = hl.RDom([(0, HEIGHT)])
total = hl.Func("total")
total[vx] = 0
total[vx] += source[vx, rows.x]
total.update().gpu_tile(vx, inner_x, 32, hl.TailStrategy.GuardWithIf)
total.gpu_tile(vx, inner_y, 32)
got = total.realize([WIDTH], target)
for x in range(WIDTH):
    assert got[x] == sum(source[x, y] for y in range(HEIGHT)), x
print("halide: right")
