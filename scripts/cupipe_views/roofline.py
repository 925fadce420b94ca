# SPDX-License-Identifier: MIT
"""The roofline: what a kernel does for each byte, how fast it did it, and what this machine could do at most. Below the
slope memory is the limit, below the flat roof arithmetic is."""
import math

from . import svg, terminal
from .counts import SECTOR, size, sum_up

LEFT, RIGHT, TOP, PLOT = 78, 24, 96, 380
WIDTH = 1000


class Point:
    """A kernel: operations, bytes, seconds. Integer operations count where a kernel has no float ones."""

    def __init__(self, kernel, machine):
        sums = sum_up(kernel)
        self.name = kernel["plain_name"]
        self.is_float = sums["float_operations"] > 0
        self.is_double = sums["float64_operations"] * 2 > sums["float_operations"] > 0
        self.operations = sums["float_operations"] or sums["integer_operations"]
        self.bytes = sums["sectors"] * SECTOR
        self.seconds = kernel["duration_ns"] / 1e9
        self.intensity = self.operations / self.bytes if self.bytes else math.inf
        self.rate = self.operations / self.seconds if self.seconds else 0.0
        self.peak = machine["float64_per_second"] if self.is_double else machine["float32_per_second"]
        self.roof = min(self.peak, self.intensity * machine["bytes_per_second"])
        self.bound = "arithmetic" if self.roof == self.peak else "memory"

    def unit(self):
        return "FLOP" if self.is_float else "integer op"

    def title(self):
        return (f"{self.name}\n{size(self.operations)} {self.unit()}s, {size(self.bytes)} bytes: {text_of(self.intensity)} for a byte\n"
                f"{size(self.rate)} a second, {100 * self.rate / self.roof:.1f}% of what the roof allows ({self.bound})")


def text_of(intensity):
    return "no memory" if math.isinf(intensity) else f"{intensity:.3g}"


def points_of(kernels, machine):
    return [point for point in (Point(kernel, machine) for kernel in kernels) if point.operations and point.rate]


COUNTED = "times: with counting, several times as long as without; --times TRACE takes those of another run"


def print_roofline(kernels, machine, is_timed):
    points = points_of(kernels, machine)
    lines = [("kernel", "ops/byte", "ops/s", "roof", "limit", "of roof")]
    lines += [(point.name, text_of(point.intensity), size(point.rate), size(point.roof), point.bound,
               f"{100 * point.rate / point.roof:.1f}%") for point in points]
    terminal.print_columns(lines, [point.rate / point.roof for point in points])
    print("\n" + terminal.paint(describe(machine) + ("" if is_timed else "\n" + COUNTED), "soft"))


def describe(machine):
    return (f"roofs: {size(machine['float32_per_second'])} float and {size(machine['float64_per_second'])} double operations and "
            f"{size(machine['bytes_per_second'])} bytes a second, measured with {machine['threads']} threads on {machine['processor']}")


def rounded(power):
    """A power of ten: 100M, 1G."""
    return f"{10 ** (power % 3)}{' KMGTP'[power // 3].strip()}" if 0 <= power < 18 else f"1e{power}"


class Axes:
    """Logarithmic axes from a power of ten to another, or of two for the intensity."""

    def __init__(self, points, machine):
        finite = [point.intensity for point in points if not math.isinf(point.intensity)]
        ridge = machine["float32_per_second"] / machine["bytes_per_second"]
        self.first = math.floor(math.log2(min(finite + [ridge / 16]) / 1.1))
        self.last = math.ceil(math.log2(max(finite + [ridge * 8]))) + 1
        rates = [point.rate for point in points] + [machine["float32_per_second"]]
        self.low = math.floor(math.log10(min(rates + [2 ** self.first * machine["bytes_per_second"]]) / 1.3))
        self.high = math.ceil(math.log10(max(rates) * 1.5))

    def x(self, intensity):
        place = self.last if math.isinf(intensity) else math.log2(intensity)
        return LEFT + (WIDTH - LEFT - RIGHT) * (place - self.first) / (self.last - self.first)

    def y(self, rate):
        return TOP + PLOT * (self.high - math.log10(rate)) / (self.high - self.low)

    def draw(self, picture):
        for power in range(self.first, self.last + 1):
            x = self.x(2.0 ** power)
            picture.line(x, TOP, x, TOP + PLOT)
            picture.text(x, TOP + PLOT + 18, f"{2 ** power:g}" if power >= 0 else f"1/{2 ** -power}", "soft middle")
        for power in range(self.low, self.high + 1):
            y = self.y(10.0 ** power)
            picture.line(LEFT, y, WIDTH - RIGHT, y)
            picture.text(LEFT - 8, y + 4, rounded(power), "soft end")
        picture.text((LEFT + WIDTH - RIGHT) / 2, TOP + PLOT + 38, "operations for each byte of global memory", "soft middle")
        picture.text(LEFT, TOP - 10, "operations a second", "soft")


def draw_roofs(picture, axes, machine):
    end = 2.0 ** axes.last
    speed = machine["bytes_per_second"]
    for name, key, style in (("float", "float32_per_second", "roof"), ("double", "float64_per_second", "roof dashed")):
        peak = machine[key]
        start = max(2.0 ** axes.first, 10.0 ** axes.low / speed)
        picture.add("path", class_=style, d=f"M{axes.x(start):.1f} {axes.y(start * speed):.1f} L{axes.x(peak / speed):.1f} "
                    f"{axes.y(peak):.1f} L{axes.x(end):.1f} {axes.y(peak):.1f}")
        picture.text(WIDTH - RIGHT - 4, axes.y(peak) - 6, f"{name}: {size(peak)} a second", "end")
    start = max(2.0 ** axes.first, 10.0 ** axes.low / speed) * 1.25
    slope = math.degrees(math.atan2(axes.y(start * speed) - axes.y(2 * start * speed), axes.x(2 * start) - axes.x(start)))
    x, y = axes.x(start), axes.y(start * speed) - 8
    picture.text(x, y, f"memory: {size(speed)} bytes a second", transform=f"rotate({-slope:.1f} {x:.1f} {y:.1f})")


def draw(kernels, machine, is_timed, path):
    points = points_of(kernels, machine)
    picture = svg.Picture(WIDTH, "roofline")
    picture.head("Roofline", describe(machine))
    axes = Axes(points, machine)
    axes.draw(picture)
    draw_roofs(picture, axes, machine)
    most = max((point.seconds for point in points), default=1) or 1
    for number, point in reversed(list(enumerate(points))):
        radius = 5 + 7 * math.sqrt(point.seconds / most)
        picture.add("circle", title=point.title(), cx=axes.x(point.intensity), cy=axes.y(point.rate), r=float(radius), class_="mark",
                    fill=svg.colour(number))
    top = TOP + PLOT + 72
    for index, (text, place, style) in enumerate((("kernel", 44, "soft"), ("ops/byte", 640, "soft end"), ("ops/s", 730, "soft end"),
                                                  ("roof", 820, "soft end"), ("of roof", 900, "soft end"), ("limit", 976, "soft end"))):
        picture.text(place, top, text, style)
    picture.line(20, top + 8, WIDTH - RIGHT, top + 8)
    for number, point in enumerate(points):
        y = top + 28 + 22 * number
        picture.add("circle", cx=28.0, cy=float(y - 4), r=6.0, fill=svg.colour(number))
        picture.text(44, y, svg.fit(point.name, 520), title=point.title())
        for text, place in ((text_of(point.intensity), 640), (size(point.rate), 730), (size(point.roof), 820),
                            (f"{100 * point.rate / point.roof:.1f}%", 900), (point.bound, 976)):
            picture.text(place, y, text, "number")
    if not is_timed:
        picture.text(44, top + 32 + 22 * len(points), COUNTED, "soft")
    picture.write(path, top + 52 + 22 * len(points))
