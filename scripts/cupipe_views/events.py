# SPDX-License-Identifier: MIT
"""Events of a trace, one after the other: a trace may have millions, and is never in memory as a whole. Read are lists of
events, as cupipe writes them, and objects with a list "traceEvents", as torch.profiler does; also those that end behind
an event, because their process was killed, and those that are compressed by gzip."""
import gzip
import json

CHUNK = 1 << 20


class NotATrace(ValueError):
    pass


class Reader:
    """Values of JSON in a file, with a window of some size around the place."""

    def __init__(self, path):
        with open(path, "rb") as file:
            is_compressed = file.read(2) == b"\x1f\x8b"
        opened = gzip.open if is_compressed else open
        self.file = opened(path, "rt", encoding="utf-8", errors="replace")
        self.text, self.at, self.is_ended = "", 0, False
        self.decoder = json.JSONDecoder()

    def more(self):
        """Reads on; false at the end."""
        chunk = "" if self.is_ended else self.file.read(CHUNK)
        self.is_ended = not chunk
        self.text, self.at = self.text[self.at:] + chunk, 0
        return bool(chunk)

    def skip(self, characters):
        """Passes over these characters and blanks; returns the next one, or nothing at the end."""
        while True:
            while self.at < len(self.text) and (self.text[self.at].isspace() or self.text[self.at] in characters):
                self.at += 1
            if self.at < len(self.text):
                return self.text[self.at]
            if not self.more():
                return ""

    def value(self):
        """The next value; None where the file ends within it. A number may go on behind the window, so it needs one more
        character."""
        while True:
            try:
                value, end = self.decoder.raw_decode(self.text, self.at)
                if end < len(self.text) or self.is_ended:
                    self.at = end
                    return value
            except json.JSONDecodeError:
                if self.is_ended:
                    return None
            self.more()

    def close(self):
        self.file.close()


def each(path, other=None):
    """The events of the file. What else the object around them says goes into the dictionary `other`."""
    reader = Reader(path)
    try:
        first = reader.skip("")
        if first == "[":
            reader.at += 1
            yield from each_of_list(reader)
        elif first == "{":
            reader.at += 1
            yield from each_of_object(reader, {} if other is None else other)
        else:
            raise NotATrace(path)
    except (gzip.BadGzipFile, EOFError) as error:
        raise NotATrace(path) from error
    finally:
        reader.close()


def each_of_list(reader):
    while True:
        if reader.skip(",") in ("]", ""):
            reader.at += 1
            return
        event = reader.value()
        if not isinstance(event, dict):
            raise NotATrace("not a list of whole events")
        if event:
            yield event


def each_of_object(reader, other):
    while reader.skip(",") == '"':
        key = reader.value()
        reader.skip(":")
        if key == "traceEvents" and reader.skip("") == "[":
            reader.at += 1
            yield from each_of_list(reader)
            other.setdefault("traceEvents", True)
        elif key is not None:
            other[key] = reader.value()
    if "traceEvents" not in other:
        raise NotATrace("no events")
