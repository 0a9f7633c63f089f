"""The one SVG kit: scales, axes, panels, marks and colours of every picture, without script, font or library.

A mark's class says what it is (`claim`, `measured`) or which shape and series it has (`dot c1`); marks.css says how
that looks, and colours.py in which colours, in light, in dark and on paper.
"""

from hdp_audit.reporting.svg.axes import bottom_axis, left_axis
from hdp_audit.reporting.svg.marks import bar, box, curve, diamond, dot, group, path, pole, text, triangle, turned
from hdp_audit.reporting.svg.panels import Panel, Rows
from hdp_audit.reporting.svg.pictures import page, picture
from hdp_audit.reporting.svg.scale import Scale, log_range
from hdp_audit.reporting.svg.signs import Sign, legend

__all__ = [
    "Panel",
    "Rows",
    "Scale",
    "Sign",
    "bar",
    "bottom_axis",
    "box",
    "curve",
    "diamond",
    "dot",
    "group",
    "left_axis",
    "legend",
    "log_range",
    "page",
    "path",
    "picture",
    "pole",
    "text",
    "triangle",
    "turned",
]
