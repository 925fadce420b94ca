# SPDX-License-Identifier: MIT
"""Several traces as one timeline. cupipe's times are of CLOCK_MONOTONIC, and its trace says what lies between that clock
and CLOCK_REALTIME. torch.profiler's are of CLOCK_REALTIME, from a moment on that its trace names. All become times of
the first trace; rows, flows and correlations stay as they are, since processes and threads have the same numbers."""
import json

from . import events

DEVICE_WORK = ("kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation")


class Source:
    """A trace: who wrote it, and what must be added to its times for those of CLOCK_REALTIME, in nanoseconds."""

    def __init__(self, path):
        self.path, self.is_torch, self.offset_ns = path, False, None
        other = {}
        for event in events.each(path, other):
            if event.get("ph") == "M" and event.get("name") == "clock":
                self.offset_ns = int(event["args"]["realtime_minus_monotonic_ns"])
                break
            if "baseTimeNanoseconds" in other or event.get("cat") in DEVICE_WORK:
                break
            if is_ours(event):
                break  # of a cupipe that did not write its clock
        if self.offset_ns is None:
            self.read_torch(other)

    def read_torch(self, other):
        """What torch.profiler says behind the events is read with them; a trace of it has at least one such word."""
        if "baseTimeNanoseconds" not in other:
            for _event in events.each(self.path, other):
                pass
        if "baseTimeNanoseconds" in other:
            self.is_torch, self.offset_ns = True, int(other["baseTimeNanoseconds"])
        elif "schemaVersion" in other:
            self.is_torch, self.offset_ns = True, 0


def is_ours(event):
    return event.get("ph") == "X" and "result" in event.get("args", {})


def each(sources):
    """Pairs of an event, with the time that it has in the first trace, and its source."""
    first = sources[0].offset_ns
    for source in sources:
        shift = (source.offset_ns - first) / 1000 if source.offset_ns is not None and first is not None else 0.0
        for event in events.each(source.path):
            if shift and "ts" in event:
                event["ts"] = round(event["ts"] + shift, 3)
            yield event, source


def has_clocks(sources):
    return len(sources) == 1 or all(source.offset_ns is not None for source in sources)


def write(sources, path):
    """One file for ui.perfetto.dev, written as the traces are read. A process has the name that the first trace gives it."""
    named = set()
    with open(path, "w", encoding="utf-8") as file:
        file.write("[")
        separator = "\n"
        for event, source in each(sources):
            if event.get("ph") == "M" and event.get("name") == "process_name":
                if event["pid"] in named and source is not sources[0]:
                    continue
                named.add(event["pid"])
            file.write(separator + json.dumps(event, ensure_ascii=False))
            separator = ",\n"
        file.write("\n]\n")
