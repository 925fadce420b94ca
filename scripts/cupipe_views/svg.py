# SPDX-License-Identifier: MIT
"""A small writer of SVG. A picture needs nothing from outside: it has its own style, which follows the viewer's choice
of light or dark, and every mark that has a title shows it under the pointer."""
import html

FONT = 12
CHARACTER = 6.6  # the mean width of a character of the text, in pixels
STYLE = """
  svg { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; background: var(--page); --page: #ffffff; --ink: #1d2430;
        --soft: #667085; --line: #d5dae3; --faint: #eef1f6; --roof: #344054; --label: #ffffff; }
  text { fill: var(--ink); }
  .soft { fill: var(--soft); }
  .head { font-size: 16px; font-weight: 600; }
  .number { font-variant-numeric: tabular-nums; text-anchor: end; }
  .middle { text-anchor: middle; }
  .end { text-anchor: end; }
  .axis { stroke: var(--line); stroke-width: 1; }
  .roof { stroke: var(--roof); stroke-width: 2; fill: none; }
  .dashed { stroke-dasharray: 5 4; }
  .page { fill: var(--page); }
  .faint { fill: var(--faint); }
  .frame { stroke: var(--page); stroke-width: 1; }
  .inside { fill: #15181d; }
  .mark { stroke: var(--page); stroke-width: 1.5; }
  g:hover > .frame, g:hover > .mark { stroke: var(--ink); }
  @media (prefers-color-scheme: dark) {
    svg { --page: #14181f; --ink: #e6e9ef; --soft: #98a2b3; --line: #323b4a; --faint: #1c222c; --roof: #cbd3e0; }
  }
"""
# Colours that are told apart in light and dark, and by people who see colours differently.
COLOURS = ("#4c8dd6", "#e8873a", "#4bb07a", "#d4658f", "#9a7bd0", "#c9a227", "#3fb0b8", "#b9786a", "#7d97ad", "#8fb548")


def colour(index):
    return COLOURS[index % len(COLOURS)]


def fit(text, width):
    """The text as far as it has room in so many pixels; nothing if that is too little to read."""
    room = int(width / CHARACTER)
    if len(text) <= room:
        return text
    return text[:room - 1] + "\u2026" if room >= 4 else ""


class Picture:
    def __init__(self, width, title):
        self.width, self.height, self.title, self.parts = width, 0, title, []

    @staticmethod
    def attributes(values):
        return "".join(f' {name.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"' for name, value in values.items()
                       if value is not None)

    @staticmethod
    def number(value):
        return f"{value:.2f}".rstrip("0").rstrip(".")

    def add(self, element, title=None, text=None, **values):
        values = {name: self.number(value) if isinstance(value, float) else value for name, value in values.items()}
        inside = (html.escape(text) if text is not None else "")
        part = f"<{element}{self.attributes(values)}>{inside}</{element}>" if inside else f"<{element}{self.attributes(values)}/>"
        self.parts.append(f"<g><title>{html.escape(title)}</title>{part}</g>" if title else part)

    def text(self, x, y, text, class_=None, title=None, **values):
        self.add("text", title=title, text=text, x=float(x), y=float(y), class_=class_, **values)

    def rect(self, x, y, width, height, title=None, **values):
        self.add("rect", title=title, x=float(x), y=float(y), width=float(max(width, 0)), height=float(height), **values)

    def labelled(self, x, y, width, height, label, title, fill):
        """A box with its name in it, as far as it has room."""
        shown = fit(label, width - 8)
        name = f'<text x="{self.number(x + 4)}" y="{self.number(y + height / 2 + 4)}" class="inside">{html.escape(shown)}</text>'
        self.parts.append(f'<g><title>{html.escape(title)}</title><rect x="{self.number(x)}" y="{self.number(y)}" '
                          f'width="{self.number(max(width, 0.4))}" height="{self.number(height)}" rx="2" class="frame" fill="{fill}"/>'
                          f'{name if shown else ""}</g>')

    def line(self, x1, y1, x2, y2, class_="axis"):
        self.add("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), class_=class_)

    def head(self, text, note):
        self.text(20, 32, text, "head")
        self.text(20, 51, fit(note, self.width - 40), "soft", title=note)

    def write(self, path, height):
        body = "\n".join(self.parts)
        picture = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{int(height)}" '
                   f'viewBox="0 0 {self.width} {int(height)}" role="img">\n<title>{html.escape(self.title)}</title>\n'
                   f'<style>{STYLE}</style>\n<rect width="100%" height="100%" class="page"/>\n{body}\n</svg>\n')
        with open(path, "w", encoding="utf-8") as file:
            file.write(picture)


def shade(index, depth):
    """The colour, lighter from depth to depth, so that boxes in each other are told apart."""
    base = [int(colour(index)[at:at + 2], 16) for at in (1, 3, 5)]
    mix = min(0.12 * (depth - 1), 0.55)
    return "#" + "".join(f"{round(part + (255 - part) * mix):02x}" for part in base)
