# SPDX-License-Identifier: GPL-2.0-only
"""What the reports of tests/bench have in common: numbers as people read them, parts of plots."""

COLOURS = {"canpipe": "#1769aa", "in-tree": "#c9772b"}


def grouped(number):
    """1234567 as people read it."""
    return f"{number:,}".replace(",", " ")


def lines_of(rows):
    """Rows of a Markdown table."""
    return ["| " + " | ".join(r) + " |" for r in rows]


def text(x, y, s, size=12, anchor="middle", extra=""):
    s = s.replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"{extra}>' \
           f"{s}</text>"


def rect(x, y, w, h, fill):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" fill="{fill}"/>'


def axis_step(top):
    """The distance of the lines of a grid, for values from 0 to top."""
    scale = 1
    while top / scale > 6 * 5:
        scale *= 10
    while top / scale < 1:
        scale /= 10
    for step in (0.2, 0.5, 1, 2, 5):
        if top / (step * scale) <= 6:
            return step * scale
    return top / 5
