# SPDX-License-Identifier: MIT
"""What `cupipe profile` and `cupipe trace` draw, in the terminal and as SVG.

    svg.py, terminal.py    how things are drawn
    counts.py              what a profile says of each kernel: work, bytes, time
    machine.py             the roofs of this machine, measured once
    table.py, roofline.py, flame.py    the three views of a profile
    events.py, merge.py    traces read event by event, and joined
"""
