# SPDX-License-Identifier: MIT
"""What a trace comes to: spans of streams and threads, and sums of work, ranges, operators, calls and memory. Events are
taken one at a time; kept are spans of work, and allocations."""
import collections

from . import merge, names

# Work that is not a kernel. Everything else on a stream is the name of a kernel.
NOT_KERNELS = ("graph", "copy", "copies", "fill", "host function", "event", "decompress", "free", "wait", "peer",
               "signal semaphores", "wait for semaphores", "values in memory")
IDLE = ("graph", "wait", "peer")
ALLOCATING = ("cuMemAllocAsync", "cuMemAllocFromPoolAsync", "cuMemAlloc", "cuMemAllocManaged", "cuMemAllocPitch", "cuMemHostAlloc",
              "cuMemAllocHost")
FREEING = ("cuMemFree", "cuMemFreeAsync", "cuMemFreeHost")
TORCH_WORK = {"gpu_memcpy": "copy", "gpu_memset": "fill"}


class Sums:
    """Runs, total and longest by name."""

    def __init__(self):
        self.entries = collections.defaultdict(lambda: [0, 0.0, 0.0, 0])

    def add(self, name, length, extra=0):
        entry = self.entries[name]
        entry[0] += 1
        entry[1] += length
        entry[2] = max(entry[2], length)
        entry[3] += extra

    def sorted(self):
        """[(name, runs, total, longest, extra)], the longest total first."""
        return sorted(((name, *entry) for name, entry in self.entries.items()), key=lambda entry: -entry[2])


class Summary:
    def __init__(self, sources, since=None):
        self.since, self.begin = since, None
        self.has_ours = any(not source.is_torch for source in sources)
        self.labels, self.spans, self.operators_of = {}, collections.defaultdict(list), collections.defaultdict(list)
        self.calls, self.ranges, self.operators, self.open_ranges = Sums(), Sums(), Sums(), {}
        self.memory_events, self.operator_of_id, self.kernels_of_id = [], {}, []
        self.names = {}  # of objects, by process and handle
        for event, source in merge.each(sources):
            self.take(event, source)

    def take(self, event, source):
        phase = event.get("ph")
        if phase == "M":
            self.take_name(event)
        elif event.get("cat") == "nvtx":
            self.take_range(event)
        elif phase != "X":
            return
        elif source.is_torch:
            self.take_torch(event)
        elif "result" in event.get("args", {}):
            self.take_call(event)
        elif event["pid"] >= 10000000:
            self.take_work(event["pid"], event["tid"], event["name"], event, event.get("args", {}).get("bytes", 0))

    def take_name(self, event):
        arguments = event.get("args", {})
        if event["name"] == "process_name":
            self.labels.setdefault((event["pid"], None), arguments["name"])
        elif event["name"] == "thread_name":
            self.labels[event["pid"], event["tid"]] = arguments["name"]
        elif event["name"] == "stream" and "handle" in arguments:
            self.memory_events.append((event["ts"], event["pid"], "stream", arguments["handle"], arguments["name"], 0))
        elif event["name"] == "name":
            self.names[arguments["kind"], arguments["handle"]] = arguments["name"]
        if event["name"] == "process_name" and event["pid"] != 0:
            self.labels[event["pid"], None] = arguments["name"]

    def take_work(self, process, thread, name, event, size):
        start = event["ts"] / 1e3
        self.spans[process, thread].append((name, start, start + event["dur"] / 1e3, size))

    def take_torch(self, event):
        kind, arguments = event.get("cat"), event.get("args", {})
        length = event.get("dur", 0) / 1e3
        if kind == "cpu_op":
            start = event["ts"] / 1e3
            self.operators.add(event["name"], length)
            self.operator_of_id[arguments.get("External id")] = event["name"]
            self.operators_of[event["pid"], event["tid"]].append((event["name"], start, start + length, 0))
        elif kind in merge.DEVICE_WORK[:3]:
            self.kernels_of_id.append((arguments.get("External id"), length))
            if not self.has_ours:
                self.take_work(f"GPU {event['pid']}", f"stream {event['tid']}", TORCH_WORK.get(kind, event["name"]), event,
                               arguments.get("bytes", 0))

    def take_range(self, event):
        if event["ph"] not in ("X", "b", "e"):
            return
        key = event["pid"], event.get("id")
        if event["ph"] == "b":
            self.open_ranges[key] = event["ts"]
            return
        length = (event["dur"] if event["ph"] == "X" else event["ts"] - self.open_ranges.pop(key, event["ts"])) / 1e3
        domain = event["args"].get("domain")
        self.ranges.add(f"{domain}: {event['name']}" if domain else event["name"], length)

    def take_call(self, event):
        arguments, name = event["args"], event["name"].split("_")[0]
        failed = arguments["result"] not in ("CUDA_SUCCESS", "CUDA_ERROR_NOT_READY")
        self.calls.add(event["name"], event["dur"] / 1e3, int(failed))
        if event["name"] == self.since:
            self.begin = min(self.begin or event["ts"], event["ts"])
        if arguments["result"] != "CUDA_SUCCESS" or name not in ALLOCATING + FREEING:
            return
        end = event["ts"] + event.get("dur", 0)
        if name in FREEING:
            self.memory_events.append((end, event["pid"], "free", arguments.get("dptr", arguments.get("p")), None, 0))
        else:
            self.memory_events.append((end, event["pid"], name, *allocation(name, arguments)))

    def rows(self):
        """{"cupipe device 0, stream 3": spans} from the first call of `since` on, in milliseconds, longest first: a graph
        is drawn before its nodes. Operators of torch.profiler have a row for each thread."""
        begin, rows = (self.begin or 0) / 1e3, {}
        for (process, thread), spans in [*self.operators_of.items(), *self.spans.items()]:
            is_torch = (process, thread) in self.operators_of and spans is self.operators_of[process, thread]
            label = self.labels.get((process, thread), thread)
            row = f"torch, thread {thread}" if is_torch else f"{self.labels.get((process, None), process)}, {label}"
            kept = [span for span in spans if span[1] >= begin]
            if kept:
                rows.setdefault(row, []).extend(sorted(kept, key=lambda span: span[1] - span[2]))
        return rows

    def work(self, kernels):
        """Sums of kernels, or of other work, of all streams."""
        sums, begin = Sums(), (self.begin or 0) / 1e3
        for spans in self.spans.values():
            for name, start, end, size in spans:
                if (name in NOT_KERNELS) != kernels and name not in IDLE and start >= begin:
                    sums.add(name, end - start, size)
        return sums.sorted()

    def kernel_time_of_operators(self):
        """{operator: ms of its kernels}"""
        times = collections.Counter()
        for number, length in self.kernels_of_id:
            times[self.operator_of_id.get(number)] += length
        return times

    def memory(self):
        """{owner: [now, most, allocations]}. What a stream frees is gone with the call, whoever allocated it."""
        owners, live, streams = collections.defaultdict(lambda: [0, 0, 0]), {}, {}
        for _time, process, what, key, text, size in sorted(self.memory_events, key=lambda event: event[0]):
            if what == "stream":
                streams[process, key] = text
            elif what == "free":
                freed = live.pop((process, key), None)
                if freed:
                    owners[freed[0]][0] -= freed[1]
            elif key:
                owner = streams.get((process, text), f"stream {text}") if text.startswith("0x") else text
                entry = owners[owner]
                live[process, key] = owner, size
                entry[0] += size
                entry[1] = max(entry[1], entry[0])
                entry[2] += 1
        return owners

    def demangled(self):
        return names.demangle({span[0] for spans in self.spans.values() for span in spans})


def allocation(name, values):
    """Where a call allocated memory, whose it is, or the handle of the stream whose it is, and how much."""
    if name in ("cuMemAllocAsync", "cuMemAllocFromPoolAsync"):
        stream = values.get("hStream", "0x0")
        return values.get("*dptr"), "default stream" if int(stream, 16) <= 2 else stream, values.get("bytesize", 0)
    if name in ("cuMemAlloc", "cuMemAllocManaged"):
        return values.get("*dptr"), "managed" if "Managed" in name else "no stream", values.get("bytesize", 0)
    if name == "cuMemAllocPitch":
        return values.get("*dptr"), "no stream", values.get("*pPitch", 0) * values.get("Height", 0)
    return values.get("*pp"), "pinned host memory", values.get("bytesize", 0)
