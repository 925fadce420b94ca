#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The other side of decompression: cuts a file into chunks and compresses each.

    pack.py deflate|snappy|lz4 CHUNK_BYTES INPUT OUTPUT

A chunk becomes its length, the length of what it was packed into (32 bits each, the machine's order) and the packed
bytes. Deflate is made by zlib, at a level that changes from chunk to chunk; Snappy and LZ4 by the compressors of their
own libraries. Ends with status 77 when a library is not there."""
import ctypes
import struct
import sys
import zlib

SKIPPED = 77


def pack_deflate(chunk, number):
    level, strategy = ((0, zlib.Z_DEFAULT_STRATEGY), (1, zlib.Z_DEFAULT_STRATEGY), (6, zlib.Z_FIXED),
                       (9, zlib.Z_DEFAULT_STRATEGY), (6, zlib.Z_HUFFMAN_ONLY), (6, zlib.Z_RLE))[number % 6]
    compressor = zlib.compressobj(level, zlib.DEFLATED, -15, 9, strategy)
    return compressor.compress(chunk) + compressor.flush()


def pack_snappy(chunk, _):
    library = load("libsnappy.so.1")
    library.snappy_max_compressed_length.restype = ctypes.c_size_t
    room = ctypes.c_size_t(library.snappy_max_compressed_length(ctypes.c_size_t(len(chunk))))
    packed = ctypes.create_string_buffer(room.value)
    if library.snappy_compress(chunk, ctypes.c_size_t(len(chunk)), packed, ctypes.byref(room)) != 0:
        sys.exit("snappy does not compress")
    return packed.raw[:room.value]


def pack_lz4(chunk, _):
    library = load("liblz4.so.1")
    room = library.LZ4_compressBound(len(chunk))
    packed = ctypes.create_string_buffer(room)
    size = library.LZ4_compress_default(chunk, packed, len(chunk), room)
    if size <= 0:
        sys.exit("lz4 does not compress")
    return packed.raw[:size]


def load(name):
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        print(error)
        sys.exit(SKIPPED)


def main():
    pack = {"deflate": pack_deflate, "snappy": pack_snappy, "lz4": pack_lz4}[sys.argv[1]]
    chunk_bytes = int(sys.argv[2])
    with open(sys.argv[3], "rb") as source, open(sys.argv[4], "wb") as target:
        for number, chunk in enumerate(iter(lambda: source.read(chunk_bytes), b"")):
            packed = pack(chunk, number)
            target.write(struct.pack("=II", len(chunk), len(packed)) + packed)


if __name__ == "__main__":
    main()
