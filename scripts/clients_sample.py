# SPDX-License-Identifier: MIT
"""A plugin of pytest. Where more tests are collected than CLIENTS_MOST says, it keeps an even sample of them, without
those whose names the file CLIENTS_DONE has. How many there were it writes into the file CLIENTS_COLLECTED."""
import os
from pathlib import Path

import pytest


def sample(items, most):
    """At most that many of the items, evenly from the first to the last."""
    if not most or len(items) <= most:
        return list(items)
    return [items[place * len(items) // most] for place in range(most)]


@pytest.hookimpl(trylast=True)  # after what -k and -m leave out
def pytest_collection_modifyitems(config, items):
    Path(os.environ["CLIENTS_COLLECTED"]).write_text(str(len(items)))
    done = set(Path(os.environ["CLIENTS_DONE"]).read_text().splitlines())
    kept = [item for item in sample(items, int(os.environ["CLIENTS_MOST"])) if item.nodeid not in done]
    chosen = set(map(id, kept))
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in chosen])
    items[:] = kept
