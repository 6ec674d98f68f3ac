# SPDX-License-Identifier: Apache-2.0
"""Line charts as plain SVG, readable on light and dark pages."""

import math

WIDTH, HEIGHT = 760, 340
LEFT, RIGHT, TOP, BOTTOM = 70, 40, 56, 52

STYLE = """<style>
text { font: 13px sans-serif; fill: #333 }
.title { font-weight: bold }
.axis { stroke: #777; fill: none }
.grid { stroke: #7777; stroke-width: .5; fill: none }
.line { stroke-width: 2; fill: none }
.a { stroke: #1668b8 } .b { stroke: #c2500f }
.dot.a { fill: #1668b8 } .dot.b { fill: #c2500f }
@media (prefers-color-scheme: dark) {
  text { fill: #ddd } .axis { stroke: #aaa }
  .a { stroke: #6cb2f7 } .b { stroke: #f7a35c }
  .dot.a { fill: #6cb2f7 } .dot.b { fill: #f7a35c }
}
</style>"""


def steps(high):
    """Round values from 0 to at least `high`, at most six of them."""
    size = 10 ** math.floor(math.log10(high / 5))
    size *= next(factor for factor in (1, 2, 5, 10) if factor * size * 5 >= high)
    return [i * size for i in range(math.ceil(high / size - 1e-9) + 1)]


def decades(low, high):
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    return [10.0**i for i in range(first, max(last, first + 1) + 1)]


class Axis:
    def __init__(self, values, begin, end, logarithmic):
        self.marks = decades(min(values), max(values)) if logarithmic else steps(max(values))
        self.begin, self.end, self.logarithmic = begin, end, logarithmic

    def at(self, value):
        low, high = self.marks[0], self.marks[-1]
        if self.logarithmic:
            value, low, high = math.log10(value), math.log10(low), math.log10(high)
        return self.begin + (value - low) / (high - low) * (self.end - self.begin)


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


def chart(title, x_label, y_label, lines, logarithmic=False, left=0, width=WIDTH):
    """The elements of one chart. `lines`: (name, class, points); a class is "a" or "b"."""
    x = Axis([p[0] for _, _, points in lines for p in points], left + LEFT, left + width - RIGHT, logarithmic)
    y = Axis([p[1] for _, _, points in lines for p in points], HEIGHT - BOTTOM, TOP, logarithmic)
    parts = [f'<text class="title" x="{left + LEFT}" y="18">{escape(title)}</text>']
    for mark in x.marks:
        at = x.at(mark)
        parts.append(f'<path class="grid" d="M{at:.1f} {TOP}V{HEIGHT - BOTTOM}"/>')
        parts.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{mark:,.10g}</text>')
    for mark in y.marks:
        at = y.at(mark)
        parts.append(f'<path class="grid" d="M{left + LEFT} {at:.1f}H{left + width - RIGHT}"/>')
        parts.append(f'<text x="{left + LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{mark:,.10g}</text>')
    parts.append(f'<path class="axis" d="M{left + LEFT} {TOP}V{HEIGHT - BOTTOM}H{left + width - RIGHT}"/>')
    middle = left + (LEFT + width - RIGHT) / 2
    parts.append(f'<text x="{middle:.0f}" y="{HEIGHT - 12}" text-anchor="middle">{escape(x_label)}</text>')
    parts.append(
        f'<text transform="translate({left + 14} {(TOP + HEIGHT - BOTTOM) / 2:.0f}) rotate(-90)" text-anchor="middle">'
        f"{escape(y_label)}</text>"
    )
    at = left + LEFT
    for name, style, points in lines:
        parts.append(f'<path class="line {style}" d="M{at} 36h24"/><text x="{at + 30}" y="40">{escape(name)}</text>')
        at += 50 + 7 * len(name)
        path = "L".join(f"{x.at(px):.1f} {y.at(py):.1f}" for px, py in points)
        parts.append(f'<path class="line {style}" d="M{path}"/>')
        if logarithmic:
            parts += [f'<circle class="dot {style}" cx="{x.at(px):.1f}" cy="{y.at(py):.1f}" r="3"/>' for px, py in points]
    return parts


def picture(charts, alternative):
    """One picture with charts beside each other: each the arguments of chart()."""
    width = WIDTH if len(charts) == 1 else 520
    parts = []
    for i, arguments in enumerate(charts):
        parts += chart(*arguments[:-1], logarithmic=arguments[-1], left=i * width, width=width)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width * len(charts)} {HEIGHT}" role="img">',
            f"<title>{escape(alternative)}</title>",
            STYLE,
            *parts,
            "</svg>\n",
        ]
    )
