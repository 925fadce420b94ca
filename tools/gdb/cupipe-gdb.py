# SPDX-License-Identifier: MIT
"""gdb's commands for kernels on cupipe: cupipe break, cupipe threads, cupipe thread, cupipe print; and for what the
program says of itself with NVTX: cupipe ranges, cupipe names.

Kernels compiled with CUPIPE_DEBUG=1 have DWARF: lines, PTX registers as variables without their %, threadIdx,
blockIdx, blockDim and gridDim. gdb alone shows those. What it does not know is that a frame may run 32 CUDA threads:
a register is then an array over the lanes, and threadIdx is that of lane 0. These commands speak of CUDA threads.

usage: cupipe run --gdb PROGRAM, or in gdb: source cupipe-gdb.py
"""
import re

import gdb

LANES = 32
selected = {"lane": None}  # chosen by cupipe thread, until the next stop


def symbol_value(frame, name):
    """The value of one of cupipe's variables in the frame, or None."""
    try:
        block = frame.block()
    except RuntimeError:
        return None
    while block is not None and not block.is_static:
        for symbol in block:
            if symbol.name == name:
                return symbol.value(frame)
        block = block.superblock
    return None


def triple(value):
    return tuple(int(value[axis]) for axis in "xyz")


class Warp:
    """A frame of a kernel or device function: which threads of which block run it."""

    def __init__(self, frame):
        self.frame = frame
        self.first = int(symbol_value(frame, "cupipe_first_thread"))
        self.active = int(symbol_value(frame, "cupipe_active_lanes"))
        self.block = triple(symbol_value(frame, "blockIdx"))
        self.size = triple(symbol_value(frame, "blockDim"))

    def thread(self, lane):
        linear = self.first + lane
        return (linear % self.size[0], linear // self.size[0] % self.size[1], linear // self.size[0] // self.size[1])

    def lanes(self):
        return [lane for lane in range(LANES) if self.active >> lane & 1]

    def lane_of(self, thread):
        """The active lane that is this CUDA thread, or None."""
        return next((lane for lane in self.lanes() if self.thread(lane) == thread), None)


def warp_at(frame):
    """The innermost frame of a kernel at or above this one, as a Warp; None if there is none."""
    while frame is not None and frame.is_valid():
        if symbol_value(frame, "cupipe_first_thread") is not None:
            return Warp(frame)
        frame = frame.older()
    return None


def warps():
    """Pairs of an inferior's thread and the warp that it runs. The selected thread stays selected."""
    before = gdb.selected_thread()
    found = []
    for thread in sorted(gdb.selected_inferior().threads(), key=lambda each: each.num):
        thread.switch()
        warp = warp_at(gdb.newest_frame())
        if warp is not None:
            found.append((thread.num, warp, warp.frame.name(), warp.frame.find_sal()))
    if before is not None and before.is_valid():
        before.switch()
    return found


def text_of(position):
    return "({}, {}, {})".format(*position)


class Cupipe(gdb.Command):
    """CUDA threads of kernels that run on cupipe."""

    def __init__(self):
        super().__init__("cupipe", gdb.COMMAND_DATA, prefix=True)


class Threads(gdb.Command):
    """Lists the CUDA threads that run: cupipe threads

A line for each warp, or thread where lanes run one at a time: gdb's thread, the block, the first and the last active
CUDA thread and their number, and where they are. Warps that wait at a barrier are not listed."""

    def __init__(self):
        super().__init__("cupipe threads", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        running = warps()
        if not running:
            print("No kernel runs, or it was not compiled with CUPIPE_DEBUG=1.")
        for number, warp, name, place in running:
            lanes = warp.lanes() or [0]
            first, last = warp.thread(lanes[0]), warp.thread(lanes[-1])
            threads = text_of(first) if first == last else "{} to {}, {} of them".format(
                text_of(first), text_of(last), len(lanes))
            where = "{}:{}".format(place.symtab.filename, place.line) if place.symtab else "?"
            print("thread {}: block {} thread {} in {} at {}".format(number, text_of(warp.block), threads, name, where))


class Thread(gdb.Command):
    """Selects a CUDA thread: cupipe thread (BLOCK) (THREAD), as in cupipe thread (1,0,0) (37,0,0)

Coordinates that are left out are 0. gdb's thread that runs it is selected, and cupipe print shows its values."""

    def __init__(self):
        super().__init__("cupipe thread", gdb.COMMAND_STATUS)

    @staticmethod
    def read(text):
        numbers = [int(number, 0) for number in re.findall(r"\w+", text)]
        if not 1 <= len(numbers) <= 3:
            raise gdb.GdbError("a position is one to three numbers, as in (1,0,0), not ({})".format(text))
        return tuple(numbers + [0] * (3 - len(numbers)))

    def invoke(self, argument, from_tty):
        groups = re.findall(r"\(([^()]*)\)", argument)
        if len(groups) != 2:
            raise gdb.GdbError("usage: cupipe thread (BLOCK) (THREAD), as in cupipe thread (1,0,0) (37,0,0)")
        block, thread = self.read(groups[0]), self.read(groups[1])
        for number, warp, _name, _place in warps():
            lane = warp.lane_of(thread) if warp.block == block else None
            if lane is None:
                continue
            gdb.execute("thread {}".format(number), to_string=True)
            warp_at(gdb.newest_frame()).frame.select()
            selected["lane"] = lane
            gdb.execute("frame")
            return
        raise gdb.GdbError("block {} thread {} does not run now; cupipe threads lists those that do".format(
            text_of(block), text_of(thread)))


def of_lane(warp, name, lane):
    """A variable or register of one lane."""
    if name == "threadIdx":
        return text_of(warp.thread(lane))
    value = gdb.parse_and_eval(name)
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_ARRAY and kind.range() == (0, LANES - 1):
        value = value[lane]
    if value.type.strip_typedefs().name == "cupipe_lane":
        value = value["value"]
    if value.type.strip_typedefs().code == gdb.TYPE_CODE_BOOL:
        return "true" if int(value) else "false"
    return value


def holds(warp, condition, lane):
    """Whether the condition is true for one lane: in it, threadIdx and variables of all lanes are those of the lane."""
    thread = dict(zip("xyz", warp.thread(lane)))

    def replace(match):
        name, axis = match.group(1), match.group(2)
        if name == "threadIdx" and axis:
            return str(thread[axis])
        try:
            kind = gdb.parse_and_eval(name).type.strip_typedefs()
        except gdb.error:
            return match.group(0)
        if kind.code != gdb.TYPE_CODE_ARRAY or kind.range() != (0, LANES - 1):
            return match.group(0)
        value = "{}[{}]".format(name, lane)
        return value + (".value" if kind.target().name == "cupipe_lane" else "") + (match.group(0)[len(name):])

    words = re.sub(r"%?\b([A-Za-z_]\w*)(?:\.([xyz])\b)?", replace, condition)
    return bool(gdb.parse_and_eval(words))


class KernelBreakpoint(gdb.Breakpoint):
    """Stops in kernels only, and where the condition is true for a CUDA thread, which it selects."""

    def __init__(self, place, condition):
        super().__init__(place)
        self.wanted = condition

    def stop(self):
        frame = gdb.newest_frame()
        if symbol_value(frame, "cupipe_first_thread") is None:
            return False  # the function of that name on the host
        if not self.wanted:
            return True
        warp = Warp(frame)
        for lane in warp.lanes():
            if holds(warp, self.wanted, lane):
                selected["lane"] = lane
                return True
        return False


class Break(gdb.Command):
    """Sets a breakpoint in a kernel: cupipe break LOCATION [if CONDITION]

As gdb's break, but host code of the same line does not stop, and the condition is that of a CUDA thread, also where
32 of them go together: cupipe break scale.cu:12 if threadIdx.x == 5 && blockIdx.x == 1"""

    def __init__(self):
        super().__init__("cupipe break", gdb.COMMAND_BREAKPOINTS, gdb.COMPLETE_LOCATION)

    def invoke(self, argument, from_tty):
        place, _, condition = argument.partition(" if ")
        if not place.strip():
            raise gdb.GdbError("usage: cupipe break LOCATION [if CONDITION]")
        KernelBreakpoint(place.strip(), condition.strip())


class Print(gdb.Command):
    """Prints a variable or register of CUDA threads: cupipe print NAME [LANE]

Of the lane, else of the thread that cupipe thread selected, else of all active ones, a line each."""

    def __init__(self):
        super().__init__("cupipe print", gdb.COMMAND_DATA, gdb.COMPLETE_SYMBOL)

    def invoke(self, argument, from_tty):
        words = gdb.string_to_argv(argument)
        if not 1 <= len(words) <= 2:
            raise gdb.GdbError("usage: cupipe print NAME [LANE]")
        warp = warp_at(gdb.selected_frame())
        if warp is None:
            raise gdb.GdbError("the selected frame is not in a kernel compiled with CUPIPE_DEBUG=1")
        name = words[0].lstrip("%")
        lanes = [int(words[1], 0)] if len(words) == 2 else warp.lanes()
        if len(words) == 1 and selected["lane"] is not None:
            lanes = [selected["lane"]]
        for lane in lanes:
            print("block {} thread {}: {} = {}".format(text_of(warp.block), text_of(warp.thread(lane)), name,
                                                       of_lane(warp, name, lane)))


class Listing:
    """What libnvToolsExt.so.1 keeps of open ranges and names (libraries/nvToolsExt/src/open.h), read word by word: the
    library need not have debugging information, and calling it could wait for a lock."""

    VERSION, WORD, TEXT = 1, 8, 256
    KINDS = {1: "thread", 2: "device", 3: "context", 4: "stream", 5: "event", 6: "resource"}

    def __init__(self):
        try:
            self.at = int(gdb.parse_and_eval("(unsigned long)&cupipe_nvtx_listing"))
        except gdb.error:
            raise gdb.GdbError("NVTX is not loaded: cupipe run --gdb loads it, or NVTX_INJECTION64_PATH=...libnvToolsExt.so.1") from None
        self.memory = gdb.selected_inferior()
        version, self.first_thread, self.first_name, self.buckets = self.words(self.at, 4)
        if version != self.VERSION:
            raise gdb.GdbError("NVTX's library is of another version of cupipe")

    def words(self, address, count):
        data = bytes(self.memory.read_memory(address, count * self.WORD))
        return [int.from_bytes(data[i:i + self.WORD], "little") for i in range(0, len(data), self.WORD)]

    def text(self, address):
        data = b""
        while address and b"\0" not in data and len(data) < self.TEXT:
            data += bytes(self.memory.read_memory(address + len(data), 1))
        return data.split(b"\0")[0].decode("utf-8", "replace")

    def each(self, address, count):
        """The structures of a list, as words; the first word of each leads to the next."""
        while address:
            words = self.words(address, count)
            yield words
            address = words[0]

    def range_text(self, words):
        """Name, domain, category, payload, as far as they are there."""
        name, domain, category, payload = (self.text(address) for address in words[1:5])
        return (domain + ": " if domain else "") + name + (f" [{category}]" if category else "") + (f", {payload}" if payload else "")

    def pushed(self):
        """{thread of the system: texts of its ranges, the outermost first}"""
        return {thread: [self.range_text(words) for words in self.each(newest, 8)][::-1]
                for _next, thread, newest in self.each(self.first_thread, 3) if newest}

    def started(self):
        """Pairs of the thread that started a range, and its text, in the order of their ids."""
        found = [words for bucket in self.words(self.at + 4 * self.WORD, self.buckets) for words in self.each(bucket, 8)]
        return [(words[7], f"{self.range_text(words)}, id {words[6]}") for words in sorted(found, key=lambda words: words[6])]

    def names(self):
        """(kind, object, name, domain) of what has a name."""
        return [(self.KINDS.get(kind, "object"), number, self.text(name), self.text(domain))
                for _next, kind, number, name, domain in self.each(self.first_name, 5) if name][::-1]


class Ranges(gdb.Command):
    """Lists the ranges of NVTX that are open: cupipe ranges

By thread, the outermost first; then those that were started and may end in another thread."""

    def __init__(self):
        super().__init__("cupipe ranges", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        listing = Listing()
        numbers = {thread.ptid[1] or thread.ptid[0]: thread.num for thread in gdb.selected_inferior().threads()}
        names = {number: name for kind, number, name, _domain in listing.names() if kind == "thread"}

        def title(thread):
            named = f" ({names[thread]})" if thread in names else ""
            return f"thread {numbers.get(thread, '?')}, LWP {thread}{named}"

        pushed, started = listing.pushed(), listing.started()
        if not pushed and not started:
            print("No range is open.")
        for thread in sorted(pushed):
            print(title(thread) + ":")
            for depth, text in enumerate(pushed[thread]):
                print("  " * (depth + 1) + text)
        for thread, text in started:
            print(f"started by {title(thread)}: {text}")


class Names(gdb.Command):
    """Lists the names that the program gave to threads, devices, contexts, streams, events and resources: cupipe names"""

    def __init__(self):
        super().__init__("cupipe names", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        for kind, number, name, domain in Listing().names():
            print("{} {}: {}{}".format(kind, number if kind in ("thread", "device") else hex(number),
                                       domain + ": " if domain else "", name))


def forget_selection(_event):
    selected["lane"] = None


gdb.events.cont.connect(forget_selection)
gdb.execute("set breakpoint pending on")
for command in (Cupipe, Break, Threads, Thread, Print, Ranges, Names):
    command()
